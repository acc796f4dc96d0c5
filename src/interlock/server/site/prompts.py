"""The prompts of the registries: versions, texts, differences, labels; and changes to the registry that is one's own.

What ships with the package is read-only. A change is shown before it is made.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import quote

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock._text import plain_number
from interlock.errors import InterlockError, PromptError
from interlock.prompts import LAYERS
from interlock.registry import DatabaseRegistry, PromptRegistry, open_registry, shipped_registry
from interlock.server.site.desk import Desk
from interlock.server.site.drawing import draw
from interlock.server.site.forms import Form, read_form
from interlock.server.site.names import keep_name, name_of, named_in
from interlock.server.site.prompt_view import Act, Opened, Wish, coming, entry_in, listed, next_version
from interlock.server.site.side_by_side import side_by_side

__all__ = ["SHIPPED", "open_prompt", "registries", "routes"]

SHIPPED = "shipped"

log = logging.getLogger("interlock.page")


def routes(desk: Desk) -> Sequence[Route]:
    """Return the pages of prompts; no prompt is called `-`."""
    rooms = _Rooms(desk)
    return [
        Route("/prompts", rooms.listed, methods=["GET"]),
        Route("/prompts/-/publish", rooms.form, methods=["GET"]),
        Route("/prompts/-/publish", rooms.publish, methods=["POST"]),
        Route("/prompts/-/rollback", rooms.rollback, methods=["POST"]),
        Route("/prompts/{name}", rooms.one, methods=["GET"]),
        Route("/prompts/{name}/diff", rooms.diff, methods=["GET"]),
    ]


@contextmanager
def registries(desk: Desk) -> Iterator[tuple[PromptRegistry, ...]]:
    """Yield the registries, one's own before the shipped one.

    Raises:
        PromptError: the place cannot hold a registry.
    """
    if desk.prompts is None:
        yield (shipped_registry(),)
        return
    with _own(desk) as own:
        yield (own, shipped_registry())


@contextmanager
def _own(desk: Desk) -> Iterator[PromptRegistry]:
    """Yield the registry that may be changed.

    Raises:
        HTTPException: there is none.
        PromptError: the place cannot hold a registry.
    """
    if desk.prompts is None:
        raise HTTPException(409, "the shipped prompts are read-only; start the server with `--prompts PLACE`")
    registry = open_registry(desk.prompts, now=desk.clock)
    try:
        yield registry
    finally:
        if isinstance(registry, DatabaseRegistry):
            registry.close()


def open_prompt(desk: Desk, name: str, which: str, where: str) -> Opened:
    """Return a prompt of the first registry that has it, or of the shipped one where that is asked for.

    Raises:
        HTTPException: there is no such prompt or version.
        PromptError: a registry cannot be read.
    """
    with registries(desk) as both:
        for at, registry in enumerate(both):
            is_own = _is_own(desk, at)
            if (is_own and where == SHIPPED) or name not in registry.index().entries:
                continue
            try:
                return entry_in(registry, name, which, is_own=is_own)
            except PromptError as problem:
                raise HTTPException(404, str(problem)) from problem
    raise HTTPException(404, "there is no prompt of that name")


def _is_own(desk: Desk, at: int) -> bool:
    return at == 0 and desk.prompts is not None


class _Rooms:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def listed(self, request: Request) -> Response:
        """List the prompts of every registry."""
        with registries(self._desk) as both:
            found = [listed(registry, is_own=_is_own(self._desk, at)) for at, registry in enumerate(both)]
        return draw(request, "prompts.html", {"registries": found, "can_publish": self._desk.prompts}, here="prompts")

    def one(self, request: Request) -> Response:
        """Show one prompt: a text, its versions, labels and history."""
        asked = request.query_params
        opened = open_prompt(
            self._desk, request.path_params["name"], asked.get("version", ""), asked.get("registry", "")
        )
        values = {"opened": opened, "query": _query(opened), "by": name_of(request), "told": asked.get("done", "")}
        return draw(request, "prompt.html", values, here="prompts")

    def diff(self, request: Request) -> Response:
        """Show how one version becomes another."""
        name, asked = request.path_params["name"], request.query_params
        old = open_prompt(self._desk, name, asked.get("from", ""), asked.get("registry", ""))
        new = open_prompt(self._desk, name, asked.get("to", ""), asked.get("registry", ""))
        if old.prompt is None or new.prompt is None:
            raise HTTPException(422, old.problem or new.problem)
        values = {"old": old, "new": new, "sides": side_by_side(old.prompt.text, new.prompt.text), "query": _query(old)}
        return draw(request, "prompt_diff.html", values, here="prompts")

    def form(self, request: Request) -> Response:
        """Ask what is to be published, beginning with a version that is named."""
        name, asked = request.query_params.get("name", ""), request.query_params
        given = {"by": name_of(request), "version": next_version(())}
        if name:
            opened = open_prompt(self._desk, name, asked.get("version", ""), asked.get("registry", ""))
            text = "" if opened.prompt is None else opened.prompt.text
            given |= {"name": name, "layer": opened.entry.layer, "text": text}
            given["version"] = next_version(list(opened.entry.versions))
        return self._form(request, Form(given))

    async def publish(self, request: Request) -> Response:
        """Show what a publication would do; do it when that was confirmed."""
        form = await read_form(request)
        return await anyio.to_thread.run_sync(self._wished, request, form, "publish")

    async def rollback(self, request: Request) -> Response:
        """Show what a rollback would do; do it when that was confirmed."""
        form = await read_form(request)
        return await anyio.to_thread.run_sync(self._wished, request, form, "rollback")

    def _wished(self, request: Request, form: Form, act: Act) -> Response:
        with _own(self._desk) as registry:
            try:
                by, wish = named_in(form), _wish_of(form, act)
                found = coming(registry, wish)
            except InterlockError as problem:
                if act == "publish":
                    return self._form(request, form, says=str(problem), status=422)
                raise
            if form.text("confirmed") != found.seal:
                says = "changed" if form.has("confirmed") else ""
                values = {"wish": wish, "coming": found, "by": by, "act": act, "says": says}
                return draw(request, "prompt_confirm.html", values, here="prompts", status=409 if says else 200)
            _do(registry, wish)
        for change in found.changes:
            log.warning("prompt %s@%s: %s %s by %s", change.name, change.version, change.act, change.label or "", by)
        response = RedirectResponse(f"/prompts/{quote(wish.name)}?done={act}", status_code=303)
        keep_name(response, form)
        return response

    def _form(self, request: Request, form: Form, *, says: str = "", status: int = 200) -> Response:
        values = {"form": form, "says": says, "layers": LAYERS, "can_publish": self._desk.prompts}
        return draw(request, "prompt_publish.html", values, here="prompts", status=status)


def _query(opened: Opened) -> str:
    """Return what keeps links to a prompt within its registry."""
    return "" if opened.is_own else f"registry={SHIPPED}"


def _wish_of(form: Form, act: Act) -> Wish:
    share = form.text("share").rstrip("% ")
    number = plain_number(share) if share else None
    if share and number is None:
        raise PromptError(f"share: `{share}` is no number; write a percentage such as 10, or nothing")
    layer = next((layer for layer in LAYERS if layer == form.text("layer")), None)
    return Wish(
        act=act,
        name=form.text("name"),
        version=form.text("version"),
        layer=layer,
        text=form.raw("text"),
        label=form.text("label"),
        share=number,
    )


def _do(registry: PromptRegistry, wish: Wish) -> None:
    if wish.act == "rollback":
        registry.rollback(wish.name, wish.label)
        return
    registry.publish(
        wish.name,
        wish.version,
        text=wish.text or None,
        layer=wish.layer,
        label=wish.label or None,
        share=wish.share,
    )

"""The reports of experiments that the server was given: a list, and each one drawn."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.experiments import METRICS
from interlock.server.site.desk import Desk
from interlock.server.site.drawing import draw
from interlock.server.site.experiment_view import Plots, listed, mean_text, points_text, rate_text
from interlock.server.site.numbers import whole_in

__all__ = ["routes"]


def routes(desk: Desk) -> Sequence[Route]:
    """Return the pages of experiments."""
    rooms = _Rooms(desk)
    return [
        Route("/experiments", rooms.listed, methods=["GET"]),
        Route("/experiments/{number}", rooms.one, methods=["GET"]),
    ]


class _Rooms:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def listed(self, request: Request) -> Response:
        """List the reports."""
        values = {"reports": listed(self._desk.reports), "points_text": points_text}
        return draw(request, "experiments.html", values, here="experiments")

    def one(self, request: Request) -> Response:
        """Draw one report, or say what is wrong with its file."""
        number = whole_in(request.path_params["number"]) or 0
        if not 1 <= number <= len(self._desk.reports):
            raise HTTPException(404, "this server was given no report of that number")
        found = listed(self._desk.reports)[number - 1]
        if found.report is None:
            raise HTTPException(422, found.problem)
        values = {
            "found": found,
            "report": found.report,
            "plots": Plots(found.report),
            "metrics": METRICS,
            "rate_text": rate_text,
            "mean_text": mean_text,
            "points_text": points_text,
        }
        return draw(request, "experiment.html", values, here="experiments")

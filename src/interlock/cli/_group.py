"""A verb that has verbs of its own: its page says of each in full what it does, and a wrong name is answered alike."""

from __future__ import annotations

import click

from interlock.diagnostics import did_you_mean

__all__ = ["VerbGroup"]

_WHOLE = 400
"""More characters than the first sentence of any verb has, so that none is cut off."""


class VerbGroup(click.Group):
    """A group that lists its verbs whole and names those that there are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(f"no verb `{args[0]}`; {did_you_mean(args[0], names)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(self._said(ctx))

    def _said(self, ctx: click.Context) -> list[tuple[str, str]]:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        return [(name, command.get_short_help_str(_WHOLE)) for name, command in found if command is not None]

"""Databases behind an address: how one is recognised and shown; `server` opens it, and needs the extra `postgres`."""

from interlock.postgres.address import is_address, shown_address

__all__ = ["is_address", "shown_address"]

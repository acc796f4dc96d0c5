"""One number per key, always the same: what decides who gets which version.

Pure.
Source: decision-engine specification, versions and registry.
"""

from __future__ import annotations

from interlock._canonical import compact_json, sha256_hex

__all__ = ["sticky"]

_DIGITS = 13
"""Hex digits that a float holds exactly."""


def sticky(name: str, key: str) -> float:
    """Return a number in [0, 1) for a key, evenly spread over keys and independent between names."""
    return float(int(sha256_hex(compact_json([name, key]))[:_DIGITS], 16) / 16**_DIGITS)

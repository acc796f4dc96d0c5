"""The version of this package as runs record it; reading it from the installed metadata costs a dozen imports."""

__all__ = ["VERSION"]

VERSION = "0.1.0"

"""The error tree that is drawn is the error tree that exists."""

from __future__ import annotations

import re

from interlock import errors


def test_the_drawing_is_the_code() -> None:
    """Each class of the module is drawn, under its own base."""
    drawn = re.findall(r"^([│ ├└─]*)(\w+)", errors.__doc__ or "", re.MULTILINE)[1:]
    names = [name for _, name in drawn if name[0].isupper() and name in errors.__all__]
    defined = [n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, errors.InterlockError)]

    assert sorted(names) == sorted(defined)


def test_every_error_derives_from_the_base() -> None:
    """One `except InterlockError` catches every deliberate error."""
    for name in errors.__all__:
        if name != "Cancelled":
            assert issubclass(getattr(errors, name), errors.InterlockError)

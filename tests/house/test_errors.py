"""The error tree that is drawn is the error tree that exists."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

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


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(errors.InterlockError("m"), id="base"),
        pytest.param(errors.ContractError("m", ["one", "two"]), id="contract"),
        pytest.param(errors.HostError("m", ["cell"]), id="host"),
        pytest.param(errors.DecisionError("m", "no_action", ["a"], ["reply", None], ["go"]), id="decision"),
        pytest.param(errors.MissingContextError("m"), id="missing-context"),
        pytest.param(errors.ModelError("m", reason="busy", retryable=True), id="model"),
        pytest.param(errors.FunctionTimeout("m", still_running=True), id="timeout"),
        pytest.param(errors.ToolError("not-found", "m"), id="tool"),
    ],
)
def test_an_error_survives_pickle_and_copy(error: errors.InterlockError) -> None:
    """An error that a worker process cannot hand over takes the whole pool down."""
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error) == "m"
        assert vars(again) == vars(error)

"""The visible parameters of a function as checked fields."""

from __future__ import annotations

from interlock.functions.metadata import FunctionMetadata, ParamMetadata
from interlock.schema import AdapterError, Field, field_for

__all__ = ["fields_of"]


def fields_of(function: FunctionMetadata) -> tuple[Field, ...]:
    """Return one field per visible parameter, in signature order.

    Raises:
        TypeError: JSON cannot carry an annotation, or an option is not of its type.
    """
    return tuple(_field(function, param) for param in function.visible)


def _field(function: FunctionMetadata, param: ParamMetadata) -> Field:
    try:
        return field_for(
            param.name,
            param.annotation,
            description=param.description,
            options=param.options,
            required=param.required,
            default=param.default,
        )
    except AdapterError as error:
        raise TypeError(f"`{function.name}`: the annotation of `{param.name}`: {error}") from error
    except TypeError as error:
        raise TypeError(f"`{function.name}`: {error}") from error

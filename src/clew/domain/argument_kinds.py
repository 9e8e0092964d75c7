"""Arguments of public methods are of the kinds that their annotations say; what is not is refused at the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import CO_VARARGS, unwrap
from os import PathLike
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from clew.domain.messages import Message
from clew.domain.modules import Module
from clew.domain.sessions import SessionKey
from clew.errors import UsageError

C = TypeVar("C")


def ensure_positive(name: str, value: int) -> None:
    """Raises UsageError for a number that allows nothing."""
    if value < 1:
        raise UsageError(f"{name} must be 1 or more, not {value}")


class _Kind(NamedTuple):
    fits: Callable[[Any], bool]
    words: str


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, bytes) and all(isinstance(one, str) for one in value)


def _is_many(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes)


def _is_list(value: Any) -> bool:
    return _is_many(value) and not isinstance(value, str | Mapping)


def _is_span(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_MAPPING = _Kind(lambda value: isinstance(value, Mapping), "a mapping by name")
_TOOLS = _Kind(_is_many, "functions by name, or a list of tools")
#: The place of arguments that are given by name alone: a method may take any number of others.
_BY_NAME = 1 << 30
#: By annotation as it is written. Others are left to the method, which knows better what it can take.
_KINDS = {
    "str": _Kind(lambda value: isinstance(value, str), "a string"),
    "int": _Kind(_is_number, "a whole number"),
    "str | Sequence[str]": _Kind(_is_texts, "a string, or a list of them"),
    "Sequence[str]": _Kind(_is_texts, "a list of strings"),
    "Message | str": _Kind(lambda value: isinstance(value, Message | str), "a Message or a string"),
    "SessionKey": _Kind(lambda value: isinstance(value, SessionKey), "a key, as engine.key(…) returns it"),
    "Mapping[str, Any]": _MAPPING,
    "Mapping[str, object]": _MAPPING,
    "float": _Kind(_is_span, "a number"),
    "str | Iterable[str]": _Kind(_is_many, "a string, or a list of them"),
    "Iterable[Part]": _Kind(_is_many, "a list of Text and Media parts"),
    "str | Path | Module": _Kind(lambda value: isinstance(value, str | PathLike | Module), "a path, or a Module"),
    "Path | str": _Kind(lambda value: isinstance(value, str | PathLike), "a path"),
    "Mapping[str, Any] | Iterable[Any]": _TOOLS,
    "Cancel": _Kind(lambda value: hasattr(value, "is_set"), "a clew.cancellation.Cancel"),
}


#: By how an annotation begins.
_BEGINNINGS = {
    "Iterable[": _Kind(_is_list, "a list"),
    "Collection[": _Kind(_is_list, "a list"),
    "Sequence[": _Kind(_is_list, "a list"),
    "Callable[": _Kind(callable, "a function"),
}
#: Classes that nobody stands in for, by name: this module knows none of those that use it.
_CLASSES = {
    *("SessionInfo", "ImportReport", "SegmentId", "PromptUsage", "Window", "PromptSize", "ContextReport"),
    *("ChannelCursor", "CompactionRequest", "Module", "SentInput"),
}


def checks_arguments(cls: type[C]) -> type[C]:
    """Makes every public method of a class raise UsageError for arguments that are of no kind it takes."""
    for name, member in tuple(vars(cls).items()):
        if not isinstance(member, FunctionType) or name.startswith("_"):
            continue
        if kinds := _kinds_of(unwrap(member)):  # what a decorator made says nothing of the arguments
            setattr(cls, name, _with_checks(member, kinds))
    return cls


def _kinds_of(method: Any) -> list[tuple[int, str, _Kind]]:
    """Places, names and kinds of the arguments that can be told by their annotation. The place of a list of any length
    is negative.
    """
    code = method.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    places = [*range(code.co_argcount), *[_BY_NAME] * code.co_kwonlyargcount]
    if code.co_flags & CO_VARARGS:
        places.append(-code.co_argcount)
    names = code.co_varnames[: count + 1]
    found = (
        (at, name, _kind(str(method.__annotations__.get(name, "")))) for at, name in zip(places, names, strict=False)
    )
    return [(at, name, kind) for at, name, kind in found if kind]


def _kind(annotation: str) -> _Kind | None:
    plain = annotation.removesuffix(" | None")
    kind = _KINDS.get(plain) or next((kind for head, kind in _BEGINNINGS.items() if _is_one(plain, head)), None)
    if plain in _CLASSES:
        kind = _Kind(lambda value: any(one.__name__ == plain for one in type(value).__mro__), f"a {plain}")
    if kind is None or plain == annotation:
        return kind
    return _Kind(lambda value: value is None or kind.fits(value), kind.words)


def _is_one(annotation: str, head: str) -> bool:
    return annotation.startswith(head) and " | " not in annotation


def _with_checks(method: FunctionType, kinds: Sequence[tuple[int, str, _Kind]]) -> Callable[..., Any]:
    @wraps(method)
    def check_and_call(self: Any, /, *args: Any, **options: Any) -> Any:
        for at, name, kind in kinds:
            if at < 0:
                for value in args[-at - 1 :]:
                    _ensure(value, name, kind, method)
            elif at <= len(args):
                _ensure(args[at - 1], name, kind, method)
            elif name in options:
                _ensure(options[name], name, kind, method)
        return method(self, *args, **options)

    return check_and_call


def _ensure(value: Any, name: str, kind: _Kind, method: FunctionType) -> None:
    if not kind.fits(value):
        raise UsageError(f"{name} of {method.__name__}() is of type {type(value).__name__}; give {kind.words}")

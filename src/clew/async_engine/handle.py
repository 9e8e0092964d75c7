"""Any object of the engine behind an asynchronous face, made from the methods that its class has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from functools import partial, wraps
from itertools import islice
from typing import Any, ClassVar, Generic, TypeVar

from clew.async_engine.worker import Lane

T = TypeVar("T")

#: Most items that are read in one go where they are read piece by piece: the first comes as soon as it is there.
_BATCH = 64


class AsyncHandle(Generic[T]):
    """An object of the engine whose methods and properties are awaited; other attributes are read as they are.

    A method returns what it returns to synchronous callers, except that an object which works on the store comes
    behind such a face as well, and an iterator as an asynchronous one. Other handles may be given as arguments.
    """

    #: Which face an object gets, by its class.
    faces: ClassVar[dict[type, type[AsyncHandle[Any]]]] = {}
    #: Properties that never read the store, and need no ``await``.
    plain: ClassVar[frozenset[str]] = frozenset()
    #: Properties that are objects of the engine themselves, whose methods are awaited.
    parts: ClassVar[frozenset[str]] = frozenset()
    #: Attributes that are for the engine's own threads alone.
    hidden: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, target: T, lane: Lane) -> None:
        """``lane`` makes the calls; objects that come of it work in that one too."""
        self._target, self._lane = target, lane

    def _lane_for(self, name: str) -> Lane:  # noqa: ARG002
        """The lane that makes the calls of a method."""
        return self._lane

    def _lane_of(self, value: Any) -> Lane:  # noqa: ARG002
        """The lane of an object that a method has returned."""
        return self._lane

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in self.hidden:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name in self.parts:
            return AsyncPart(self, name)
        member = getattr(type(self._target), name, None)
        if callable(member):
            return self._async_method(member, self._lane_for(name))
        if isinstance(member, property) and name not in self.plain:
            return _Awaited(partial(getattr, self._target, name), self._lane_for(name))
        return getattr(self._target, name)

    def _async_method(self, method: Callable[..., Any], lane: Lane) -> Callable[..., Coroutine[Any, Any, Any]]:
        @wraps(method)
        async def call(*args: Any, **options: Any) -> Any:
            given = [_target_of(value) for value in args]
            named = {name: _target_of(value) for name, value in options.items()}
            return self._wrap_value(await lane.run(partial(method, self._target, *given, **named)))

        return call

    def _wrap_value(self, value: Any) -> Any:
        if isinstance(value, Iterator):
            return _items(value, self._lane_of(value))
        face = self.faces.get(type(value))
        return face(value, self._lane_of(value)) if face else value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._target)} - self.hidden)

    def __repr__(self) -> str:
        return f"<asynchronous {self._target!r}>"


class AsyncPart:
    """A part of such an object, which is found, and its methods run, when they are awaited."""

    def __init__(self, owner: AsyncHandle[Any], part: str) -> None:
        self._owner, self._part = owner, part

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

        def method(target: Any, *args: Any, **options: Any) -> Any:
            found = getattr(getattr(target, self._part), name)
            return found(*args, **options) if callable(found) else found

        return self._owner._async_method(method, self._owner._lane)


class _Awaited(Generic[T]):
    """What a property says. It is read when it is awaited: who only looks at a handle asks nothing of the engine."""

    def __init__(self, read: Callable[[], T], lane: Lane) -> None:
        self._read, self._lane = read, lane

    def __await__(self) -> Generator[Any, Any, T]:
        return self._lane.run(self._read).__await__()


def unwrap_handle(handle: AsyncHandle[T]) -> tuple[T, Lane]:
    """Returns the object behind a handle, and the lane that alone may use it."""
    return handle._target, handle._lane


def _target_of(value: Any) -> Any:
    return value._target if isinstance(value, AsyncHandle) else value


async def _items(iterator: Iterator[T], lane: Lane) -> AsyncIterator[T]:
    size = 1
    while batch := await lane.run(partial(_next_items, iterator, size)):
        for item in batch:
            yield item
        size = min(2 * size, _BATCH)


def _next_items(iterator: Iterator[T], size: int) -> list[T]:
    return list(islice(iterator, size))

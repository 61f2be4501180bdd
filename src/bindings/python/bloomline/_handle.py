"""Common to all filters: a handle of the library, its lock, and calls for many keys."""

import threading
from contextlib import contextmanager
from ctypes import c_char
from functools import update_wrapper
from operator import index
from threading import get_ident
from types import FunctionType, TracebackType
from typing import (Any, Callable, Dict, Generic, Iterator, List, Optional, Sequence, Tuple, Type,
                    TypeVar)

from ._keys import Key, Keys, batches, key_bytes
from ._library import Functions, not_null

_Self = TypeVar("_Self", bound="Handle")

# Names in the packages pybloom_live and rbloom, for errors that have the names here.
_ELSEWHERE = {"add": "add_key", "update": "add_keys", "union": "merge", "intersection": "intersect"}


class _NameElsewhere:
    def __init__(self, name: str, ours: str) -> None:
        self._name, self._ours = name, ours

    def __get__(self, handle: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no {self._name}; its name is {self._ours}")


class Handle:
    """Owns one object of the library.

    The library's functions release the GIL, and most objects of the library must not be changed by
    two threads at once. So an object here has a lock: a call that changes it runs alone; queries of
    many keys run in parallel, in any number of threads.

    The garbage collector may call a finalizer in the middle of a call, and the interpreter a signal
    handler, and these may use the same object. So a thread never waits for itself, and cannot free
    what one of its own calls uses.
    """

    _c: Functions
    _pointer: Optional[int] = None  # None: closed
    _shown: Sequence[str] = ()  # the properties that repr() shows
    _remarks: Dict[str, str] = {}  # what repr() shows after one
    _public_names = ""  # of a private class, in errors: the classes of which it is the base

    def __init_subclass__(cls) -> None:
        if cls.__module__.partition(".")[0] != "bloomline":  # a user's
            return
        # Pickles and help() name the classes as users do, not by the file that they are in.
        cls.__module__ = cls.__module__.partition("._")[0]
        for name, ours in _ELSEWHERE.items():
            if hasattr(cls, ours):  # __getattr__ would make each query a sixth slower
                setattr(cls, name, _NameElsewhere(name, ours))

    def __init__(self, pointer: Optional[int]) -> None:
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)
        self._readers: Dict[object, int] = {}  # the thread of each reader
        self._num_uses = 0  # nested calls that have the lock
        self._num_waiting = 0  # calls that wait for readers to end; no further reader begins
        self._pointer = not_null(pointer)

    @classmethod
    def _from_pointer(cls: Type[_Self], pointer: Optional[int]) -> _Self:
        made = cls.__new__(cls)
        Handle.__init__(made, pointer)
        return made

    def close(self) -> None:
        """Frees the memory. Every other method then raises ValueError, but for close itself."""
        with self._alone():
            if self._pointer is not None:
                self._c.destroy(self._release())

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def __enter__(self: _Self) -> _Self:
        self._open()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if self._pointer is not None:  # only the caller has this object
            self._c.destroy(self._pointer)

    def __reduce__(self) -> Tuple[Any, ...]:
        # copy.copy would make a second owner of the pointer.
        raise TypeError(f"{type(self).__name__} has no copy.copy, copy.deepcopy or pickle")

    def __repr__(self) -> str:
        values = (["closed"] if self.closed else
                  [f"{name}={getattr(self, name)!r}{self._remarks.get(name, '')}"
                   for name in self._shown])
        return f"<{' '.join([type(self).__name__, *values])}>"

    def _open(self) -> int:
        """The pointer; the caller has the lock or is a reader."""
        if self._pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return self._pointer

    def _release(self) -> int:
        """Releases the pointer. No other thread may use the object."""
        pointer = self._open()
        if self._readers or self._num_uses > 1:
            raise RuntimeError(f"a {type(self).__name__} is closed inside its own call")
        self._pointer = None
        return pointer

    def _turn_into(self, kind: Any, function: Callable[[int], Optional[int]]) -> Any:
        """Moves the memory to an object of another kind, and closes this one. A function that fails
        changes nothing."""
        with self._alone():
            pointer = self._release()
            made = function(pointer)
            if not made:
                self._pointer = pointer
            return kind._from_pointer(made)

    def _wait_for_readers(self) -> None:
        me = get_ident()
        self._num_waiting += 1
        try:
            while any(reader != me for reader in self._readers.values()):
                self._idle.wait()
        finally:
            self._num_waiting -= 1
            self._idle.notify_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock:
            if self._readers:
                self._wait_for_readers()
            self._num_uses += 1
            try:
                yield
            finally:
                self._num_uses -= 1

    @contextmanager
    def _beside_others(self) -> Iterator[int]:
        me = get_ident()
        reader = object()
        try:
            with self._lock:
                while self._num_waiting and me not in self._readers.values():
                    self._idle.wait()
                pointer = self._open()
                self._readers[reader] = me
            yield pointer
        finally:  # even after a KeyboardInterrupt before the yield
            with self._lock:
                self._readers.pop(reader, None)
                if self._num_waiting:
                    self._idle.notify_all()

    def _call_with(self, other: "Handle", kind: Type["Handle"], function: Callable[..., Any],
                   *before: Any) -> Any:
        """function(*before, this pointer, the other one), with both locks, in an order that no two
        threads can reverse. To the library a pointer to an object of another kind would be
        garbage."""
        if not isinstance(other, kind):
            raise TypeError(f"the other one is {type(other).__name__}; allowed: "
                            f"{kind._public_names or kind.__name__}")
        first, second = (self, other) if id(self) < id(other) else (other, self)
        with first._alone(), second._alone():
            return function(*before, self._open(), other._open())

    # Single keys. A query needs the lock only against changes; it does not wait for readers.

    def _query(self, function: Callable[..., int], key: Key) -> int:
        data = key if type(key) is bytes else key_bytes(key)
        with self._lock:
            self._num_uses += 1
            try:
                return function(self._pointer or self._open(), data, len(data))
            finally:
                self._num_uses -= 1

    def _change(self, function: Callable[..., int], key: Key) -> int:
        data = key_bytes(key)
        with self._lock:
            if self._readers:
                self._wait_for_readers()
            return self._query(function, data)

    def _get(self, function: Callable[[int], Any]) -> Any:
        with self._lock:
            self._num_uses += 1
            try:
                return function(self._open())
            finally:
                self._num_uses -= 1

    # Many keys

    def _query_each(self, function: Callable[..., Any], keys: Keys, out: Any) -> Any:
        """The answers, a byte for each key: in `out`, or as a list of bool."""
        view = None if out is None else writable_bytes(out)
        answers: List[bool] = []
        start = 0
        for batch in batches(keys):
            end = start + batch.num_keys
            if view is not None and end > view.nbytes:
                raise ValueError(f"out has {view.nbytes} bytes; there are more keys")
            place: Any = bytearray(batch.num_keys) if view is None else view[start:end]
            start = end
            with self._beside_others() as pointer:
                function(pointer, batch.num_keys, batch.pointers, batch.lengths,
                         (c_char * batch.num_keys).from_buffer(place))
            if view is None:
                bools: Any = memoryview(place).cast("?").tolist()
                answers += bools
        if view is None:
            return answers
        if start != view.nbytes:
            raise ValueError(f"out has {view.nbytes} bytes; there are only {start} keys")
        return out

    def _change_each(self, function: Callable[..., int], keys: Keys, beside: bool = False) -> int:
        """`beside`: threads may change the object at the same time."""
        total = 0
        for batch in batches(keys):
            with self._beside_others() if beside else self._alone():
                total += function(self._open(), batch.num_keys, batch.pointers, batch.lengths,
                                  None)
        return total


_Value = TypeVar("_Value")


class Figure(Generic[_Value]):
    """A property that calls the function of this name of the object's type."""

    def __init__(self, kind: Callable[[Any], _Value], doc: Optional[str] = None) -> None:
        self._kind = kind
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, handle: Any, owner: type) -> _Value:
        figure: Any = self
        if handle is not None:
            figure = self._kind(handle._get(getattr(handle._c, self._name)))
        value: _Value = figure
        return value

    def __set__(self, handle: Handle, value: Any) -> None:
        raise AttributeError(f"{self._name} of {type(handle).__name__} cannot be set")


def name_methods(cls: Type[_Self]) -> Type[_Self]:
    """Copies methods of private bases to a public class, whose name errors and pickles then use."""
    found = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
    for name, value in found.items():
        method = getattr(value, "__func__", value)
        if isinstance(method, FunctionType) and (name[0] != "_" or name.startswith("__")):
            copy = FunctionType(method.__code__, method.__globals__, name, method.__defaults__,
                                method.__closure__)
            vars(update_wrapper(copy, method)).pop("__wrapped__")
            copy.__kwdefaults__ = method.__kwdefaults__
            copy.__module__, copy.__qualname__ = cls.__module__, f"{cls.__name__}.{name}"
            setattr(cls, name, copy if value is method else type(value)(copy))
    return cls


def writable_bytes(out: Any) -> memoryview:
    try:
        view = memoryview(out)
        if view.readonly or view.itemsize != 1:
            raise TypeError
        return view.cast("B") if view.nbytes else view
    except TypeError:
        raise TypeError("out must be a writable, contiguous buffer of one byte for each key, "
                        "as a bytearray or an array of bool") from None


def integer(name: str, value: int, bits: int) -> int:
    """A number for a C parameter, which would take the lower bits of what does not fit."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} is {type(value).__name__}; allowed: int") from None
    low, high = (0, 2**bits - 1) if bits == 64 else (-2**31, 2**31 - 1)
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}; allowed: {low} to {high}")
    return number


def real(name: str, value: float) -> float:
    try:
        if isinstance(value, (str, bytes)):  # float() would accept these
            raise TypeError
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is {type(value).__name__}; allowed: a number") from None


def choice(name: str, value: str, allowed: Sequence[str]) -> int:
    """The number of a named constant."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; allowed: " + ", ".join(map(repr, allowed)))
    return allowed.index(value)


def text_bytes(name: str, value: str) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}; allowed: str")
    encoded = value.encode()
    if b"\0" in encoded:
        raise ValueError(f"{name} has a null character")
    return encoded

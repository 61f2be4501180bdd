"""Common to the filters in memory."""

import os
import stat
from contextlib import contextmanager
from ctypes import CDLL, c_double, c_uint8, c_uint64, c_void_p
from typing import (Any, BinaryIO, Callable, Dict, Iterator, List, Tuple, Type, TypeVar, Union,
                    overload)

from ._handle import Figure, Handle, choice, integer, real, text_bytes
from ._keys import Key, Keys, Pinned
from ._library import Functions, checked, lib, not_null, taken_bytes

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
LAYOUTS = ("blocked", "standard", "blocked128", "blocked64")
FORMATS = ("classic", "blocked", "compact", "bloom", "ribbon")
_CHOICES = {"layout": LAYOUTS, "format": FORMATS, "when_unavailable": ("may_match", "error")}

_Other = TypeVar("_Other", bound="QueriedFilter")


def path_bytes(path: Path) -> bytes:
    if not isinstance(path, (str, bytes, os.PathLike)):  # an open file, or its descriptor
        raise TypeError(f"the path is {type(path).__name__}; allowed: str, bytes, os.PathLike")
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"the path {path!r} has a null byte")
    return name


def regular_file(path: Path) -> BinaryIO:
    """Raises the OSError that Python users expect, as FileNotFoundError, and the library's
    ValueError for a pipe or a device."""
    name = os.fsdecode(path_bytes(path))
    # Like the library: a pipe must not block before fstat has shown what the file is.
    file = open(name, "rb", opener=lambda name, flags: os.open(
        name, flags | os.O_NONBLOCK | os.O_NOCTTY))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{name}: is not a regular file")
    return file


def readable(path: Path) -> bytes:
    with regular_file(path):
        return path_bytes(path)


@contextmanager
def options(type_name: str, values: Dict[str, Any], library: CDLL = lib) -> Iterator[int]:
    """An object of options, for as long as the context lasts."""
    functions = Functions(type_name, library)
    pointer = not_null(functions.create())
    try:
        for name, value in values.items():
            setter = getattr(functions, f"set_{name}")
            kind = setter.argtypes[1]
            if name in _CHOICES:
                value = choice(name, value, _CHOICES[name])
            elif kind is c_double:
                value = real(name, value)
            elif kind is c_void_p:
                value = text_bytes(name, value)
            elif kind is c_uint8:
                value = bool(value)
            else:
                value = integer(name, value, 64 if kind is c_uint64 else 32)
            if setter(pointer, value) == 0:  # only what copies a text can fail
                raise MemoryError("out of memory")
        yield pointer
    finally:
        functions.destroy(pointer)


class QueriedFilter(Handle):
    """A filter that answers queries."""

    def _create(self, kind: str, values: Dict[str, Any]) -> None:
        with options(kind, values) as pointer:
            super().__init__(checked(self._c.create, pointer))

    def _made(self, kind: Type[_Other], function: Callable[..., int]) -> _Other:
        """A new object, which a function makes from this one."""
        with self._beside_others() as pointer:
            return kind._from_pointer(checked(function, pointer))

    def may_match(self, key: Key) -> bool:
        """False: the key was certainly not added. True: it was added, or is a false positive."""
        return self._query(self._c.may_match, key) != 0

    __contains__ = may_match

    @overload
    def may_match_keys(self, keys: Keys, out: None = None) -> List[bool]: ...

    @overload
    def may_match_keys(self, keys: Keys, out: Any) -> Any: ...

    def may_match_keys(self, keys: Keys, out: Any = None) -> Any:
        """The answers of may_match for many keys: a list, or `out`.

        `out` is a writable buffer with one byte for each key, as an array of bool in numpy; it is
        filled and returned.
        """
        return self._query_each(self._c.may_match_keys, keys, out)


class SizedFilter(QueriedFilter):
    """A filter in memory."""

    capacity = Figure(
        int, "The distinct keys up to which the filter keeps its false-positive rate.")


class BitFilter(SizedFilter):
    """A filter of bits."""

    num_bits = Figure(int, "The memory of the filter, in bits.")

    def estimated_num_keys(self) -> int:
        """The number of distinct keys, estimated from the bits. Reads all of them."""
        return int(self._get(self._c.estimated_num_keys))

    def estimated_false_positive_rate(self) -> float:
        """The rate with the keys that the filter has now. Reads all bits."""
        return float(self._get(self._c.estimated_false_positive_rate))


class ProbedFilter(SizedFilter):
    """A filter that is one block of memory."""

    num_probes = Figure(int, "The bits or counters that a key has, k.")
    seed = Figure(int)


class SavedFilter(SizedFilter):
    """A filter with a file format."""

    @classmethod
    def load(cls: Type["_Saved"], path: Path) -> "_Saved":
        """Reads a file that save wrote, in Python or in another language.

        Raises OSError if the file cannot be opened, and ValueError if it holds something else or
        is damaged.
        """
        return cls._from_pointer(checked(cls._c.load, readable(path)))

    @classmethod
    def from_bytes(cls: Type["_Saved"], data: Any) -> "_Saved":
        """The filter of the bytes that to_bytes gave, or of a saved file. They are copied."""
        pinned = Pinned(data)
        return cls._from_pointer(checked(cls._c.from_bytes, pinned.address, pinned.num_bytes))

    def add_key(self, key: Key) -> bool:
        """True: the key was certainly not in before. False: it was, or matched by chance."""
        return self._change(self._c.add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """Adds many keys, and returns how many were certainly not in before."""
        return self._change_each(self._c.add_keys, keys)

    def save(self, path: Path) -> None:
        """Writes the filter to a file, which is replaced as a whole or not at all (OSError)."""
        name = path_bytes(path)
        with self._beside_others() as pointer:
            checked(self._c.save, pointer, name)

    def to_bytes(self) -> bytes:
        """The bytes that save writes; also bytes(filter). Pickling and copying use them."""
        with self._beside_others() as pointer:
            return taken_bytes(self._c.to_bytes, pointer)

    __bytes__ = to_bytes

    def clear(self) -> None:
        """Removes all keys."""
        with self._alone():
            self._c.clear(self._open())

    num_keys = Figure(int, "The keys added, less those that matched already.")

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)


_Saved = TypeVar("_Saved", bound=SavedFilter)

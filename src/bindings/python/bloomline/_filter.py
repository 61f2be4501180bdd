"""What the filters in memory have in common."""

import os
from contextlib import contextmanager
from ctypes import c_double, c_int, c_uint64
from typing import (Any, Callable, Dict, Iterator, List, Optional, Tuple, Type, TypeVar, Union,
                    overload)

from ._handle import Handle, integer, real
from ._keys import Key, Keys, Pinned
from ._library import checked, lib, not_null, taken_bytes

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
LAYOUTS = ("blocked", "standard", "blocked128", "blocked64")
FORMATS = ("classic", "blocked", "compact")

_Self = TypeVar("_Self", bound="QueriedFilter")


def path_bytes(path: Path) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"the path {path!r} has a null byte")
    return name


def readable(path: Path) -> bytes:
    """Raises the OSError that Python users expect, as FileNotFoundError."""
    name = path_bytes(path)  # refuses a file descriptor, which open would close
    with open(name, "rb"):
        return name


@contextmanager
def options(kind: str, values: Dict[str, Any]) -> Iterator[int]:
    """An object of options, for as long as the context lasts."""
    pointer = not_null(getattr(lib, f"bloomline_{kind}options_create")())
    try:
        for name, value in values.items():
            setter = getattr(lib, f"bloomline_{kind}options_set_{name}")
            if setter.argtypes[1] is c_double:
                value = real(name, value)
            elif setter.argtypes[1] in (c_int, c_uint64):
                value = integer(name, value, 64 if setter.argtypes[1] is c_uint64 else 32)
            setter(pointer, value)
        yield pointer
    finally:
        getattr(lib, f"bloomline_{kind}options_destroy")(pointer)


class QueriedFilter(Handle):
    """A filter that answers queries."""

    _may_match: Callable[..., int]
    _may_match_keys: Callable[..., None]

    @classmethod
    def _from_pointer(cls: Type[_Self], pointer: Optional[int]) -> _Self:
        made = cls.__new__(cls)
        Handle.__init__(made, pointer)
        return made

    def may_match(self, key: Key) -> bool:
        """False: the key was certainly not added. True: it was added, or is a false positive."""
        return self._query(self._may_match, key) != 0

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
        return self._query_each(self._may_match_keys, keys, out)


class SavedFilter(QueriedFilter):
    """A filter with a file format."""

    _load: Callable[..., int]
    _from_bytes: Callable[..., int]
    _save: Callable[..., int]
    _to_bytes: Callable[..., int]
    _clear: Callable[[int], None]
    _num_keys: Callable[[int], int]

    @classmethod
    def load(cls: Type["_Saved"], path: Path) -> "_Saved":
        """Reads a file that save wrote, in Python or in another language.

        Raises OSError if the file cannot be opened, and ValueError if it holds something else or
        is damaged.
        """
        return cls._from_pointer(checked(cls._load, readable(path)))

    @classmethod
    def from_bytes(cls: Type["_Saved"], data: Any) -> "_Saved":
        """The filter of the bytes that to_bytes gave, or of a saved file. They are copied."""
        pinned = Pinned(data)
        return cls._from_pointer(checked(cls._from_bytes, pinned.address, pinned.num_bytes))

    def save(self, path: Path) -> None:
        """Writes the filter to a file, which is replaced as a whole or not at all (OSError)."""
        name = path_bytes(path)
        with self._beside_others() as pointer:
            checked(self._save, pointer, name)

    def to_bytes(self) -> bytes:
        """The bytes that save writes. Pickling and copying use them as well."""
        with self._beside_others() as pointer:
            return taken_bytes(self._to_bytes, pointer)

    def clear(self) -> None:
        """Removes all keys."""
        with self._alone():
            self._clear(self._open())

    @property
    def num_keys(self) -> int:
        """The keys added, less those that matched already."""
        return int(self._get(self._num_keys))

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)


_Saved = TypeVar("_Saved", bound=SavedFilter)

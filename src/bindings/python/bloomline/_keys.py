"""Keys, one and many, as the C functions take them."""

import ctypes
import sys
from array import array
from ctypes import c_char_p, c_void_p
from itertools import accumulate, islice
from operator import index
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, SupportsIndex, Tuple, Union

_String = Union[bytes, str, bytearray, memoryview]
_Part = Union[_String, SupportsIndex]  # int, and numpy's integers
Key = Union[_Part, Tuple[_Part, ...]]
# A list or any other iterable of keys, or an array (Any covers numpy's and array.array): each row
# or item is one key.
Keys = Union[Iterable[Key], Any]

# The most keys of one call, so that other threads do not wait long and temporary arrays stay small.
_BATCH = 65536
_COPIED = 1 << 24  # bytes of keys in one batch; longer keys are not copied
_INTEGERS = frozenset("hHiIlLqQnN")
_BYTES = frozenset("Bbc")
_WORD = "Q" if ctypes.sizeof(c_void_p) == 8 else "L"


def _string(part: Any) -> Optional[bytes]:
    """The bytes of a string; None if it is none."""
    if isinstance(part, str):
        return part.encode()
    if isinstance(part, (bytes, bytearray, memoryview)):
        return bytes(part)
    return None


def _integer(value: Any, what: str, also: str = "") -> bytes:
    """8 bytes, as KeyOf in C++. bool is an int in Python, but mostly a mistake as a key."""
    name = type(value).__name__
    try:
        if name in ("bool", "bool_"):  # Python's name, and numpy's
            raise TypeError
        number = index(value)
    except TypeError:
        raise TypeError(f"{what} is {name}; allowed: bytes, bytearray, memoryview, str (as UTF-8)"
                        f"{also} and int") from None
    if not -2**63 <= number < 2**64:
        # Python refuses to print thousands of digits.
        bits = number.bit_length()
        raise ValueError(f"{what} is {number if bits <= 128 else f'an integer of {bits} bits'}; "
                         "allowed: -2**63 to 2**64 - 1")
    return (number & 2**64 - 1).to_bytes(8, "little")


def _compound(parts: Tuple[Any, ...]) -> bytes:
    """Like EncodeKey in C++: the length of a string is before it."""
    if not parts:
        raise ValueError("a key is a tuple of no parts; allowed: one part and more")
    encoded = []
    for number, part in enumerate(parts, 1):
        data = _string(part)
        if data is None:
            encoded.append(_integer(part, f"part {number} of a key"))
        else:
            encoded += [len(data).to_bytes(8, "little"), data]
    return b"".join(encoded)


def key_bytes(key: Key) -> bytes:
    """The bytes of one key, as docs/format.md, section 11, fixes them for all languages."""
    if type(key) is bytes:
        return key
    data = _string(key)
    if data is not None:
        return data
    return _compound(key) if isinstance(key, tuple) else _integer(key, "a key", ", tuples")


class Batch(NamedTuple):
    num_keys: int
    pointers: Any
    lengths: Any
    owner: Any  # keeps the bytes of the keys alive


class _PyBuffer(ctypes.Structure):
    """Py_buffer of Python's stable C API."""
    _fields_ = [("buf", c_void_p), ("obj", c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int),
                ("ndim", ctypes.c_int), ("format", c_char_p), ("shape", c_void_p),
                ("strides", c_void_p), ("suboffsets", c_void_p), ("internal", c_void_p)]


class Pinned:
    """The address of an object's bytes, which stay where they are as long as this object lives."""

    def __init__(self, owner: Any) -> None:
        self._buffer: Optional[_PyBuffer] = None
        buffer = _PyBuffer()
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(owner), ctypes.byref(buffer), 0)
        self._buffer = buffer
        self.address: int = buffer.buf or 0
        self.num_bytes: int = buffer.len

    def __del__(self) -> None:
        if self._buffer is not None:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self._buffer))


def _from_list(keys: List[bytes]) -> Batch:
    lengths = array(_WORD, map(len, keys))
    if sum(lengths) > _COPIED:
        return Batch(len(keys), (c_char_p * len(keys))(*keys), lengths.buffer_info()[0],
                     (keys, lengths))
    # One copy of all keys takes 30 ns per key; a pointer to each one, as above, takes 270.
    copy = b"".join(keys)
    pinned = Pinned(copy)
    pointers = array(_WORD, accumulate(lengths, initial=pinned.address))  # the last is unused
    return Batch(len(keys), pointers.buffer_info()[0], lengths.buffer_info()[0],
                 (pinned, pointers, lengths))


def _item_kind(view: memoryview) -> str:
    """"integer", "row" or "text", or an error that says what to pass instead."""
    form = view.format.lstrip("@=<>!")
    if view.ndim == 1 and form in _INTEGERS:
        return "integer"
    if view.ndim == 2 and form in _BYTES:
        return "row"
    if view.ndim == 1 and form[-1:] == "s" and form[:-1].isdigit():
        return "text"
    if form[-1:] == "w":  # "u" of array, and text of numpy
        raise TypeError("the keys are an array of str; allowed: a list of str, as its method "
                        "tolist makes it, arrays of integers and of byte strings")
    raise TypeError(
        f"the keys are an array with format {view.format!r} and ndim {view.ndim}; allowed: one "
        "dimension of integers of 2 to 8 bytes or of byte strings, or two dimensions of bytes, "
        "where each row is a key. Otherwise pass a list of keys")


def _words(view: memoryview) -> "array[int]":
    """The integers of an array as the 8 bytes that each has as a key."""
    signed = view.format[-1].islower()
    code = {2: "h", 4: "i", 8: "q"}[view.itemsize]
    words = array(code if signed else code.upper())
    words.frombytes(view.tobytes())
    if view.format[0] in "<>!" and (view.format[0] == "<") != (sys.byteorder == "little"):
        words.byteswap()
    if view.itemsize < 8:
        words = array("q" if signed else "Q", words)
    if sys.byteorder == "big":
        words.byteswap()
    return words


def _rows(owner: Any, address: int, num_keys: int, size: int) -> Batch:
    """Keys of the same size, one after the other in memory."""
    pointers = (array(_WORD, range(address, address + num_keys * size, size)) if size
                else array(_WORD, [address]) * num_keys)
    lengths = array(_WORD, [size]) * num_keys
    return Batch(num_keys, pointers.buffer_info()[0], lengths.buffer_info()[0],
                 (owner, pointers, lengths))


def _from_array(view: memoryview) -> Iterator[Batch]:
    kind = _item_kind(view)
    num_keys = view.shape[0] if view.shape else 0
    size = view.nbytes // num_keys if num_keys else 0
    if num_keys == 0:
        return
    if kind == "text":
        # numpy pads byte strings with zeros, and strips them when an item is read.
        data = view.tobytes()
        for start in range(0, num_keys, _BATCH):
            end = min(start + _BATCH, num_keys)
            yield _from_list([data[i * size:(i + 1) * size].rstrip(b"\0")
                              for i in range(start, end)])
        return
    little = view.format[0] == "<" or (view.format[0] not in ">!" and sys.byteorder == "little")
    if kind == "integer" and not (size == 8 and little):
        for start in range(0, num_keys, _BATCH):
            words = _words(view[start:start + _BATCH])
            yield _rows(words, words.buffer_info()[0], len(words), 8)
        return
    pinned = Pinned(view if view.c_contiguous else view.tobytes())
    for start in range(0, num_keys, _BATCH):
        yield _rows(pinned, pinned.address + start * size, min(_BATCH, num_keys - start), size)


def _from_iterable(keys: Iterable[Key]) -> Iterator[Batch]:
    """Each key is read at once: an iterator may use the same bytearray for the next. If it raises,
    or gives what is no key, the keys before are used first, as set.update does."""
    iterator = iter(keys)
    while True:
        chunk: List[bytes] = []
        room = _COPIED
        try:
            for key in islice(iterator, _BATCH):
                data = key if type(key) is bytes else key_bytes(key)
                chunk.append(data)
                room -= len(data)
                if room < 0:
                    break
        except BaseException:
            if chunk:
                yield _from_list(chunk)
            raise
        if not chunk:
            return
        yield _from_list(chunk)


def _from_keys(keys: Iterable[Key]) -> Iterator[Batch]:
    if type(keys) is not list:
        yield from _from_iterable(keys)
        return
    for start in range(0, len(keys), _BATCH):
        part = keys[start:start + _BATCH]
        if set(map(type, part)) == {bytes}:  # 30 ns less per key than one by one
            yield _from_list(part)
        else:
            yield from _from_iterable(part)


def batches(keys: Keys) -> Iterator[Batch]:
    """The keys in batches. An iterator is read as it is needed."""
    if isinstance(keys, (str, bytes, bytearray)):
        raise TypeError(f"the keys are one {type(keys).__name__}; pass a list of keys")
    try:
        array_of_keys: Any = keys
        view = memoryview(array_of_keys)
    except TypeError:
        yield from _from_keys(keys)
    else:
        yield from _from_array(view)

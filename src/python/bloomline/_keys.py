"""Keys, one and many, as the C functions take them."""

import ctypes
from array import array
from ctypes import c_char_p, c_void_p
from itertools import accumulate, islice
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Union

Key = Union[bytes, str, bytearray, memoryview]
# A list or any other iterable of keys, or an array (Any: numpy's, array.array): each row or item
# is one key.
Keys = Union[Iterable[Key], Any]

# Keys of one call. Other threads wait no longer than for these, and temporary arrays stay small.
_BATCH = 65536
_COPIED = 1 << 24  # bytes of keys in one batch; longer ones stay where they are
_INTEGERS = frozenset("hHiIlLqQnN")
_BYTES = frozenset("Bbc")
_WORD = "Q" if ctypes.sizeof(c_void_p) == 8 else "L"


def key_bytes(key: Key) -> bytes:
    if type(key) is bytes:
        return key
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, (bytes, bytearray, memoryview)):
        return bytes(key)
    raise TypeError(f"a key is {type(key).__name__}; allowed: bytes, bytearray, memoryview, and "
                    "str, which is encoded as UTF-8 (numbers: int.to_bytes)")


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
    pointers = array(_WORD, accumulate(lengths, initial=pinned.address))  # and one too many
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
    raise TypeError(
        f"the keys are an array of {view.ndim} dimensions and format {view.format!r}; allowed: one "
        "dimension of integers of 2 to 8 bytes or of byte strings, or two dimensions of bytes, "
        "where each row is a key. Otherwise pass a list of keys")


def _from_array(view: memoryview) -> Iterator[Batch]:
    kind = _item_kind(view)
    num_keys = view.shape[0] if view.shape else 0
    size = view.nbytes // num_keys if num_keys else 0
    if kind == "text":
        # numpy pads byte strings with zeros, and strips them when an item is read.
        data = view.tobytes()
        for start in range(0, num_keys, _BATCH):
            end = min(start + _BATCH, num_keys)
            yield _from_list([data[i * size:(i + 1) * size].rstrip(b"\0")
                              for i in range(start, end)])
        return
    if num_keys == 0:
        return
    pinned = Pinned(view if view.c_contiguous else view.tobytes())
    for start in range(0, num_keys, _BATCH):
        count = min(_BATCH, num_keys - start)
        first = pinned.address + start * size
        pointers = (array(_WORD, range(first, first + count * size, size)) if size
                    else array(_WORD, [first]) * count)
        lengths = array(_WORD, [size]) * count
        yield Batch(count, pointers.buffer_info()[0], lengths.buffer_info()[0],
                    (pinned, pointers, lengths))


def batches(keys: Keys) -> Iterator[Batch]:
    """The keys in batches. An iterator is read as it is needed."""
    if isinstance(keys, (str, bytes, bytearray)):
        raise TypeError(f"the keys are one {type(keys).__name__}; pass a list of keys")
    try:
        array_of_keys: Any = keys
        view = memoryview(array_of_keys)
    except TypeError:
        iterator = iter(keys)
        while chunk := [key if type(key) is bytes else key_bytes(key)
                        for key in islice(iterator, _BATCH)]:
            yield _from_list(chunk)
    else:
        yield from _from_array(view)

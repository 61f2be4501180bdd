"""Static filters: built once, smallest, and the same bytes in every language."""

import mmap
import os
from typing import Any, Optional

from . import sizing
from ._filter import Path, QueriedFilter, options, regular_file
from ._handle import Figure, Handle, integer
from ._keys import Key, Keys, Pinned, batches, key_bytes
from ._library import Functions, checked, taken_bytes

# How the sentence begins that refuses a filter of the former layout, which matches every key.
_FORMER_COMPACT = "a compact filter of bloomline before 0.4.0"


class FilterBuilder(Handle):
    """Collects keys and writes them as a static filter.

        builder = FilterBuilder("ribbon", false_positive_rate=0.01)
        builder.add_keys(keys)
        filter = FilterView(builder.finish())

    `format`: "blocked" (fastest) or "ribbon" (7 instead of 9.9 bits per key at 1 %).
    `bits_per_key` is memory, even in "ribbon". Default: 10. "ribbon" filters of fewer than 5,000
    keys have a higher rate than `false_positive_rate`. With `random_seed`, each filter draws its
    own seed.
    """

    _c = Functions("builder")
    _shown = ("num_keys",)

    def __init__(self, format: str = "blocked", bits_per_key: Optional[float] = None, *,
                 false_positive_rate: Optional[float] = None, seed: int = 0,
                 random_seed: bool = False) -> None:
        if bits_per_key is not None and false_positive_rate is not None:
            raise ValueError("bits_per_key and false_positive_rate are both given; allowed: one")
        if false_positive_rate is not None:
            bits_per_key = sizing.bits_per_key_for_false_positive_rate(format, false_positive_rate)
        with options("filteroptions", dict(
                format=format, bits_per_key=10.0 if bits_per_key is None else bits_per_key,
                seed=seed, random_seed=random_seed)) as pointer:
            super().__init__(checked(self._c.create, pointer))

    def add_key(self, key: Key) -> None:
        self._change(self._c.add_key, key)

    def add_keys(self, keys: Keys) -> None:
        for batch in batches(keys):
            with self._alone():
                self._c.add_keys(self._open(), batch.num_keys, batch.pointers, batch.lengths)

    def add_key_and_prefix(self, key: Key, prefix: Key) -> None:
        """Adds a key and its prefix, so that queries of the prefix match."""
        data, start = key_bytes(key), key_bytes(prefix)
        with self._alone():
            self._c.add_key_and_prefix(self._open(), data, len(data), start, len(start))

    def take_keys_from(self, other: "FilterBuilder") -> None:
        """Moves all keys of another builder here, so that each thread can have a builder."""
        if not self._call_with(other, FilterBuilder, self._c.take_keys_from):
            raise ValueError("the builders have different formats or seeds (a random seed is "
                             "always another)")

    num_keys = Figure(int, "The keys added; a key that follows its equal is not counted.")

    def finish(self, num_threads: int = 1) -> bytes:
        """The filter of all keys added. The builder is then empty and can be used again."""
        threads = integer("num_threads", num_threads, 32)
        if threads < 1:
            raise ValueError(f"num_threads is {threads}; allowed: 1 or more")
        with self._alone():
            return taken_bytes(self._c.finish, self._open(), threads)


def build_filter(keys: Keys, format: str = "blocked", bits_per_key: Optional[float] = None, *,
                 false_positive_rate: Optional[float] = None, seed: int = 0,
                 random_seed: bool = False, num_threads: int = 1) -> bytes:
    """The static filter of these keys; FilterView queries it."""
    with FilterBuilder(format, bits_per_key, false_positive_rate=false_positive_rate, seed=seed,
                       random_seed=random_seed) as builder:
        builder.add_keys(keys)
        return builder.finish(num_threads)


class FilterView(QueriedFilter):
    """Queries the bytes of a static filter, which are not copied: bytes, an mmap, an array.

    Bytes that it does not understand match every key: always_matches. Those of a compact filter,
    which bloomline wrote before 0.4.0, raise ValueError: build the filter again.
    """

    _c = Functions("view")
    _shown = ("always_matches",)

    def __init__(self, data: Any) -> None:
        self._data: Optional[Pinned] = Pinned(data)
        try:
            checked(self._c.validate, self._data.address, self._data.num_bytes)
        except ValueError as error:
            if str(error).startswith(_FORMER_COMPACT):
                raise
        super().__init__(self._c.open(self._data.address, self._data.num_bytes))

    @classmethod
    def open_mapped(cls, path: Path) -> "FilterView":
        """A filter in a file: pages are read when a query needs them."""
        with regular_file(path) as file:
            if os.fstat(file.fileno()).st_size == 0:
                return cls(b"")  # an empty file cannot be mapped
            return cls(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))

    def close(self) -> None:
        """Lets go of the bytes. Every other method then raises ValueError."""
        super().close()
        self._data = None

    always_matches = Figure(bool, "The bytes are no filter, or one that matches every key.")
    num_probes = Figure(int, "The bits that a key sets; 0 in a Ribbon filter.")

"""Bloom filters and smaller ones for Python: bloomline's shared library, called by ctypes.

    import bloomline

    seen = bloomline.BloomFilter(capacity=1_000_000, false_positive_rate=0.01)
    seen.add_keys(["apple", b"banana"])
    "apple" in seen                      # True
    "pear" in seen                       # False: certainly never added
    seen.save("fruit.bloom")

A key is bytes (bytearray, memoryview), str, which is encoded as UTF-8, int, or a tuple of these.
"apple" and b"apple" are the same key. Methods for many keys take lists, other iterables and arrays.

Errors: ValueError with the library's message, which names the value and what is allowed;
TypeError; OSError if the system refuses a call; MemoryError.

Threads: any method of any object may be called in any thread. While the library works, the GIL is
released. A call that changes an object runs alone; queries of many keys run in parallel.
AtomicBloomFilter takes keys from many threads at the same time.

Filters have the same bytes in every language: a file saved here can be read in C++, and vice versa.
docs/python.md is the guide.
"""

from . import sizing
from ._filters import (AtomicBloomFilter, BloomFilter, CountingBloomFilter, MappedBloomFilter,
                       ScalableBloomFilter)
from ._handle import name_methods as _name_methods
from ._library import checked as _checked
from ._library import lib as _lib
from ._library import version as library_version
from ._static import FilterBuilder, FilterView, build_filter
from ._version import __version__


def draw_seed() -> int:
    """A seed that outsiders cannot know, from the system's generator."""
    return int(_checked(_lib.bloomline_draw_seed))


def active_kernel() -> str:
    """The name of the SIMD implementation in use, as "avx2"."""
    name: bytes = _lib.bloomline_active_kernel_name()
    return name.decode()


__all__ = [
    "AtomicBloomFilter", "BloomFilter", "CountingBloomFilter", "FilterBuilder", "FilterView",
    "MappedBloomFilter", "ScalableBloomFilter", "__version__",
    "active_kernel", "build_filter", "draw_seed", "library_version", "sizing",
]
for _public in __all__:
    if isinstance(globals()[_public], type):
        _name_methods(globals()[_public])

"""Bloom filters in memory, mapped, shared by threads, and growing."""

from ._filter import LAYOUTS, Path, QueriedFilter, SavedFilter, options, readable
from ._handle import choice
from ._keys import Key, Keys
from ._library import checked, lib


class BloomFilterBase(QueriedFilter):
    """What filters with the handle of a Bloom filter can say of themselves."""

    _destroy = lib.bloomline_bloom_destroy
    _may_match = lib.bloomline_bloom_may_match
    _may_match_keys = lib.bloomline_bloom_may_match_keys
    _shown = ("num_keys", "capacity", "layout", "num_bits")

    def copy(self) -> "BloomFilter":
        """A copy in memory."""
        with self._beside_others() as pointer:
            return BloomFilter._from_pointer(checked(lib.bloomline_bloom_copy, pointer))

    @property
    def layout(self) -> str:
        """"blocked", "standard", "blocked128" or "blocked64"."""
        return LAYOUTS[self._get(lib.bloomline_bloom_layout)]

    @property
    def num_bits(self) -> int:
        """The memory of the filter, in bits."""
        return int(self._get(lib.bloomline_bloom_num_bits))

    @property
    def num_probes(self) -> int:
        """The bits that a key sets, k."""
        return int(self._get(lib.bloomline_bloom_num_probes))

    @property
    def seed(self) -> int:
        return int(self._get(lib.bloomline_bloom_seed))

    @property
    def capacity(self) -> int:
        """The distinct keys up to which the filter keeps its false-positive rate."""
        return int(self._get(lib.bloomline_bloom_capacity))

    @property
    def num_keys(self) -> int:
        """The keys added, less those that matched already."""
        return int(self._get(lib.bloomline_bloom_num_keys))

    @property
    def is_past_capacity(self) -> bool:
        """More keys were added than the capacity."""
        return bool(self._get(lib.bloomline_bloom_is_past_capacity))

    def estimated_num_keys(self) -> int:
        """The number of distinct keys, estimated from the bits. Reads all of them."""
        return int(self._get(lib.bloomline_bloom_estimated_num_keys))

    def estimated_false_positive_rate(self) -> float:
        """The rate with the keys that the filter has now. Reads all bits."""
        return float(self._get(lib.bloomline_bloom_estimated_false_positive_rate))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        with self._alone_with(other, BloomFilterBase):
            return bool(lib.bloomline_bloom_equal(self._open(), other._open()))

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __or__(self, other: "BloomFilterBase") -> "BloomFilter":
        """A new filter with the keys of both."""
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        made = self.copy()
        made.merge(other)
        return made

    def __and__(self, other: "BloomFilterBase") -> "BloomFilter":
        """A new filter with the keys that are in both, and some that are in one."""
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        made = self.copy()
        made.intersect(other)
        return made


class BloomFilter(BloomFilterBase, SavedFilter):
    """A Bloom filter for a known number of keys.

        seen = BloomFilter(capacity=1_000_000, false_positive_rate=0.01)
        seen.add_key("apple")
        if "pear" not in seen: ...  # certainly never added

    Memory: 9.9 bits per key at 1 %. `num_bits` with `num_probes` sets the size directly. `seed`:
    draw_seed() gives one that outsiders do not know, so that they cannot choose keys that collide.
    Raises ValueError if a value is not allowed, and says what is.
    """

    _load = lib.bloomline_bloom_load
    _from_bytes = lib.bloomline_bloom_from_bytes
    _save = lib.bloomline_bloom_save
    _to_bytes = lib.bloomline_bloom_to_bytes
    _clear = lib.bloomline_bloom_clear
    _num_keys = lib.bloomline_bloom_num_keys

    def __init__(self, capacity: int = 0, false_positive_rate: float = 0.01, *, num_bits: int = 0,
                 num_probes: int = 0, layout: str = "blocked", seed: int = 0) -> None:
        with options("bloom", dict(capacity=capacity, false_positive_rate=false_positive_rate,
                                   num_bits=num_bits, num_probes=num_probes,
                                   layout=choice("layout", layout, LAYOUTS), seed=seed)) as values:
            super().__init__(checked(lib.bloomline_bloom_create, values))

    def add_key(self, key: Key) -> bool:
        """True: the key was certainly not in before. False: it was, or matched by chance."""
        return self._change(lib.bloomline_bloom_add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """Adds many keys, and returns how many were certainly not in before."""
        return self._change_each(lib.bloomline_bloom_add_keys, keys)

    def merge(self, other: BloomFilterBase) -> None:
        """Adds all keys of a filter of the same size, layout and seed (else: ValueError). Also as
        `|=`."""
        with self._alone_with(other, BloomFilterBase):
            checked(lib.bloomline_bloom_merge, self._open(), other._open())

    def intersect(self, other: BloomFilterBase) -> None:
        """Keeps the keys that are in both filters, and some that are in one. Also as `&=`."""
        with self._alone_with(other, BloomFilterBase):
            checked(lib.bloomline_bloom_intersect, self._open(), other._open())

    def __ior__(self, other: BloomFilterBase) -> "BloomFilter":
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        self.merge(other)
        return self

    def __iand__(self, other: BloomFilterBase) -> "BloomFilter":
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        self.intersect(other)
        return self


class MappedBloomFilter(BloomFilterBase):
    """A saved BloomFilter in place: pages are read from the file when a query needs them."""

    def __init__(self, path: Path, *, verify: bool = False) -> None:
        """With `verify`, the checksum of the bits is checked, which reads the whole file."""
        super().__init__(checked(lib.bloomline_bloom_open_mapped, readable(path), verify))


class AtomicBloomFilter(QueriedFilter):
    """A Bloom filter that threads add keys to at the same time.

    With BloomFilter, threads that call add_keys wait for each other. Here they do not.
    """

    _destroy = lib.bloomline_atomic_destroy
    _may_match = lib.bloomline_atomic_may_match
    _may_match_keys = lib.bloomline_atomic_may_match_keys
    _shown = ("capacity", "layout", "num_bits")

    def __init__(self, capacity: int = 0, false_positive_rate: float = 0.01, *, num_bits: int = 0,
                 num_probes: int = 0, layout: str = "blocked", seed: int = 0) -> None:
        with options("bloom", dict(capacity=capacity, false_positive_rate=false_positive_rate,
                                   num_bits=num_bits, num_probes=num_probes,
                                   layout=choice("layout", layout, LAYOUTS), seed=seed)) as values:
            super().__init__(checked(lib.bloomline_atomic_create, values))

    @classmethod
    def from_bloom_filter(cls, bloom: BloomFilter) -> "AtomicBloomFilter":
        """Takes the keys and the memory of a BloomFilter, which is then closed."""
        if not isinstance(bloom, BloomFilter):
            raise TypeError(f"the filter is {type(bloom).__name__}; allowed: BloomFilter")
        made: "AtomicBloomFilter" = bloom._turn_into(cls, lib.bloomline_atomic_from_bloom)
        return made

    def to_bloom_filter(self) -> BloomFilter:
        """Gives the keys and the memory to a BloomFilter; this one is then closed."""
        made: BloomFilter = self._turn_into(BloomFilter, lib.bloomline_atomic_to_bloom)
        return made

    def snapshot(self) -> BloomFilter:
        """A copy, for example to save it while other threads go on."""
        with self._beside_others() as pointer:
            return BloomFilter._from_pointer(checked(lib.bloomline_atomic_snapshot, pointer))

    def add_key(self, key: Key) -> bool:
        """As BloomFilter.add_key."""
        return self._query(lib.bloomline_atomic_add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """As BloomFilter.add_keys, beside other threads that do the same."""
        return self._change_each_beside_others(lib.bloomline_atomic_add_keys, keys)

    @property
    def layout(self) -> str:
        return LAYOUTS[self._get(lib.bloomline_atomic_layout)]

    @property
    def num_bits(self) -> int:
        return int(self._get(lib.bloomline_atomic_num_bits))

    @property
    def num_probes(self) -> int:
        return int(self._get(lib.bloomline_atomic_num_probes))

    @property
    def seed(self) -> int:
        return int(self._get(lib.bloomline_atomic_seed))

    @property
    def capacity(self) -> int:
        return int(self._get(lib.bloomline_atomic_capacity))

    def estimated_num_keys(self) -> int:
        return int(self._get(lib.bloomline_atomic_estimated_num_keys))

    def estimated_false_positive_rate(self) -> float:
        return float(self._get(lib.bloomline_atomic_estimated_false_positive_rate))


class ScalableBloomFilter(SavedFilter):
    """A Bloom filter for an unknown number of keys, which grows.

    If the number is known within a factor of two, BloomFilter is smaller and faster.
    """

    _destroy = lib.bloomline_scalable_destroy
    _may_match = lib.bloomline_scalable_may_match
    _may_match_keys = lib.bloomline_scalable_may_match_keys
    _load = lib.bloomline_scalable_load
    _from_bytes = lib.bloomline_scalable_from_bytes
    _save = lib.bloomline_scalable_save
    _to_bytes = lib.bloomline_scalable_to_bytes
    _clear = lib.bloomline_scalable_clear
    _num_keys = lib.bloomline_scalable_num_keys
    _shown = ("num_keys", "capacity", "num_bits")

    def __init__(self, initial_capacity: int = 1000, false_positive_rate: float = 0.01, *,
                 growth: int = 2, tightening: float = 0.5, layout: str = "blocked",
                 seed: int = 0) -> None:
        """`false_positive_rate` bounds the rate of the whole filter, however large it grows."""
        with options("scalable", dict(initial_capacity=initial_capacity,
                                      false_positive_rate=false_positive_rate, growth=growth,
                                      tightening=tightening,
                                      layout=choice("layout", layout, LAYOUTS),
                                      seed=seed)) as values:
            super().__init__(checked(lib.bloomline_scalable_create, values))

    def add_key(self, key: Key) -> bool:
        """True: the key was added, and was certainly not in before."""
        return self._change(lib.bloomline_scalable_add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """Adds many keys, and returns how many were certainly not in before."""
        return self._change_each(lib.bloomline_scalable_add_keys, keys)

    @property
    def num_stages(self) -> int:
        """The Bloom filters of which it consists now."""
        return int(self._get(lib.bloomline_scalable_num_stages))

    @property
    def num_bits(self) -> int:
        return int(self._get(lib.bloomline_scalable_num_bits))

    @property
    def capacity(self) -> int:
        """The keys that fit before it grows again."""
        return int(self._get(lib.bloomline_scalable_capacity))

    @property
    def is_past_capacity(self) -> bool:
        """It has stopped growing, and no longer keeps the false-positive rate."""
        return bool(self._get(lib.bloomline_scalable_is_past_capacity))

    def estimated_num_keys(self) -> int:
        return int(self._get(lib.bloomline_scalable_estimated_num_keys))

    def estimated_false_positive_rate(self) -> float:
        return float(self._get(lib.bloomline_scalable_estimated_false_positive_rate))

"""The filters in memory: mapped, shared by threads, growing, and with keys that can be removed."""

from ._filter import LAYOUTS, BitFilter, Path, ProbedFilter, SavedFilter, readable
from ._handle import Figure, Handle
from ._keys import Key, Keys
from ._library import Functions, checked


class _LaidOutFilter(BitFilter, ProbedFilter):
    """A filter that BloomFilter's options describe."""

    def __init__(self, capacity: int = 0, false_positive_rate: float = 0.01, *, num_bits: int = 0,
                 num_probes: int = 0, layout: str = "blocked", seed: int = 0) -> None:
        self._create("bloomoptions", dict(
            capacity=capacity, false_positive_rate=false_positive_rate, num_bits=num_bits,
            num_probes=num_probes, layout=layout, seed=seed))

    @property
    def layout(self) -> str:
        """"blocked", "standard", "blocked128" or "blocked64"."""
        return LAYOUTS[self._get(self._c.layout)]


class BloomFilterBase(_LaidOutFilter):
    """Properties of filters with the handle of a Bloom filter."""

    _public_names = "BloomFilter, MappedBloomFilter"
    _c = Functions("bloom")
    _shown = ("num_keys", "capacity", "layout", "num_bits")
    _remarks = {"num_keys": " (certainly new)"}

    def copy(self) -> "BloomFilter":
        """A copy in memory."""
        return self._made(BloomFilter, self._c.copy)

    num_keys = Figure(int, "The keys added, less those that matched already.")
    is_past_capacity = Figure(bool, "More keys were added than the capacity.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BloomFilterBase):
            return NotImplemented
        return bool(self._call_with(other, BloomFilterBase, self._c.equal))

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __or__(self, other: "BloomFilterBase") -> "BloomFilter":
        """A new filter with the keys of both."""
        return self.copy().__ior__(other)

    def __and__(self, other: "BloomFilterBase") -> "BloomFilter":
        """A new filter with the keys that are in both, and some that are in one."""
        return self.copy().__iand__(other)


class BloomFilter(SavedFilter, BloomFilterBase):
    """A Bloom filter for a known number of keys.

        seen = BloomFilter(capacity=1_000_000, false_positive_rate=0.01)
        seen.add_key("apple")
        if "pear" not in seen: ...  # certainly never added

    Memory: 9.9 bits per key at 1 %. `num_bits` with `num_probes` sets the size directly. `seed`:
    draw_seed() gives one that outsiders do not know, so that they cannot choose keys that collide.
    Raises ValueError if a value is not allowed, and says what is.
    """

    def merge(self, other: BloomFilterBase) -> None:
        """Adds all keys of a filter of the same size, layout and seed (else: ValueError). Also as
        `|=`."""
        self._call_with(other, BloomFilterBase, checked, self._c.merge)

    def intersect(self, other: BloomFilterBase) -> None:
        """Keeps the keys that are in both filters, and some that are in one. Also as `&=`."""
        self._call_with(other, BloomFilterBase, checked, self._c.intersect)

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
        Handle.__init__(self, checked(self._c.open_mapped, readable(path), verify))


class AtomicBloomFilter(_LaidOutFilter):
    """A Bloom filter to which threads can add keys at the same time.

    With BloomFilter, threads that call add_keys wait for each other. Here they do not.
    """

    _c = Functions("atomic")
    _shown = ("capacity", "layout", "num_bits")

    @classmethod
    def from_bloom_filter(cls, bloom: BloomFilter) -> "AtomicBloomFilter":
        """Takes the keys and the memory of a BloomFilter, which is then closed."""
        if not isinstance(bloom, BloomFilter):
            raise TypeError(f"the filter is {type(bloom).__name__}; allowed: BloomFilter")
        made: "AtomicBloomFilter" = bloom._turn_into(cls, cls._c.from_bloom)
        return made

    def to_bloom_filter(self) -> BloomFilter:
        """Gives the keys and the memory to a BloomFilter; this one is then closed."""
        made: BloomFilter = self._turn_into(BloomFilter, self._c.to_bloom)
        return made

    def snapshot(self) -> BloomFilter:
        """A copy, for example to save it while other threads go on."""
        return self._made(BloomFilter, self._c.snapshot)

    def add_key(self, key: Key) -> bool:
        """See BloomFilter.add_key."""
        return self._query(self._c.add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """See BloomFilter.add_keys. Other threads may add keys at the same time."""
        return self._change_each(self._c.add_keys, keys, beside=True)


class ScalableBloomFilter(SavedFilter, BitFilter):
    """A Bloom filter for an unknown number of keys, which grows.

    If the number is known within a factor of two, BloomFilter is smaller and faster. `capacity`:
    the keys that fit before it grows again.
    """

    _c = Functions("scalable")
    _shown = ("num_keys", "capacity", "num_bits")
    _remarks = {"num_keys": " (certainly new)"}

    def __init__(self, initial_capacity: int = 1000, false_positive_rate: float = 0.01, *,
                 growth: int = 2, tightening: float = 0.8, layout: str = "blocked",
                 seed: int = 0) -> None:
        """`false_positive_rate` bounds the rate of the whole filter, however large it grows."""
        self._create("scalableoptions", dict(
            initial_capacity=initial_capacity, false_positive_rate=false_positive_rate,
            growth=growth, tightening=tightening, layout=layout, seed=seed))

    num_stages = Figure(int, "The Bloom filters of which it consists now.")
    is_past_capacity = Figure(
        bool, "It has stopped growing, and no longer keeps the false-positive rate.")


class CountingBloomFilter(SavedFilter, ProbedFilter):
    """A Bloom filter with counters in the place of bits, so that keys can be removed.

    Remove only what was added: a key that was never added may match by chance, and removing it
    takes counts away from keys that are in. A key may be in several times.
    """

    _c = Functions("counting")
    _shown = ("num_keys", "capacity", "num_counters")

    def __init__(self, capacity: int = 0, false_positive_rate: float = 0.01, *,
                 num_counters: int = 0, num_probes: int = 0, counter_bits: int = 4,
                 seed: int = 0) -> None:
        """`capacity`: distinct keys in the filter at the same time. `counter_bits`: 4 or 8."""
        self._create("countingoptions", dict(
            capacity=capacity, false_positive_rate=false_positive_rate, num_counters=num_counters,
            num_probes=num_probes, counter_bits=counter_bits, seed=seed))

    def remove_key(self, key: Key) -> bool:
        """False: the key is certainly not in, and nothing changed."""
        return self._change(self._c.remove_key, key) != 0

    def remove_keys(self, keys: Keys) -> int:
        """Removes many keys, and returns how many matched."""
        return self._change_each(self._c.remove_keys, keys)

    def estimated_count(self, key: Key) -> int:
        """How often the key is in; it may be more, and is never less, up to max_count."""
        return self._query(self._c.estimated_count, key)

    def merge(self, other: "CountingBloomFilter") -> None:
        """Adds all counts of a filter of the same size, probes and seed (else: ValueError)."""
        self._call_with(other, CountingBloomFilter, checked, self._c.merge)

    def to_bloom_filter(self) -> BloomFilter:
        """A BloomFilter with the same answers, in a quarter or an eighth of the memory."""
        return self._made(BloomFilter, self._c.create_bloom)

    num_keys = Figure(int, "The additions, less the removals of keys that matched.")
    num_counters = Figure(int)
    counter_bits = Figure(int)
    max_count = Figure(
        int, "Where counters stop. A key whose counters have all stopped can no longer be removed.")
    num_saturated_counters = Figure(int)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountingBloomFilter):
            return NotImplemented
        return bool(self._call_with(other, CountingBloomFilter, self._c.equal))

    __hash__ = None  # type: ignore[assignment]  # it changes

"""Counting filters: keys can be removed."""

from ._bloom import BloomFilter
from ._filter import SavedFilter, options
from ._keys import Key, Keys
from ._library import checked, lib


class CountingBloomFilter(SavedFilter):
    """A Bloom filter with counters in the place of bits, so that keys can be removed.

    Remove only what was added: a key that was never added may match by chance, and removing it
    takes counts away from keys that are in.
    """

    _destroy = lib.bloomline_counting_destroy
    _may_match = lib.bloomline_counting_may_match
    _may_match_keys = lib.bloomline_counting_may_match_keys
    _load = lib.bloomline_counting_load
    _from_bytes = lib.bloomline_counting_from_bytes
    _save = lib.bloomline_counting_save
    _to_bytes = lib.bloomline_counting_to_bytes
    _clear = lib.bloomline_counting_clear
    _num_keys = lib.bloomline_counting_num_keys
    _shown = ("num_keys", "capacity", "num_counters")

    def __init__(self, capacity: int = 0, false_positive_rate: float = 0.01, *,
                 num_counters: int = 0, num_probes: int = 0, counter_bits: int = 4,
                 seed: int = 0) -> None:
        """`capacity`: distinct keys in the filter at the same time. `counter_bits`: 4 or 8."""
        with options("counting", dict(capacity=capacity, false_positive_rate=false_positive_rate,
                                      num_counters=num_counters, num_probes=num_probes,
                                      counter_bits=counter_bits, seed=seed)) as values:
            super().__init__(checked(lib.bloomline_counting_create, values))

    def add_key(self, key: Key) -> bool:
        """True: the key was certainly not in before. A key may be in several times."""
        return self._change(lib.bloomline_counting_add_key, key) != 0

    def add_keys(self, keys: Keys) -> int:
        """Adds many keys, and returns how many were certainly not in before."""
        return self._change_each(lib.bloomline_counting_add_keys, keys)

    def remove_key(self, key: Key) -> bool:
        """False: the key is certainly not in, and nothing changed."""
        return self._change(lib.bloomline_counting_remove_key, key) != 0

    def remove_keys(self, keys: Keys) -> int:
        """Removes many keys, and returns how many matched."""
        return self._change_each(lib.bloomline_counting_remove_keys, keys)

    def estimated_count(self, key: Key) -> int:
        """How often the key is in; it may be more, and is never less, up to max_count."""
        return self._query(lib.bloomline_counting_estimated_count, key)

    def merge(self, other: "CountingBloomFilter") -> None:
        """Adds all counts of a filter of the same size, probes and seed (else: ValueError)."""
        with self._alone_with(other, CountingBloomFilter):
            checked(lib.bloomline_counting_merge, self._open(), other._open())

    def to_bloom_filter(self) -> BloomFilter:
        """A BloomFilter with the same answers, in a quarter or an eighth of the memory."""
        with self._beside_others() as pointer:
            return BloomFilter._from_pointer(checked(lib.bloomline_counting_create_bloom, pointer))

    @property
    def num_counters(self) -> int:
        return int(self._get(lib.bloomline_counting_num_counters))

    @property
    def counter_bits(self) -> int:
        return int(self._get(lib.bloomline_counting_counter_bits))

    @property
    def num_probes(self) -> int:
        """The counters that a key has, k."""
        return int(self._get(lib.bloomline_counting_num_probes))

    @property
    def seed(self) -> int:
        return int(self._get(lib.bloomline_counting_seed))

    @property
    def capacity(self) -> int:
        return int(self._get(lib.bloomline_counting_capacity))

    @property
    def max_count(self) -> int:
        """Where counters stop. A key whose counters have all stopped can no longer be removed."""
        return int(self._get(lib.bloomline_counting_max_count))

    @property
    def num_saturated_counters(self) -> int:
        return int(self._get(lib.bloomline_counting_num_saturated_counters))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountingBloomFilter):
            return NotImplemented
        with self._alone_with(other, CountingBloomFilter):
            return bool(lib.bloomline_counting_equal(self._open(), other._open()))

    __hash__ = None  # type: ignore[assignment]  # it changes

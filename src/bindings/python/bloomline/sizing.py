"""How large a static filter is and how often it is wrong, and bits by level of an LSM tree.

Formats: "blocked", "compact", LevelDB's own "classic", and RocksDB's own "bloom" and "ribbon". In
"ribbon", bits per key are those of a Bloom filter of the same rate, as in RocksDB's ribbonfilter:N.
A rate is a fraction: 0.01 is 1 %. What no filter can meet raises ValueError.
"""

from ctypes import c_double
from math import isnan
from typing import Any, List, Optional, Sequence

from ._filter import FORMATS, options
from ._handle import choice, integer, real
from ._library import checked, lib


def _format(format: str, bits_per_key: float) -> int:
    """The number of a format that allows these bits per key."""
    with options("filteroptions", dict(format=format, bits_per_key=bits_per_key)) as values:
        checked(lib.bloomline_filteroptions_validate, values)
    return FORMATS.index(format)


def _doubles(values: Sequence[float]) -> Any:
    return (c_double * len(values))(*values)


def _runs(runs_of_level: Optional[Sequence[float]], num_levels: int) -> Any:
    if runs_of_level is None:
        return None
    if len(runs_of_level) != num_levels:
        raise ValueError(f"runs_of_level has {len(runs_of_level)} levels; the others have "
                         f"{num_levels}")
    return _doubles(runs_of_level)


def _spread(number: int, bits_per_key: float, keys: Any, runs: Any) -> List[float]:
    bits = (c_double * len(keys))()
    checked(lib.bloomline_spread_bits_by_level, number, bits_per_key, keys, runs, len(keys), bits)
    return list(bits)


def false_positive_rate(format: str, bits_per_key: float) -> float:
    """The false-positive rate of a filter of thousands of keys."""
    number = _format(format, bits_per_key)
    return float(lib.bloomline_false_positive_rate(number, real("bits_per_key", bits_per_key)))


def bits_per_key_for_false_positive_rate(format: str, rate: float) -> float:
    """The least bits per key whose false-positive rate is at most `rate`."""
    number = choice("format", format, FORMATS)
    rate = real("rate", rate)
    checked(lib.bloomline_validate_false_positive_rate, number, rate)
    return float(lib.bloomline_bits_per_key_for_false_positive_rate(number, rate))


def filter_bytes(format: str, num_keys: int, bits_per_key: float) -> int:
    """The bytes of the filter of `num_keys` distinct keys."""
    number = _format(format, bits_per_key)
    size = int(lib.bloomline_filter_bytes(number, integer("num_keys", num_keys, 64),
                                          real("bits_per_key", bits_per_key)))
    if size == 0:
        raise ValueError(f"num_keys is {num_keys}, more than a filter can have")
    return size


def keys_of_levels(num_levels: int, level_size_ratio: float = 10.0) -> List[float]:
    """The keys of full levels, as fractions of all keys, the smallest level first."""
    levels = integer("num_levels", num_levels, 32)
    level_size_ratio = real("level_size_ratio", level_size_ratio)
    keys = (c_double * max(1, min(levels, 64)))()
    if not lib.bloomline_keys_of_levels(levels, level_size_ratio, keys):
        raise ValueError(f"num_levels is {levels} and level_size_ratio {level_size_ratio:g}; "
                         "allowed: 1 to 64, and 1 to 1000")
    return list(keys)


def spread_bits_by_level(format: str, bits_per_key: float, keys_of_level: Sequence[float],
                         runs_of_level: Optional[Sequence[float]] = None) -> List[float]:
    """Bits per key of each level that waste the fewest reads for missing keys.

    All filters together take `bits_per_key` for each key. `runs_of_level`: the sorted runs in each
    level, 1 if not given.
    """
    return _spread(choice("format", format, FORMATS), real("bits_per_key", bits_per_key),
                   _doubles(keys_of_level), _runs(runs_of_level, len(keys_of_level)))


def wasted_reads(format: str, bits_of_level: Sequence[float],
                 runs_of_level: Optional[Sequence[float]] = None) -> float:
    """The reads that a Get of a missing key is expected to waste."""
    count = len(bits_of_level)
    runs = _runs(runs_of_level, count)
    number = choice("format", format, FORMATS)
    reads = float(lib.bloomline_wasted_reads(number, _doubles(bits_of_level), runs, count))
    if isnan(reads):
        _spread(number, 10.0, _doubles([1.0] * count), runs)  # for its sentence about levels
        raise ValueError(f"bits_of_level is {list(bits_of_level)}; allowed: 0, or bits per key "
                         "that the format allows")
    return reads


def bits_per_key_for_wasted_reads(format: str, wasted_reads: float,
                                  keys_of_level: Sequence[float],
                                  runs_of_level: Optional[Sequence[float]] = None) -> float:
    """The least bits per key with which spread_bits_by_level wastes at most that many reads."""
    count = len(keys_of_level)
    number = choice("format", format, FORMATS)
    wasted_reads = real("wasted_reads", wasted_reads)
    keys = _doubles(keys_of_level)
    runs = _runs(runs_of_level, count)
    _spread(number, 10.0, keys, runs)  # for its sentence about the levels
    bits = float(lib.bloomline_bits_per_key_for_wasted_reads(number, wasted_reads, keys, runs,
                                                             count))
    if isnan(bits):
        raise ValueError(f"wasted_reads is {wasted_reads:g}; allowed: above 0, and what the most "
                         f"bits per key of {format} filters reach")
    return bits

"""How large a static filter is and how often it is wrong.

Formats: "blocked" and "ribbon" of static filters, LevelDB's "classic" and "compact", and RocksDB's
own "bloom". Bits per key are memory, also in "ribbon": RocksDB's policy takes another number for
it, the N of ribbonfilter:N. A rate is a fraction: 0.01 is 1 %. What no filter can meet raises
ValueError.
"""

from ._filter import FORMATS, options
from ._handle import choice, integer, real
from ._library import checked, lib


def _format(format: str, bits_per_key: float) -> int:
    """The number of a format that allows these bits per key."""
    with options("filteroptions", dict(format=format, bits_per_key=bits_per_key)) as values:
        checked(lib.bloomline_filteroptions_validate, values)
    return FORMATS.index(format)


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

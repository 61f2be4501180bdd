"""Keys of the tests."""

from typing import List


def stored(count: int) -> List[bytes]:
    return [b"stored %d" % i for i in range(count)]


def missing(count: int) -> List[bytes]:
    return [b"missing %d" % i for i in range(count)]

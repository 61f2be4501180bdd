#!/usr/bin/python3
"""docs/format.md in Python, sharing nothing with the library but the xxHash definition.

Without arguments it prints the golden vectors (tests/golden/vectors.txt).
With --check FILE it compares FILE with what it would print.
A vector is one line: container layout bits_per_key seed keys(hex, comma-separated; - is the empty key) filter(hex).
"""
import math
import sys

import xxhash

MASK32 = 0xFFFFFFFF
# SHA-256 round constants from their definition: fractional parts of cube roots of primes.


def integer_cube_root(n):
    x = 1 << -(-n.bit_length() // 3)
    while True:
        y = (2 * x + n // (x * x)) // 3
        if y >= x:
            return x
        x = y


def primes(count):
    found = []
    candidate = 2
    while len(found) < count:
        if all(candidate % p for p in found):
            found.append(candidate)
        candidate += 1
    return found


MULTIPLIERS = [(integer_cube_root(p << 96) & MASK32) | 1 for p in primes(30)]


def h64(key, seed):
    return xxhash.xxh3_64_intdigest(key, seed=seed)


def h32(key):
    m = 0xC6A4A793
    h = 0xBC9F1D34 ^ (len(key) * m & MASK32)
    whole = len(key) // 4 * 4
    for i in range(0, whole, 4):
        h = (h + int.from_bytes(key[i:i + 4], "little")) & MASK32
        h = h * m & MASK32
        h ^= h >> 16
    if len(key) > whole:
        h = (h + int.from_bytes(key[whole:], "little")) & MASK32
        h = h * m & MASK32
        h ^= h >> 24
    return h


def rotl32(x, r):
    return (x << r | x >> (32 - r)) & MASK32


def probe(a, b, j):
    return (a + MULTIPLIERS[j] * b) & MASK32


def classic_positions(key, seed, m, k):
    h = h32(key)
    delta = rotl32(h, 15)
    return [((h + j * delta) & MASK32) % m for j in range(k)]


def flat_positions(key, seed, m, k):
    h = h64(key, seed)
    return [(probe(h & MASK32, h >> 32, j) * m) >> 32 for j in range(k)]


def blocked_positions(key, seed, m, k):
    h = h64(key, seed)
    line = (h * (m // 512)) >> 64
    a = h & MASK32
    b = rotl32(a, 16)
    return [line * 512 + (probe(a, b, j) >> 23) for j in range(k)]


POSITIONS = {"classic": classic_positions, "flat": flat_positions, "blocked": blocked_positions}
LEVELDB_CODE = {"classic": 0, "flat": 0x7F, "blocked": 0x9F}
LAYOUT_ID = {"classic": 0, "blocked": 1, "flat": 3}


def payload(layout, keys, num_bytes, k, seed):
    out = bytearray(num_bytes)
    for key in keys:
        for bit in POSITIONS[layout](key, seed, num_bytes * 8, k):
            out[bit // 8] |= 1 << (bit % 8)
    return bytes(out)


def unique_neighbours(keys):
    return [key for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]


def classic_shape(n, bits_per_key):
    num_bits = max(64, int(n * bits_per_key))
    return (num_bits + 7) // 8, min(30, max(1, int(bits_per_key * 0.69)))


def leveldb_filter(layout, keys, bits_per_key, k):
    if layout == "classic":
        num_bytes, k = classic_shape(len(keys), bits_per_key)
    else:
        keys = unique_neighbours(keys)
        assert layout == ("flat" if len(keys) <= 500 else "blocked")
        if layout == "flat":
            num_bytes = math.ceil(len(keys) * bits_per_key / 8)
        else:
            num_bytes = 64 * math.ceil(len(keys) * bits_per_key / 512)
    return payload(layout, keys, num_bytes, k, 0) + bytes([LEVELDB_CODE[layout] + k])


def standalone_filter(layout, keys, bits_per_key, k, seed):
    unit = 64 if layout == "blocked" else 1
    num_bytes = 0
    if layout == "classic":
        num_bytes, k = classic_shape(len(keys), bits_per_key)
        seed = 0
    else:
        keys = unique_neighbours(keys)
        num_bytes = 64 * max(1, math.ceil((len(keys) * bits_per_key / 8 - 20) / 64))
    if not keys:
        num_bytes = 0
    trailer = seed.to_bytes(8, "little") + (num_bytes // unit).to_bytes(4, "little")
    trailer += bytes([LAYOUT_ID[layout], k, 0, 0]) + b"bLn\x01"
    return payload(layout, keys, num_bytes, k, seed) + trailer


def vectors():
    hello = [b"hello", b"world"]
    counters = [i.to_bytes(8, "big") for i in range(36)]
    many = [b"%016d" % i for i in range(501)]
    odd = [b"", b"", b"a", b"x" * 300]
    cases = [
        ("leveldb", "classic", 10, 6, 0, hello),
        ("leveldb", "classic", 10, 6, 0, counters),
        ("leveldb", "flat", 10, 7, 0, hello),
        ("leveldb", "flat", 10, 7, 0, counters),
        ("leveldb", "flat", 9.9, 7, 0, odd),
        ("leveldb", "flat", 1, 1, 0, [b"one"]),
        ("leveldb", "blocked", 10, 6, 0, many),
        ("standalone", "blocked", 10, 6, 0, hello),
        ("standalone", "blocked", 12, 8, 0x0123456789ABCDEF, counters + odd),
        ("standalone", "blocked", 16, 9, 0, many),
        ("standalone", "blocked", 10, 6, 0, []),
        ("standalone", "classic", 10, 6, 0, hello),
    ]
    for container, layout, bits_per_key, k, seed, keys in cases:
        if container == "leveldb":
            filter_bytes = leveldb_filter(layout, keys, bits_per_key, k)
        else:
            filter_bytes = standalone_filter(layout, keys, bits_per_key, k, seed)
        key_list = ",".join(key.hex() or "-" for key in keys) or "none"
        yield f"{container} {layout} {bits_per_key} {seed} {key_list} {filter_bytes.hex()}"


def main():
    text = "".join(line + "\n" for line in vectors())
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2], encoding="ascii") as file:
            if file.read() != text:
                sys.exit(f"{sys.argv[2]} differs from what docs/format.md prescribes")
        print(f"{sys.argv[2]} agrees")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()

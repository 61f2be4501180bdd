#!/usr/bin/python3
"""docs/format.md in Python. Shares nothing with the library but the definition of xxHash.

Usage: reference.py [NAME]   prints the golden vectors of NAME in FILES, or of vectors.txt
       reference.py --check  compares each file here with what it would print

Each vector is one line. Filters, files and keys are hexadecimal. Keys are separated by commas; - is
the empty key.
vectors.txt: container format bits_per_key seed keys filter
ribbon_filters.txt: num_keys bits_per_key seed layout num_bytes hash-of-the-filter, of filters on
their own in format ribbon, whose keys are the numbers from 0 on in decimal. The hash is H64 with
seed 0.
former_compact.txt has filters in the layout 3 of versions before 0.4.0, which no version writes or
reads any more: as in vectors.txt.
leveldb_names.txt: name seed name-of-the-policy
saved_filters.txt: kind layout num_bits num_probes seed capacity keys file. The numbers of a
scalable filter are separated by commas, one for each stage. Keys are added in this order.
ranges.txt: format bits_per_entry cells prefixes num_entries seed keys value-of-the-property; - is
none. Cells are BITSxCOPIES, prefixes BYTE:DEPTHxCOPIES with the byte in hexadecimal. The entries
have this format, and each copy of an entry bits_per_entry. num_entries counts copies. After each
value: "range" begin end answer.
former_ranges.txt has range filters of version 0.3.0 whose entries have the layout 3 (compact),
which no version reads any more: as in ranges.txt, with the answers of that version.
range_entries.txt has filters with range entries of versions up to 0.2.0, which no version writes
any more: layout, seven other numbers, keys, filter; and the answers of those versions to ranges.
keys.txt: parts key hash. Parts are separated by commas: decimal integers, or s and the hexadecimal
bytes of a string. The hash is H64 with seed 0.
"""
import math
import os
import struct
import sys

try:
    import xxhash
except ImportError as error:
    sys.exit(f"reference.py: {error}; install Debian's package python3-xxhash and run reference.py "
             "with /usr/bin/python3")

MASK32 = 0xFFFFFFFF
# SHA-256's round constants by their definition: fractional parts of the cube roots of primes.


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


MASK64 = (1 << 64) - 1
# SHA-512's round constants.
N = [(integer_cube_root(p << 192) & MASK64) | 1 for p in primes(30)]
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
    return flat_hash_positions(h64(key, seed), m, k)


def flat_hash_positions(h, m, k):
    return [(probe(h & MASK32, h >> 32, j) * m) >> 32 for j in range(k)]


def blocked_positions(key, seed, m, k):
    return blocked_hash_positions(h64(key, seed), m, k)


def blocked_hash_positions(h, m, k):
    line = (h * (m // 512)) >> 64
    a = h & MASK32
    b = rotl32(a, 16)
    return [line * 512 + (probe(a, b, j) >> 23) for j in range(k)]


def small_block_positions(block_bits):
    def positions(key, seed, m, k):
        h = h64(key, seed)
        block = (h * (m // block_bits)) >> 64
        a = h & MASK32
        b = rotl32(a, 16)
        return [block * block_bits + probe(a, b, j) * block_bits // 2**32 for j in range(k)]
    return positions


def standard_positions(key, seed, m, k):
    h = h64(key, seed)
    b = (h << 32 | h >> 32) & MASK64
    return [((h + N[j] * b) & MASK64) * m >> 64 for j in range(k)]


POSITIONS = {"classic": classic_positions, "flat": flat_positions, "blocked": blocked_positions,
             "standard": standard_positions, "blocked128": small_block_positions(128),
             "blocked64": small_block_positions(64)}
LEVELDB_CODE = {"classic": 0, "flat": 0x7F, "blocked": 0x9F}
LAYOUT_ID = {"blocked": 1, "flat": 2, "ribbon": 4}
TRAILER_BYTES = 20


def payload(layout, keys, num_bytes, k, seed):
    return payload_of_bits(num_bytes, (POSITIONS[layout](key, seed, num_bytes * 8, k)
                                       for key in keys))


def payload_of_hashes(layout, hashes, num_bytes, k):
    positions = {"flat": flat_hash_positions, "blocked": blocked_hash_positions}[layout]
    return payload_of_bits(num_bytes, (positions(h, num_bytes * 8, k) for h in hashes))


def payload_of_bits(num_bytes, bits_of_keys):
    out = bytearray(num_bytes)
    for bits in bits_of_keys:
        for bit in bits:
            out[bit // 8] |= 1 << (bit % 8)
    return bytes(out)


# Small sets (section 3.4).
C = N[:4]


def mum(a, b):
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def fingerprint(h):
    return h & 0xFFFFFF


def selector(h):
    return h >> 24 & 0xFF


def solution(equations):
    """Of (coefficients, right side as a number of any bits): the values of the unknowns that are
    pivots, 0 for others. None if there is no solution."""
    pivots = {}
    for bits, right in equations:
        row = sum(bit << i for i, bit in enumerate(bits))
        while row and row & -row in pivots:
            other, other_right = pivots[row & -row]
            row, right = row ^ other, right ^ other_right
        if row:
            pivots[row & -row] = row, right
        elif right:
            return None
    values = {}
    for pivot in sorted(pivots, reverse=True):
        row, right = pivots[pivot]
        for other, value in values.items():
            if row & other:
                right ^= value
        values[pivot] = right
    return {pivot.bit_length() - 1: value for pivot, value in values.items()}


def small_set_slots(h, t, slots):
    a = mum(h, C[1])
    return [(a >> j ^ (h >> (32 + t + j) if j < 4 else 0)) & 1 for j in range(slots)]


def small_set_block(hashes, block_bytes, attempts):
    payload_bits = 8 * (block_bytes - 1)
    n = len(hashes)
    distinct = list(dict.fromkeys(hashes))
    for slots in range(max(n, 1), 64):
        columns = min(24, payload_bits // slots)
        partial = payload_bits - columns * slots if columns < 24 else 0
        users = [h for h in hashes if selector(h) * slots // 256 + 2 < partial]
        order = list(range(4, slots)) + list(range(min(4, slots)))
        partial_order = [j for j in order if j < partial]
        for t in range(attempts):
            # Independent: there is a solution whatever is on the right, such as a 1 for one hash.
            values = solution([([small_set_slots(h, t, slots)[j] for j in order],
                                fingerprint(h) | 1 << 24 + distinct.index(h)) for h in hashes])
            partial_values = solution([([small_set_slots(h, t, slots)[j] for j in partial_order],
                                        fingerprint(h) >> columns & 1) for h in users])
            if values is None or partial_values is None:
                continue
            bits = 0
            for i in range(columns):
                for j, value in values.items():
                    slot = order[j]
                    bits |= (value >> i & 1) << (8 * slot + i if columns >= 8 and i < 8
                                                 else slots * i + slot)
            for j, bit in partial_values.items():
                bits |= bit << (columns * slots + partial_order[j])
            return t, bits.to_bytes(block_bytes - 1, "little") + bytes([slots + 64 * (t % 4)])
    return 0, bytes(block_bytes)


# Ribbon (section 3.5).
ROWS = 128  # of a block
KEYS_FOR_ROWS = [248, 499, 1001, 2003, 4005, 8000, 15966, 31828, 63447, 126506, 252087, 502339,
                 1001033, 1994830, 3975292, 7922053, 15787450, 31462398, 62701386, 124959113,
                 249037166, 496324592, 989174205]


def ribbon_key(h, t, num_blocks):
    """The key's start, coefficients as a number, and fingerprint."""
    x = t * 0xC78219A23EEADD03 & MASK64
    x ^= (x & 0xF0F0F0F0F0F0F0F0) >> 4
    y = (h ^ x & MASK32) * 0x6193D459236A3A0D & MASK64
    start = y * (ROWS * (num_blocks - 1) + 1) >> 64
    z = y * 0xC28F82822B650BED & MASK64
    f = int.from_bytes(z.to_bytes(8, "little"), "big") & MASK32
    return start, (z ^ 0xC367844A6E52731D | 1) | z << 64, f


def ribbon_rows(hashes, t, num_blocks):
    """The 32 columns of each row as a number, or None if equations contradict each other."""
    num_rows = ROWS * num_blocks
    equations = [None] * num_rows  # by the row of their first coefficient, which is bit 0
    for h in hashes:
        row, bits, result = ribbon_key(h, t, num_blocks)
        while bits:
            zeros = (bits & -bits).bit_length() - 1
            row, bits = row + zeros, bits >> zeros
            if equations[row] is None:
                equations[row] = bits, result
                break
            bits, result = bits ^ equations[row][0], result ^ equations[row][1]
        else:
            if result:
                return None
    rows = [0] * (num_rows + ROWS)
    for row in reversed(range(num_rows)):
        if equations[row] is not None:
            bits, rows[row] = equations[row]
            for j in range(1, ROWS):
                if bits >> j & 1:
                    rows[row] ^= rows[row + j]
    return rows[:num_rows]


SOLUTIONS = {}  # by the hashes: a solution is the same for any number of columns


def ribbon_solution(hashes, num_blocks):
    """t and the rows, or None."""
    key = tuple(hashes)
    if key not in SOLUTIONS:
        attempts = ((t, ribbon_rows(hashes, t, num_blocks)) for t in range(32))
        SOLUTIONS[key] = next((found for found in attempts if found[1] is not None), None)
    return SOLUTIONS[key]


def ribbon_columns(block, num_blocks, num_segments):
    """How many columns the block has, and the number of its first segment."""
    most = -(-num_segments // num_blocks)
    with_less = most * num_blocks - num_segments
    return most - (block < with_less), block * most - min(block, with_less)


def ribbon_payload(rows, num_segments):
    num_blocks = len(rows) // ROWS
    segments = []
    for block in range(num_blocks):
        mine = rows[ROWS * block:ROWS * (block + 1)]
        columns, _ = ribbon_columns(block, num_blocks, num_segments)
        segments += [sum((row >> i & 1) << r for r, row in enumerate(mine))
                     for i in range(columns)]
    return b"".join(segment.to_bytes(16, "little") for segment in segments)


def ribbon_has(payload_bytes, num_blocks, t, h):
    """Whether a key of this hash may match."""
    start, bits, f = ribbon_key(h, t, num_blocks)

    def column(block, i):
        segment = 16 * (ribbon_columns(block, num_blocks, len(payload_bytes) // 16)[1] + i)
        return int.from_bytes(payload_bytes[segment:segment + 16], "little")

    block, first = divmod(start, ROWS)
    for i in range(ribbon_columns(block, num_blocks, len(payload_bytes) // 16)[0]):
        selected = column(block, i) >> first
        if first:
            selected |= column(block + 1, i) << ROWS - first
        if (selected & bits).bit_count() % 2 != f >> i & 1:
            return False
    return True


def ribbon_blocks(n):
    """The number B for n keys."""
    if n <= KEYS_FOR_ROWS[0]:
        return 2
    i = max(i for i, keys in enumerate(KEYS_FOR_ROWS) if keys <= n)
    rows = 2 ** (8 + i)
    lower, upper = KEYS_FOR_ROWS[i:i + 2]
    return -(-(rows + -(-(n - lower) * rows // (upper - lower))) // ROWS)


def flat_num_probes(bits_per_key):
    return min(range(1, 31), key=lambda k: (1 - math.exp(-k / bits_per_key)) ** k)


def blocked_num_probes(bits_per_key):
    """By the exact rate of blocks of 512 bits with Poisson loads."""
    loads = []
    chance = math.exp(-512 / bits_per_key)
    for keys in range(int(512 / bits_per_key * 3) + 60):
        loads.append(chance)
        chance *= 512 / bits_per_key / (keys + 1)

    def rate(k):
        # The mean of (set bits / 512)^k: k further probes hit i different bits, all set.
        different = [1.0] + [0.0] * k
        for _ in range(k):
            different = [(different[i] * i + (different[i - 1] * (513 - i) if i else 0)) / 512
                         for i in range(k + 1)]

        def all_set(i, keys):  # by inclusion and exclusion
            return math.fsum((-1) ** j * math.comb(i, j) * (1 - j / 512) ** (k * keys)
                             for j in range(i + 1))
        return math.fsum(load * math.fsum(different[i] * all_set(i, keys) for i in range(k + 1))
                         for keys, load in enumerate(loads) if load > 1e-12)
    # With more probes, the sums above would need more digits; no vector has them.
    return min(range(1, 9), key=rate)


def ribbon_filter(hashes, bits_per_key, seed, paid_trailer_bytes=TRAILER_BYTES):
    """The layout, and the filter on its own in kRibbon (section 5)."""
    n = len(hashes)
    assert n <= 950000000
    if n == 0:
        return "blocked", container_end(seed, 0, "blocked", blocked_num_probes(bits_per_key))
    num_blocks = ribbon_blocks(n)
    paid = math.ceil((n * bits_per_key / 8 - paid_trailer_bytes - 5) / 16)
    num_segments = min(32 * num_blocks, max(1, paid))
    num_bytes = 16 * num_segments + 5
    bits_of_bloom = min(100, 8 * num_bytes / n)
    before_last = num_segments - ribbon_columns(num_blocks - 1, num_blocks, num_segments)[0]
    is_better = n >= 2**16 or (100 * n * before_last >
                               (num_blocks - 1) * (9 * n + 555 * num_bytes))
    solution = ribbon_solution(hashes, num_blocks) if is_better else None
    if solution:
        t, rows = solution
        return "ribbon", (ribbon_payload(rows, num_segments) + bytes([3, 3]) +
                          num_blocks.to_bytes(3, "little") +
                          container_end(seed, num_segments, "ribbon", t, 5))
    if not is_better or num_bytes < 64:
        k = flat_num_probes(bits_of_bloom)
        return "flat", (payload_of_hashes("flat", hashes, num_bytes, k) +
                        container_end(seed, num_bytes, "flat", k))
    k, units = blocked_num_probes(bits_of_bloom), num_bytes // 64
    rest = num_bytes - 64 * units
    return "blocked", (payload_of_hashes("blocked", hashes, 64 * units, k) +
                       bytes([130, rest - 2]) + bytes(rest - 2) +
                       container_end(seed, units, "blocked", k, rest))


def query_of(filter_bytes):
    """The function that says whether a filter of section 5, as written here, may match a hash."""
    trailer = filter_bytes[-TRAILER_BYTES:]
    layout, parameter, extension_bytes = trailer[12:15]
    end = len(filter_bytes) - TRAILER_BYTES - extension_bytes
    payload_bytes = filter_bytes[:end]
    if layout == LAYOUT_ID["ribbon"]:
        num_blocks = int.from_bytes(filter_bytes[end + 2:end + 5], "little")
        return lambda h: ribbon_has(payload_bytes, num_blocks, parameter, h)
    positions = flat_hash_positions if layout == LAYOUT_ID["flat"] else blocked_hash_positions
    return lambda h: all(payload_bytes[bit // 8] >> bit % 8 & 1
                         for bit in positions(h, 8 * end, parameter))


def ribbon_filters():
    """Of each choice: layouts, seeds, sizes. 374 keys need one row more than whole blocks."""
    for n in (0, 1, 100, 249, 300, 374, 1000, 5000):
        for seed in (0, 0x0123456789ABCDEF):
            hashes = [h64(b"%d" % i, seed) for i in range(n)]
            for bits_per_key in (1, 2.5, 7.1, 10, 20, 34, 100) if n else (1, 10):
                layout, filter_bytes = ribbon_filter(hashes, bits_per_key, seed)
                assert all(map(query_of(filter_bytes), hashes))
                yield (f"{n} {bits_per_key} {seed} {layout} {len(filter_bytes)} "
                       f"{h64(filter_bytes, 0)}")


def rotl64(x, r):
    return (x << r | x >> 64 - r) & MASK64


def key_with_hash(h):
    """The key of 8 bytes with this H64 and seed 0: XXH3's steps backwards."""
    inverse = pow(0x9FB21C651E98DF25, -1, 2**64)
    x = (h ^ h >> 28 ^ h >> 56) * inverse & MASK64
    x = (x ^ (x >> 35) + 8) * inverse & MASK64
    for _ in range(63):  # the 64th time would change nothing
        x ^= rotl64(x, 49) ^ rotl64(x, 24)
    key = rotl64(x ^ 0xC73AB174C5ECD5A2, 32).to_bytes(8, "little")
    assert h64(key, 0) == h
    return key


def keys_without_solution(n):
    """Keys that start in ten neighbouring rows with every t, which changes only the lower half of
    h. Theirs is the same, and their upper halves are those of neighbours after the first
    multiplication."""
    inverse = pow(0x6193D459236A3A0D, -1, 2**32)
    step = 2**32 // (ROWS * (ribbon_blocks(n) - 1) + 1) * 10 // n
    return [key_with_hash((i * step * inverse & MASK32) << 32 | 0x2545F491) for i in range(n)]


def in_blocks(keys, num_blocks, seed):
    """The hashes of each block."""
    blocks = [[] for _ in range(num_blocks)]
    for key in keys:
        h = h64(key, seed)
        blocks[(h * num_blocks) >> 64].append(h)
    return blocks


def container_end(seed, units, layout, parameter, extension_bytes=0):
    """The trailer."""
    return (seed.to_bytes(8, "little") + units.to_bytes(4, "little") +
            bytes([LAYOUT_ID[layout], parameter, extension_bytes, 0]) + b"bLn\x01")


def leveldb_compact(keys, bits_per_key, seed):
    keys = unique_neighbours(keys)
    num_bytes = math.ceil(len(keys) * bits_per_key / 8)
    num_blocks = max(1 if len(keys) <= 56 else math.ceil(len(keys) / 40),
                     math.ceil(num_bytes / 64))
    block_bytes = num_bytes // num_blocks
    assert block_bytes >= 8 and num_blocks <= 24
    blocks = in_blocks(keys, num_blocks, seed)
    if num_blocks == 1:
        t, block = small_set_block(blocks[0], block_bytes, 16)
        return block + bytes([0xE0 + t // 4])
    return b"".join(small_set_block(block, block_bytes, 4)[1] for block in blocks) + bytes(
        [0xE2 + num_blocks])


def unique_neighbours(keys):
    return [key for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]


def classic_shape(n, bits_per_key):
    num_bits = max(64, int(n * bits_per_key))
    return (num_bits + 7) // 8, min(30, max(1, int(bits_per_key * 0.69)))


def leveldb_filter(layout, keys, bits_per_key, k, seed):
    if layout == "classic":
        num_bytes, k = classic_shape(len(keys), bits_per_key)
    else:
        keys = unique_neighbours(keys)
        assert layout == ("flat" if len(keys) <= 500 else "blocked")
        if layout == "flat":
            num_bytes = math.ceil(len(keys) * bits_per_key / 8)
        else:
            num_bytes = 64 * max(1, math.floor(len(keys) * bits_per_key / 512 + 0.5))
    return payload(layout, keys, num_bytes, k, seed) + bytes([LEVELDB_CODE[layout] + k])


def leveldb_name(name, seed):
    halves = [h64(half + b" half of bloomline's seed check", seed)
              for half in (b"first", b"second")]
    return name + ".seed-%016x%016x" % tuple(halves) if seed else name


def rocksdb_flat_bytes(n, bits_per_key):
    return max(64, math.ceil(n * bits_per_key / 8))


def standalone_filter(layout, keys, bits_per_key, k, seed, in_rocksdb=False):
    unit = 64 if layout == "blocked" else 1
    num_bytes = 0
    keys = unique_neighbours(keys)
    paid_bytes = len(keys) * bits_per_key / 8 - TRAILER_BYTES
    num_bytes = 64 * max(1, math.ceil(paid_bytes / 64)) if keys else 0
    if in_rocksdb:
        assert layout == ("flat" if len(keys) <= 200 else "blocked")
        if layout == "flat":
            num_bytes = rocksdb_flat_bytes(len(keys), bits_per_key)
        else:
            num_bytes = max(num_bytes, 64 * math.ceil(rocksdb_flat_bytes(200, bits_per_key) / 64))
    end = container_end(seed, num_bytes // unit, layout, k)
    return payload(layout, keys, num_bytes, k, seed) + end


def vectors():
    hello = [b"hello", b"world"]
    counters = [i.to_bytes(8, "big") for i in range(36)]
    many = [b"%016d" % i for i in range(501)]
    odd = [b"", b"", b"a", b"x" * 300]
    # XXH3 treats keys of up to 16, 128, 240 bytes and longer ones differently, and mixes its state
    # once for each 1,024 bytes: with other instructions on each CPU (docs/compatibility.md).
    long = [bytes(i * 131 + n & 255 for i in range(n))
            for n in (16, 17, 128, 129, 240, 241, 1023, 1024, 1025, 2048, 3000)]
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
        ("leveldb", "compact", 10, 0, 0, counters),
        ("leveldb", "compact", 10, 0, 0, many[:100]),
        ("standalone", "ribbon", 10, 0, 0, []),
        ("standalone", "ribbon", 10, 0, 0, hello),
        ("standalone", "ribbon", 7.1, 0, 0, many[:300]),
        ("standalone", "ribbon", 10, 0, 0x0123456789ABCDEF, counters + odd + many[:250]),
        ("standalone", "ribbon", 3.3, 0, MASK64, many),
        ("standalone", "ribbon", 20, 0, 7, many),
        ("standalone", "ribbon", 40, 0, 0, many[:249] + many[240:249]),
        # The first Ribbon seed has no solution.
        ("standalone", "ribbon", 7.1, 0, 45, many[:499]),
        ("standalone", "ribbon", 24, 0, 9, many[:248]),
        # Keys that no Ribbon seed has a solution for: blocked, and flat in few bytes.
        ("standalone", "ribbon", 7.1, 0, 0, keys_without_solution(400)),
        ("standalone", "ribbon", 1.8, 0, 0, keys_without_solution(240)),
        ("leveldb", "flat", 10, 7, 0x0123456789ABCDEF, hello),
        ("leveldb", "flat", 10, 7, 1, counters + odd),
        ("leveldb", "blocked", 10, 6, MASK64, many),
        ("leveldb", "compact", 10, 0, 0x0123456789ABCDEF, counters),
        ("leveldb", "compact", 10, 0, 1 << 63, many[:100]),
        ("leveldb", "compact", 24, 0, 0, many[:70]),
        ("leveldb", "compact", 6, 0, 0, many[:56]),
        ("rocksdb", "flat", 10, 7, 0, hello),
        ("rocksdb", "flat", 10, 7, 0x0123456789ABCDEF, many[:60]),
        ("rocksdb", "flat", 10, 7, 0, many[:200]),
        ("rocksdb", "blocked", 1.3, 1, 0, many[:201]),
        ("rocksdb", "blocked", 10, 6, 0, many[:201]),
        ("standalone", "blocked", 16, 9, 0, long),
        ("rocksdb", "flat", 16, 11, 0x0123456789ABCDEF, long),
    ]
    for container, layout, bits_per_key, k, seed, keys in cases:
        if layout == "compact":
            filter_bytes = leveldb_compact(keys, bits_per_key, seed)
        elif layout == "ribbon":
            hashes = [h64(key, seed) for key in unique_neighbours(keys)]
            filter_bytes = ribbon_filter(hashes, bits_per_key, seed)[1]
            assert all(map(query_of(filter_bytes), hashes))
        elif container == "leveldb":
            filter_bytes = leveldb_filter(layout, keys, bits_per_key, k, seed)
        else:
            filter_bytes = standalone_filter(layout, keys, bits_per_key, k, seed,
                                             container == "rocksdb")
        key_list = ",".join(key.hex() or "-" for key in keys) or "none"
        yield " ".join([container, layout, str(bits_per_key), str(seed), key_list,
                        filter_bytes.hex()])


# Saved filters (sections 8 to 10).
SAVED_LAYOUTS = ["blocked", "standard", "blocked128", "blocked64"]


def sealed(header):
    assert len(header) == 56
    return header + struct.pack("<Q", h64(header, 0))


def saved_filter(layout, num_bits, k, seed, capacity, keys):
    """The file of one filter, and the keys that changed a bit."""
    bits = set()
    new = []
    for key in keys:
        positions = set(POSITIONS[layout](key, seed, num_bits, k))
        if not positions <= bits:
            new.append(key)
        bits |= positions
    body = payload(layout, keys, num_bits // 8, k, seed)
    header = b"bLnBloom" + struct.pack("<IBBHQQQQQ", 1, SAVED_LAYOUTS.index(layout), k, 0, seed,
                                       num_bits, capacity, len(new), h64(body, 0))
    return sealed(header) + body, new


def saved_scalable(layout, stages, seed, rate, keys):
    """stages: (num_bits, k, capacity). Growth 2, tightening 0.5. Keys fill the stages in order."""
    added = [[] for _ in stages]
    for key in keys:
        for stage, (num_bits, k, _) in enumerate(stages):
            bits = {bit for old in added[stage]
                    for bit in POSITIONS[layout](old, seed, num_bits, k)}
            if set(POSITIONS[layout](key, seed, num_bits, k)) <= bits:
                break
        else:
            stage = next(i for i, (_, _, capacity) in enumerate(stages) if len(added[i]) < capacity)
            added[stage].append(key)
    header = b"bLnScale" + struct.pack("<IBBHQQddQ", 1, SAVED_LAYOUTS.index(layout), 2, 0, seed,
                                       stages[0][2], rate, 0.5, len(stages))
    return sealed(header) + b"".join(saved_filter(layout, num_bits, k, seed, capacity, keys)[0]
                                     for (num_bits, k, capacity), keys in zip(stages, added))


def saved_counting(layout, num_counters, k, seed, capacity, keys):
    counter_bits = {"blocked128": 4, "blocked64": 8}[layout]
    counters = [0] * num_counters
    for key in keys:
        for i in set(POSITIONS[layout](key, seed, num_counters, k)):
            counters[i] = min(counters[i] + 1, 2**counter_bits - 1)
    if counter_bits == 4:
        body = bytes(low | high << 4 for low, high in zip(counters[::2], counters[1::2]))
    else:
        body = bytes(counters)
    header = b"bLnCount" + struct.pack("<IBBHQQQQQ", 1, SAVED_LAYOUTS.index(layout), k, 0, seed,
                                       num_counters, capacity, len(keys), h64(body, 0))
    return sealed(header) + body


def saved_vectors():
    hello = [b"hello", b"world"]
    many = [b"%016d" % i for i in range(70)]
    odd = [b"", b"", b"a", b"x" * 300]
    seed = 0x0123456789ABCDEF
    for layout, num_bits, k, seed, capacity, keys in [
            ("blocked", 512, 6, 0, 2, hello),
            ("blocked", 1024, 9, seed, 0, many + odd),
            ("standard", 512, 7, 0, 2, hello),
            ("standard", 1536, 30, seed, 50, many + odd),
            ("blocked128", 1024, 6, seed, 80, many + odd),
            ("blocked64", 1536, 5, seed, 80, many + odd),
            ("blocked", 512, 1, 0, 0, []),
    ]:
        filter_bytes, _ = saved_filter(layout, num_bits, k, seed, capacity, keys)
        key_list = ",".join(key.hex() or "-" for key in keys) or "none"
        yield f"filter {layout} {num_bits} {k} {seed} {capacity} {key_list} {filter_bytes.hex()}"
    for layout, stages in [("blocked", [(512, 7, 20), (1024, 8, 40), (1536, 9, 80)]),
                           ("standard", [(512, 8, 20), (512, 9, 40), (1536, 10, 80)])]:
        numbers = [",".join(str(stage[i]) for stage in stages) for i in range(3)]
        key_list = ",".join(key.hex() for key in many)
        filter_bytes = saved_scalable(layout, stages, seed, 0.01, many)
        yield (f"scalable {layout} {numbers[0]} {numbers[1]} {seed} {numbers[2]} {key_list} "
               f"{filter_bytes.hex()}")
    for layout, num_counters, k, seed, capacity, keys in [
            ("blocked128", 512, 6, 0, 2, hello),
            ("blocked128", 1024, 16, 0x0123456789ABCDEF, 0, many + odd + 20 * [b"often"]),
            ("blocked64", 512, 5, 0, 2, hello),
            ("blocked64", 1024, 30, 0x0123456789ABCDEF, 0, many + odd + 300 * [b"often"]),
    ]:
        filter_bytes = saved_counting(layout, num_counters, k, seed, capacity, keys)
        key_list = ",".join(key.hex() or "-" for key in keys)
        yield (f"counting {layout} {num_counters} {k} {seed} {capacity} {key_list} "
               f"{filter_bytes.hex()}")


def leveldb_names():
    for name, seed in [("leveldb.BuiltinBloomFilter2", 0), ("app.Filter", 0), ("app.Filter", 1),
                       ("app.Filter", 0x0123456789ABCDEF), ("x", MASK64)]:
        yield f"{name} {seed} {leveldb_name(name, seed)}"


def key_part(part):
    if isinstance(part, int):
        return (part % 2**64).to_bytes(8, "little")
    return len(part).to_bytes(8, "little") + part


def keys():
    for parts in [(0,), (1,), (42,), (-1,), (-2,), (127,), (-128,), (255,), (2**31 - 1,),
                  (-2**31,), (2**32,), (2**63 - 1,), (-2**63,), (2**64 - 1,), (7, 256), (0, 0),
                  (1, -1, 2**40), (b"",), (b"ab",), (b"ab", b"c"), (b"a", b"bc"), (b"", b""),
                  (b"ab", 1, b""), (5, b"\x00\xff\x00", -5), (300 * b"x", 1)]:
        text = ",".join(str(p) if isinstance(p, int) else "s" + p.hex() for p in parts)
        key = b"".join(key_part(part) for part in parts)
        yield f"{text} {key.hex()} {h64(key, 0):016x}"


# Range filters (section 12).
MAX_CELLS = 64  # that a query looks up


class Entries:
    """A filter of hashes with so many bits for each, the trailer not included."""

    def __init__(self, layout, hashes, bits_per_hash, seed):
        if layout == "ribbon":
            self.filter = ribbon_filter(hashes, bits_per_hash, seed, 0)[1]
        else:
            num_probes = 5
            units = max(1, math.ceil(len(hashes) * bits_per_hash / 8 / 64))
            self.filter = (payload_of_hashes("blocked", hashes, 64 * units, num_probes) +
                           container_end(seed, units, "blocked", num_probes))
        self.has = query_of(self.filter)


def cell(key, bits):
    size = (bits + 7) // 8
    padded = int.from_bytes(key[:size].ljust(size, b"\0"), "big")
    unused = 8 * size - bits
    return (padded >> unused << unused).to_bytes(size, "big")


def cell_entry(some_cell, bits, seed):
    return h64(some_cell, (seed + bits * C[0]) & MASK64)


def prefix_entry(prefix, seed):
    return h64(prefix, (seed + C[1]) & MASK64)


def copies_of(entry, copies):
    return [entry ^ (i * 0xB5C0FBCF & MASK32) for i in range(copies)]


def delimited_prefixes(key, delimiter):
    """(depth, prefix) for each occurrence."""
    ends = [i + 1 for i, byte in enumerate(key[:1024]) if byte == delimiter]
    return [(min(i, 8), key[:end]) for i, end in enumerate(ends, 1)]


def suffix_of(keys):
    """The longest one that a key of its own can have. Readers need it for keys up to 64 bytes."""
    if len(set(map(len, keys))) != 1 or len(keys[0]) > 64:
        return 0, 0
    last = keys[0][-1]
    length = min(len(key) - len(key.rstrip(bytes([last]))) for key in keys)
    return (min(length, len(keys[0]) - 1), last) if length else (0, 0)


def limits_of(keys, num_positions):
    """The least and the greatest byte at each position."""
    return [(min(column), max(column)) for column in zip(
        *(key[:num_positions].ljust(num_positions, b"\0") for key in keys))]


class Numbers:
    """The strings with a byte within the limits at each position, in order."""

    def __init__(self, limits):
        self.limits = limits

    def rank(self, bound):
        """How many are below `bound`, which has as many bytes."""
        below, is_among = 0, True
        for byte, (least, greatest) in zip(bound, self.limits):
            below *= greatest - least + 1
            if is_among:
                below += min(max(byte - least, 0), greatest - least + 1)
                is_among = least <= byte <= greatest
        return below, is_among

    def at(self, rank):
        text = []
        for least, greatest in reversed(self.limits):
            rank, digit = divmod(rank, greatest - least + 1)
            text.append(least + digit)
        return bytes(reversed(text))


class RangeFilter:
    """A table's filter. cells: (bits, copies); prefixes: (delimiter, depth, copies)."""

    def __init__(self, layout, cells, prefixes, seed, all_keys, bits_per_entry=8):
        keys = [key for key in all_keys if key]
        self.cells, self.prefixes, self.seed = cells, prefixes, seed
        self.bits_per_entry = bits_per_entry
        self.lengths = [min(f(map(len, keys)), 65535) for f in (min, max)]
        self.suffix = suffix_of(keys)
        self.last_key = keys[-1] if len(keys[-1]) <= 1024 else b""
        entries = {copy for key in keys for bits, copies in cells
                   for copy in copies_of(cell_entry(cell(key, bits), bits, seed), copies)}
        entries |= {copy for key in keys for delimiter, depth, copies in prefixes
                    for at_depth, prefix in delimited_prefixes(key, delimiter) if at_depth == depth
                    for copy in copies_of(prefix_entry(prefix, seed), copies)}
        self.num_entries = len(entries)
        field = struct.pack("<HHBBBB", *self.lengths, *self.suffix, len(cells), len(prefixes))
        field += b"".join(struct.pack("<H", bits | copies - 1 << 14) for bits, copies in cells)
        field += b"".join(bytes([delimiter, depth | copies - 1 << 4])
                          for delimiter, depth, copies in prefixes)
        most = min(64, self.lengths[1])
        limits = limits_of(keys, most)
        self.limits = limits + [(0, 0)] * (64 - most)
        self.num_limits = len(limits)
        self.entries = Entries(layout, sorted(entries), bits_per_entry, seed) if entries else None
        container = b""
        if self.entries:
            container = self.entries.filter
        elif cells or prefixes:  # it has none of the entries
            container = container_end(seed, 0, "blocked", 1)
        limit_bytes = b"".join(map(bytes, limits))
        self.value = struct.pack("<BHHH", 1, len(self.last_key), len(field), len(limit_bytes))
        self.value += self.last_key + field + limit_bytes + container

    def has(self, entry, copies):
        return self.entries is not None and all(map(self.entries.has, copies_of(entry, copies)))

    def numbers_of(self, begin, end, size):
        """The ranks of the first number and of that after the last one, as in `Numbers`."""
        numbers = Numbers(self.limits[:size])
        low, begins_among = numbers.rank(begin[:size].ljust(size, b"\0"))
        high, ends_among = numbers.rank(end[:size].ljust(size, b"\0"))
        if begins_among and self.lengths[1] <= size and len(begin) > self.lengths[1]:
            low += 1
        is_cell = not end[size:].strip(b"\0") and (
            end[-1:] != b"\0" or len(end) <= self.lengths[0])
        return numbers, low, high + (1 if ends_among and not is_cell else 0)

    def cells_of(self, begin, end, bits):
        """Those that keys of the range can have; None if there are many."""
        numbers, low, high = self.numbers_of(begin, end, 64)
        if low >= high:
            return []
        size = (bits + 7) // 8
        unused = 8 * size - bits
        least, greatest = self.limits[size - 1]
        shorter = Numbers(self.limits[:size - 1] + [(least >> unused, greatest >> unused)])
        first, last = (cell(numbers.at(rank), bits) for rank in (low, high - 1))
        ranks = [shorter.rank(c[:-1] + bytes([c[-1] >> unused]))[0] for c in (first, last)]
        if ranks[1] - ranks[0] >= MAX_CELLS:
            return None
        cells = map(shorter.at, range(ranks[0], ranks[1] + 1))
        return [c[:-1] + bytes([c[-1] << unused]) for c in cells]

    def has_cell(self, begin, end, bits, copies):
        """Whether a cell that keys of the range can have is in the filter."""
        cells = self.cells_of(begin, end, bits)
        return cells is None or any(
            self.has(cell_entry(c, bits, self.seed), copies) for c in cells)

    def has_prefixes(self, begin, end):
        for delimiter, depth, copies in self.prefixes:
            for at_depth, prefix in delimited_prefixes(begin, delimiter):
                stem = prefix.rstrip(b"\xff")
                above = stem[:-1] + bytes([stem[-1] + 1]) if stem else None
                all_begin_so = above is None or end <= above
                if at_depth == depth and all_begin_so and not self.has(
                        prefix_entry(prefix, self.seed), copies):
                    return False
            for size in range(1, self.num_limits + 1):
                cells = self.cells_of(begin, end, 8 * size)
                if cells is None or (delimiter == 0 and size > self.lengths[0]):
                    continue
                kinds = {at: many for kind, at, many in self.prefixes if kind == delimiter}
                depths = [min(8, c.count(delimiter)) if c[-1] == delimiter else 0 for c in cells]
                if all(at in kinds for at in depths) and not any(
                        self.has(prefix_entry(c, self.seed), kinds[at])
                        for c, at in zip(cells, depths)):
                    return False
        return True

    def has_numbers(self, begin, end):
        _, low, high = self.numbers_of(begin, end, 64)
        return low < high

    def may_match(self, begin, end):
        if not begin or begin >= end:
            return True
        return (self.has_numbers(begin, end) and self.has_prefixes(begin, end) and
                all(self.has_cell(begin, end, *kind) for kind in self.cells))


def range_cases():
    """RangeFilter's arguments, and ranges."""
    def number(i, size=8):
        return i.to_bytes(size, "big")

    def above(prefix):
        return prefix[:-1] + bytes([prefix[-1] + 1])

    yield ("blocked", [(8, 1), (16, 1)], [], 0, [b"ant", b"bee"]), [
        (b"a", b"b"), (b"b", b"bc"), (b"c", b"d"), (b"bf", b"bg"), (b"bf", b"cz"), (b"", b"a"),
        (b"d", b"c")]
    items = [number(a << 96 | u << 64 | i * 1000, 16)
             for a in (2, 4) for u in (6, 8) for i in range(4)]
    item = 2 << 96 | 6 << 64
    yield ("blocked", [(32, 1), (64, 2)], [], 0, items), [
        *((number(item + i, 16), number(item + j, 16))
          for i, j in ((0, 1), (1, 17), (990, 1001), (990, 1000), (1001, 1010))),
        (b"\0\0\0\3", b"\0\0\0\4"), (b"\0\0\0\3", b"\0\0\0\4" + bytes(12)),
        (b"\0\0\0\2\0\0\0\7", b"\0\0\0\2\0\0\0\10"), (b"\0\0\0\2", b"\0\0\0\3")]
    posts = sorted(b"user:%d:post:%d" % (u * u, p * 7) for u in range(1, 12) for p in range(5))
    yield ("blocked", [], [(0x3A, 2, 1)], 7, posts), [
        (b"user:16:", b"user:16;"), (b"user:17:", b"user:17;"), (b"user:17:", b"user:2"),
        (b"user:", b"user;"), (b"group:", b"group;")]
    # The empty key, bytes 255; bits, and cells longer than most keys.
    short = [b"", b"a", b"a\0", b"ab", b"b\xff", b"b\xff\xff", b"c" * 70]
    kinds = [(0, 1, 1)] + [(0xFF, depth, 1 + depth % 4) for depth in range(1, 9)]
    yield ("blocked", [(5, 1), (20, 1), (512, 1)], kinds, 99, short), [
        (b"a", b"a\0"), (b"a\0", b"a\0\0"), (b"aa", b"ab"), (b"b\xff", b"b\xff\0"),
        (b"b\xfe", b"b\xff"), (b"c" * 70, b"d"), (b"bb\0", b"bb\1"), (b"x", b"y"),
        (b"c" * 64, b"c" * 65), (b"bb", b"c" * 64), (b"cb", b"c" * 64), (b"ca", b"cb")]
    # Prefixes of depth 8: all occurrences from the eighth on. Ribbon, with copies.
    deep = sorted(b"/%d" % i + b"/x" * slashes + b"/" + name
                  for i in range(6) for slashes in (2, 6, 9) for name in (b"1", b"2"))
    yield ("ribbon", [], [(0x2F, 3, 1), (0x2F, 8, 4), (0x3A, 1, 2)], MASK64, deep), [
        (prefix, above(prefix)) for prefix in (
            b"/5/", b"/3/x/", b"/3/y/", b"/3" + b"/x" * 5 + b"/", b"/3" + b"/x" * 7 + b"/",
            b"/3/x/x/x/x/x/x/y/", b"/3" + b"/x" * 9 + b"/", b"/3" + b"/x" * 8 + b"/y/", b"/3:")]
    # A number of 8 bytes and eight '0', as db_bench makes them: bounds are keys, end within the
    # suffix, or are longer.
    numbers = [number(1000 * i) + b"0" * 8 for i in range(40)]
    zeros = b"0" * 8
    yield ("ribbon", [(48, 3)], [], 0x0123456789ABCDEF, numbers), [
        (number(3001) + zeros, number(3004) + zeros), (number(2999) + zeros, number(3000) + zeros),
        (number(2999) + zeros, number(3000) + zeros + b"\0"), (number(3000), number(3001)),
        (number(3000) + b"0000", number(3000) + zeros), (number(3000) + b"1", number(3001)),
        (number(3000) + zeros + b"\0", number(3001) + zeros), (number(2940), number(3000)),
        (number(2930), number(3000)), (b"\0" * 5 + b"\7", b"\0" * 5 + b"\x08")]
    yield ("blocked", [], [], 1, [b"0000", b"1110", b"1120"]), [
        (b"111", b"1110"), (b"1110", b"1111"), (b"1111", b"112"), (b"112", b"1121")]
    # All bytes are equal; keys of the greatest length that is a cell; longer ones.
    yield ("blocked", [], [], 2, [b"aaaa"]), [
        (b"a", b"b"), (b"b", b"c"), (b"aaa", b"aaaa"), (b"aab", b"aac"), (b"aaaa\0", b"aab")]
    for size in (64, 65):
        keys = [b"k%d" % i + b"-" * (size - 2) for i in (1, 3, 5)]
        yield ("blocked", [], [], 3, keys), [
            (b"k3", b"k4"), (b"k4", b"k5"), (b"k3-", b"k3-" + b"-" * 70), (b"k3.", b"k4")]
    # Delimiters around byte 128 and byte 1024.
    long = sorted(b"x" * n + end for n in (126, 127, 128, 1021, 1022, 1023)
                  for end in (b"/a/b", b"//", b"y"))
    yield ("blocked", [(504, 1)], [(0x2F, 1, 1), (0x2F, 2, 2)], 4, long), [
        (prefix, above(prefix)) for prefix in (
            b"x" * 126 + b"/a/", b"x" * 126 + b"/b/", b"x" * 127 + b"/", b"x" * 129 + b"/",
            b"x" * 1022 + b"/", b"x" * 1023 + b"/", b"x" * 1020 + b"/", b"x" * 1022 + b"/a",
            b"x" * 1022 + b"/b/", b"x" * 1023 + b"/b/", b"x" * 1024 + b"/")]
    # No entries of these kinds; no keys that have any.
    yield ("ribbon", [], [(0x2F, 1, 1)], 5, [b"ant", b"bees"]), [
        (b"a/", b"a0"), (b"a", b"b"), (b"c", b"d")]
    # Bounds as people write them. Digits carry; a day or an hour has few candidates.
    users = [b"user:%06d:post:%02d" % (u, p) for u in (9, 16, 18, 99, 102) for p in (1, 3)]
    bounds = [(b"user:%06d" % u + tail, b"user:%06d" % (u + width) + tail)
              for u, width in ((17, 1), (16, 1), (9, 1), (98, 1), (99, 1), (19, 40), (17, 2))
              for tail in (b"", b":", b":post", b":post:00")]
    # A foreign short key, and one with other bytes.
    for foreign in ([], [b"ab"], [b"zzzzzzzzzz/zzzzzz", b"zzzzzzzzzz}"]):
        for kinds in (([], [(0x3A, 2, 2)]), ([(88, 3)], []), ([(61, 2), (128, 1)], [])):
            yield ("blocked", *kinds, 8, sorted(users + foreign)), bounds
    times = sorted(b"2026-1%d-%02dT%02d:%02dZ" % (m, d, h, n) for m in (0, 1) for d in (9, 10, 30)
                   for h in (8, 19, 23) for n in (0, 59))
    yield ("ribbon", [(80, 2)], [(0x3A, 1, 4)], 9, times), [
        (b"2026-10-1" + begin, b"2026-1" + end) for begin, end in (
            (b"1", b"0-12"), (b"0T19:00", b"0-10T19:01"), (b"0T19:01", b"0-10T19:10"),
            (b"0T09", b"0-10T10"), (b"0T09:30", b"0-10T19"), (b"1", b"1-01"), (b"2", b"1-10"))]
    hexadecimal = [b"%016x" % (0x9F << 24 | i << 4) for i in range(0, 4096, 255)]
    yield ("blocked", [(112, 1)], [], 10, hexadecimal), [
        (b"%014x" % i, b"%014x" % (i + 1)) for i in range(0x9F000F, 0x9F002F, 4)] + [
        (b"%016x" % i, b"%016x" % (i + 9)) for i in range(0x9F000FF9, 0x9F000FF9 + 60, 8)]
    # Few bits for each entry.
    many = [number(97 * i, 4) + number(i % 3, 2) for i in range(300)]
    for bits_per_entry in (1.25, 2, 3):
        yield ("ribbon", [(24, 1), (32, 1)], [], 77, many, bits_per_entry), [
            (number(first, 4), number(first + width, 4))
            for first, width in ((96, 1), (97, 1), (98, 90), (1000, 10), (4000, 20), (20000, 5),
                                 (29100, 1), (30000, 50), (1 << 24, 9), (1 << 30, 1))]
    # Ribbon, with copies of cells and of prefixes.
    more_posts = sorted(b"user:%d:post:%d" % (u * u, p * p) for u in range(10, 90)
                        for p in range(u % 7))
    yield ("ribbon", [(56, 1), (72, 2)], [(0x3A, 2, 3)], 11, more_posts, 5), [
        (b"user:%d" % u + begin, b"user:%d" % u + end) for u in (100, 121, 122, 5000, 7921)
        for begin, end in ((b":", b";"), (b":post:", b":post;"), (b":post:2", b":post:4"))]


def ranges():
    for arguments, queries in range_cases():
        layout, cells, prefixes, seed, keys = arguments[:5]
        cells = ",".join("%dx%d" % kind for kind in cells) or "-"
        prefixes = ",".join("%02x:%dx%d" % kind for kind in prefixes) or "-"
        made = RangeFilter(*arguments)
        yield (f"{layout} {made.bits_per_entry} {cells} {prefixes} {made.num_entries} {seed} "
               f"{','.join(key.hex() or '-' for key in keys)} {made.value.hex()}")
        for begin, end in queries:
            answer = "may" if made.may_match(begin, end) else "no"
            assert answer == "may" or not any(begin <= key < end for key in keys)
            yield f"range {begin.hex() or '-'} {end.hex() or '-'} {answer}"


FILES = {"ranges.txt": ranges, "vectors.txt": vectors, "keys.txt": keys,
         "ribbon_filters.txt": ribbon_filters, "leveldb_names.txt": leveldb_names,
         "saved_filters.txt": saved_vectors}


def main():
    if sys.argv[1:2] != ["--check"]:
        sys.stdout.write(text_of(sys.argv[1] if len(sys.argv) > 1 else "vectors.txt"))
        return
    for name in FILES:
        with open(os.path.join(os.path.dirname(__file__), name), encoding="ascii") as file:
            if file.read() != text_of(name):
                sys.exit(f"{name} differs from what docs/format.md prescribes")
        print(f"{name} agrees")


def text_of(name):
    return "".join(line + "\n" for line in FILES[name]())


if __name__ == "__main__":
    main()

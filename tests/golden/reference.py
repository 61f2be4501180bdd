#!/usr/bin/python3
"""docs/format.md in Python. Shares nothing with the library but the definition of xxHash.

Usage: reference.py [NAME]   prints the golden vectors of NAME in FILES, or of vectors.txt
       reference.py --check  compares each file here with what it would print

Each vector is one line. Filters, files and keys are hexadecimal. Keys are separated by commas; - is
the empty key.
vectors.txt: container layout bits_per_key seed keys filter
compact_blocks.txt: "written" arrangement keys block, or "read" arrangement matches block.
Keys are decimal numbers without leading zeros, with seed 0, in ranges FIRST-END without END.
Matches are those of the keys 0 to 299 that the block matches: numbers, all, or none.
leveldb_names.txt: name seed name-of-the-policy
saved_filters.txt: kind layout num_bits num_probes seed capacity keys file. The numbers of a
scalable filter are separated by commas, one for each stage. Keys are added in this order.
ranges.txt: layout bits_per_entry cells prefixes num_entries seed keys value-of-the-property; - is
none. Cells are BITSxCOPIES, prefixes BYTE:DEPTHxCOPIES with the byte in hexadecimal. The payload has
this layout, and each copy of an entry bits_per_entry. num_entries counts copies. After each value:
"range" begin end answer.
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
    h = h64(key, seed)
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
LAYOUT_ID = {"blocked": 1, "flat": 2, "compact": 3}


def payload(layout, keys, num_bytes, k, seed):
    out = bytearray(num_bytes)
    for key in keys:
        for bit in POSITIONS[layout](key, seed, num_bytes * 8, k):
            out[bit // 8] |= 1 << (bit % 8)
    return bytes(out)


# Solved blocks (section 3.4).
C = N[:4]


def mum(a, b):
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def fingerprint(h):
    return h & 0xFFFFFF


def selector(h):
    return h >> 24 & 0xFF


# Compact (section 3.5). Blocks are lists of bits, equations are numbers of any length.
class Arrangement:
    """How the blocks of a filter are divided, by the arrangement's number."""
    # (U, F, G, S)
    ALL = [(32, 2, 8, 116), (32, 3, 2, 80), (64, 4, 8, 116), (64, 5, 4, 96), (64, 6, 2, 80),
           (64, 7, 0, 64), (16, 1, 8, 116)]
    def __init__(self, number):
        self.number = number
        self.block_bytes, self.fast_columns, self.field_bytes, self.max_slots = self.ALL[number]
        self.payload_bits = 8 * self.block_bytes - 12

    def of_block(self, slots):
        if slots <= self.max_slots:
            return self
        return Arrangement(max(i for i, (block_bytes, _, _, max_slots) in enumerate(self.ALL)
                               if block_bytes == self.block_bytes and slots <= max_slots))

    def columns(self, slots):
        """The columns of a block of this arrangement: positions by slot; the partial one, last."""
        fast, payload_bits = self.fast_columns, self.payload_bits
        columns = [[64 * i + j if j < 64 else 64 * fast + 8 * self.field_bytes * i + j - 64
                    for j in range(slots)] for i in range(fast)]
        used = set(sum(columns, []))
        pool = [bit for bit in [*range(64 * fast, payload_bits), *range(64 * fast)]
                if bit not in used]
        while pool:
            columns.append(pool[:slots])
            pool = pool[slots:]
        if len(columns) == payload_bits // slots:
            columns.append([])
        return columns


def threshold(partial_slots, slots):
    return min(255, 256 * (partial_slots + 2) // slots) if partial_slots else 0


def uses_partial_column(h, slots, attempt, partial_slots):
    salt = 157 * attempt + 101 * slots
    return (selector(h) + salt) % 256 < threshold(partial_slots, slots)


def key_words(h):
    """a, b and c of the page."""
    a = mum(h, C[1])
    return a, (a * C[3] & MASK64) >> 12, h * C[1] >> 64


def coefficients(h, slots, attempt):
    a, b, c = key_words(h)
    bits = [a >> j & 1 for j in range(64)] + [b >> j & 1 for j in range(52)]
    return [bit ^ (c >> (j + attempt) & 1 if j < 3 else 0) for j, bit in enumerate(bits[:slots])]


def bloom_block_bits(h, payload_bits, k):
    a = h & MASK32
    return [probe(a, rotl32(a, 16), j) * payload_bits >> 32 for j in range(k)]


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


def solve_attempt(hashes, arrangement, slots, attempt):
    """The set bits of a block, or None."""
    columns = arrangement.of_block(slots).columns(slots)
    partial = columns.pop()
    distinct = sorted(set(hashes))
    order = [*range(3, slots), 0, 1, 2]
    # Independent: there is a solution whatever is on the right, such as a 1 for one hash.
    equations = []
    for h in distinct:
        mine = coefficients(h, slots, attempt)
        equations.append(([mine[j] for j in order], fingerprint(h) | 1 << 24 + distinct.index(h)))
    values = solution(equations)
    users = [h for h in hashes if uses_partial_column(h, slots, attempt, len(partial))]
    if values is None or len(users) > len(partial):
        return None
    partial_values = solution([(coefficients(h, len(partial), attempt),
                                fingerprint(h) >> len(columns) & 1) for h in users])
    if partial_values is None:
        return None
    bits = {partial[j] for j, value in partial_values.items() if value}
    for i, column in enumerate(columns):
        bits |= {column[order[j]] for j, value in values.items() if value >> i & 1}
    return bits


def block_of_bits(arrangement, bits, code, attempt):
    number = sum(1 << bit for bit in bits) | (code | attempt << 7) << arrangement.payload_bits
    return number.to_bytes(arrangement.block_bytes, "little")


def compact_block(hashes, arrangement):
    if not hashes:
        return bytes(arrangement.block_bytes)
    if len(hashes) > 116:
        hashes = sorted(set(hashes))
    first = max(len(hashes), 22)
    last, attempts = next(((last, attempts) for limit, last, attempts in
                           [(64, 73, 31), (75, 88, 31), (83, 104, 15), (96, 106, 15),
                            (116, 116, 4)] if first <= limit), (0, 0))
    for slots in range(first, last + 1):
        for attempt in range(1, attempts + 1):
            bits = solve_attempt(hashes, arrangement, slots, attempt)
            if bits is not None:
                return block_of_bits(arrangement, bits, slots - 22, attempt)
    n = len(hashes) if len(hashes) <= 116 else 160
    k = min(15, max(1, (177 * arrangement.payload_bits // 256 + n // 2) // n))
    bits = {bit for h in hashes for bit in bloom_block_bits(h, arrangement.payload_bits, k)}
    return block_of_bits(arrangement, bits, 127, k)


def compact_block_query(block, arrangement):
    """The function that says whether the block may match a hash."""
    bits = [byte >> i & 1 for byte in block for i in range(8)]
    header = sum(bit << i for i, bit in enumerate(bits[arrangement.payload_bits:]))
    code, attempt = header % 128, header >> 7
    slots = 22 + code
    if code == 127:
        return lambda h: all(bits[bit] for bit in
                             bloom_block_bits(h, arrangement.payload_bits, attempt % 16))
    if slots > 116:
        return lambda h: True
    columns = [[bits[bit] for bit in column]
               for column in arrangement.of_block(slots).columns(slots)]
    partial = columns.pop()

    def may_match(h):
        mine = coefficients(h, slots, attempt)

        def agrees(i, column):
            return sum(a & b for a, b in zip(column, mine)) % 2 == fingerprint(h) >> i & 1
        return (all(agrees(i, column) for i, column in enumerate(columns)) and
                (not uses_partial_column(h, slots, attempt, len(partial)) or
                 agrees(len(columns), partial)))
    return may_match


# Small sets (section 3.8).
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
            # Independent, as in solve_attempt.
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


def in_blocks(keys, num_blocks, seed):
    """The hashes of each block."""
    return hashes_in_blocks([h64(key, seed) for key in keys], num_blocks)


def hashes_in_blocks(hashes, num_blocks):
    blocks = [[] for _ in range(num_blocks)]
    for h in hashes:
        blocks[(h * num_blocks) >> 64].append(h)
    return blocks


TRAILER_BYTES = 20


def container_end(seed, units, layout, parameter):
    """The trailer."""
    return (seed.to_bytes(8, "little") + units.to_bytes(4, "little") +
            bytes([LAYOUT_ID[layout], parameter, 0, 0]) + b"bLn\x01")


def compact_shape(n, bits_per_key):
    """Arrangement and L."""
    arrangement = Arrangement(sum(bits_per_key >= from_bits for from_bits in
                                  (3.6, 5.5, 6.4, 8.2, 9.8)))
    block_bytes = arrangement.block_bytes
    paid_bytes = n * bits_per_key / 8 - TRAILER_BYTES
    num_blocks = max(1, math.ceil(paid_bytes / block_bytes)) if n else 0
    return arrangement, num_blocks


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


def standalone_compact(keys, bits_per_key, seed, in_rocksdb=False):
    keys = unique_neighbours(keys)
    shape = rocksdb_compact_shape if in_rocksdb else compact_shape
    arrangement, num_blocks = shape(len(keys), bits_per_key)
    payload_bytes = b"".join(compact_block(hashes, arrangement)
                             for hashes in in_blocks(keys, num_blocks, seed))
    return payload_bytes + container_end(seed, num_blocks, "compact", arrangement.number)


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


def rocksdb_compact_shape(n, bits_per_key):
    """Arrangement and L."""
    arrangement, num_blocks = compact_shape(n, bits_per_key)
    end = TRAILER_BYTES
    paid_bytes = n * bits_per_key / 8
    num_bytes = num_blocks * arrangement.block_bytes
    small_blocks = max(1, math.ceil((paid_bytes - end) / 32))
    if (num_blocks > 1 and bits_per_key <= 11 and num_bytes + end > 1.1 * paid_bytes
            and small_blocks * 32 >= 0.95 * paid_bytes and small_blocks * 32 < num_bytes):
        return Arrangement(1), small_blocks
    return arrangement, num_blocks


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
        ("standalone", "compact", 3, 0, 0, many),
        ("standalone", "compact", 4, 0, 0, many),
        ("standalone", "compact", 6, 0, 5, many),
        ("standalone", "compact", 7.1, 0, 0, many),
        ("standalone", "compact", 9, 0, 0, many),
        ("standalone", "compact", 10, 0, 7, many),
        ("standalone", "compact", 16, 0, MASK64, many),
        # The least that an arrangement is for.
        ("standalone", "compact", 3.6, 0, 0, counters),
        ("standalone", "compact", 5.5, 0, 0, counters),
        ("standalone", "compact", 6.4, 0, 0, counters),
        ("standalone", "compact", 8.2, 0, 0, counters),
        ("standalone", "compact", 9.8, 0, 0, counters),
        ("standalone", "compact", 24, 0, 0x0123456789ABCDEF, counters + odd),
        ("standalone", "compact", 10, 0, 0, many[:50] + many[48:49]),
        ("standalone", "compact", 10, 0, 0, []),
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
        ("rocksdb", "compact", 10, 0, 0, many[:186]),
        ("rocksdb", "compact", 10, 0, 0, many[:20]),
        ("rocksdb", "compact", 7.1, 0, 0, many[:186]),
        ("rocksdb", "compact", 12, 0, 0, many[:186]),
        ("rocksdb", "compact", 10, 0, 0, many),
        ("standalone", "blocked", 16, 9, 0, long),
        ("rocksdb", "flat", 16, 11, 0x0123456789ABCDEF, long),
    ]
    for container, layout, bits_per_key, k, seed, keys in cases:
        if layout == "compact":
            filter_bytes = (leveldb_compact(keys, bits_per_key, seed) if container == "leveldb"
                            else standalone_compact(keys, bits_per_key, seed,
                                                    container == "rocksdb"))
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


# Blocks alone, for what few filters have. Keys are the decimal numbers of some ranges.
def keys_of(ranges):
    return [b"%d" % i for first, end in ranges for i in range(first, end)]


def range_text(ranges):
    return ",".join(f"{first}-{end}" for first, end in ranges) or "none"


def pseudorandom_block(name, arrangement, code, attempt):
    words = [h64(b"%d" % i, h64(name, 0)) for i in range(8)]
    number = sum(word << 64 * i for i, word in enumerate(words))
    bits = [bit for bit in range(arrangement.payload_bits) if number >> bit & 1]
    return block_of_bits(arrangement, bits, code, attempt)


def compact_blocks():
    written = []
    for number, (_, _, _, max_slots) in enumerate(Arrangement.ALL):
        # Beside few keys and many: the most that are of the filter's arrangement, and one more.
        # Repeated hashes: fewer than a block can have slots, and more.
        written += [(number, ranges) for ranges in [
            [], [(0, 1)], [(0, 21)], [(0, 22)], [(0, 36)], [(50, 50 + 63)], [(0, 64)], [(0, 65)],
            [(100, 100 + max_slots - 3)], [(0, min(116, max_slots + 1))], [(300, 384)],
            [(0, 97)], [(0, 116)], [(0, 117)], [(0, 600)],
            [(0, 60)] + 3 * [(10, 12)], 2 * [(0, 50)], 2 * [(0, 70)]]]
    # w = 0; 64 slots and more of the partial column; only a Bloom block.
    written += [(2, [(0, 50)]), (0, [(7, 7 + 61)]), (2, [(0, 72)]), (0, [(0, 86)]), (5, [(9, 120)])]
    written += [(6, [(0, 58)]), (6, [(0, 57)])]
    # The most slots of an arrangement.
    written += [(4, [(1004, 1083)]), (1, [(1005, 1084)]), (3, [(1002, 1097)]), (5, [(1000, 1064)])]
    for number, ranges in written:
        arrangement = Arrangement(number)
        hashes = [h64(key, 0) for key in keys_of(ranges)]
        block = compact_block(hashes, arrangement)
        assert all(map(compact_block_query(block, arrangement), hashes))
        yield f"written {number} {range_text(ranges)} {block.hex()}"
    queries = [h64(key, 0) for key in keys_of([(0, 300)])]
    for number, (_, _, _, max_slots) in enumerate(Arrangement.ALL):
        arrangement = Arrangement(number)
        headers = {(code, 31 - code % 32) for code in [*range(2, 127, 8), 0, 41, 42, 43, 93, 94, 95,
                                                       126, max_slots - 22, max_slots - 21]}
        headers |= {(42, 0), (60, 1)} | {(127, attempt) for attempt in (0, 1, 2, 7, 15, 16, 18)}
        for code, attempt in sorted(headers):
            name = b"%d %d %d" % (number, code, attempt)
            block = pseudorandom_block(name, arrangement, code, attempt)
            may_match = compact_block_query(block, arrangement)
            matches = [i for i, h in enumerate(queries) if may_match(h)]
            text = "all" if len(matches) == len(queries) else ",".join(map(str, matches))
            yield f"read {number} {text or 'none'} {block.hex()}"


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


class Payload:
    """The least payload with so many bits for each hash."""

    def __init__(self, layout, hashes, bits_per_hash, num_probes):
        paid_bytes = len(hashes) * bits_per_hash / 8
        self.layout = layout
        if layout == "compact":
            arrangement = Arrangement(sum(bits_per_hash >= from_bits for from_bits in
                                          (3.6, 5.5, 6.4, 8.2, 9.8)) if bits_per_hash >= 2.5 else 6)
            self.parameter, block_bytes = arrangement.number, arrangement.block_bytes
        else:
            self.parameter, block_bytes = num_probes, 64
        self.units = max(1, math.ceil(paid_bytes / block_bytes))
        if layout == "compact":
            blocks = [compact_block(mine, arrangement)
                      for mine in hashes_in_blocks(hashes, self.units)]
            self.bytes = b"".join(blocks)
            self.queries = [compact_block_query(block, arrangement) for block in blocks]
        else:
            bits = 0
            for h in hashes:
                bits |= self.mask(h)
            self.bytes = bits.to_bytes(64 * self.units, "little")
            self.bits = bits

    def mask(self, h):
        return sum({1 << bit for bit in
                    blocked_hash_positions(h, 512 * self.units, self.parameter)})

    def has(self, h):
        if self.layout == "compact":
            return self.queries[h * self.units >> 64](h)
        return self.mask(h) & ~self.bits == 0


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
        self.payload = Payload(layout, sorted(entries), bits_per_entry, 5) if entries else None
        container = b""
        if self.payload:
            container = self.payload.bytes + container_end(seed, self.payload.units, layout,
                                                           self.payload.parameter)
        elif cells or prefixes:  # it has none of the entries
            container = container_end(seed, 0, "blocked", 1)
        limit_bytes = b"".join(map(bytes, limits))
        self.value = struct.pack("<BHHH", 1, len(self.last_key), len(field), len(limit_bytes))
        self.value += self.last_key + field + limit_bytes + container

    def has(self, entry, copies):
        return self.payload is not None and all(map(self.payload.has, copies_of(entry, copies)))

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
    # Prefixes of depth 8: all occurrences from the eighth on. Compact, with copies.
    deep = sorted(b"/%d" % i + b"/x" * slashes + b"/" + name
                  for i in range(6) for slashes in (2, 6, 9) for name in (b"1", b"2"))
    yield ("compact", [], [(0x2F, 3, 1), (0x2F, 8, 4), (0x3A, 1, 2)], MASK64, deep), [
        (prefix, above(prefix)) for prefix in (
            b"/5/", b"/3/x/", b"/3/y/", b"/3" + b"/x" * 5 + b"/", b"/3" + b"/x" * 7 + b"/",
            b"/3/x/x/x/x/x/x/y/", b"/3" + b"/x" * 9 + b"/", b"/3" + b"/x" * 8 + b"/y/", b"/3:")]
    # A number of 8 bytes and eight '0', as db_bench makes them: bounds are keys, end within the
    # suffix, or are longer.
    numbers = [number(1000 * i) + b"0" * 8 for i in range(40)]
    zeros = b"0" * 8
    yield ("compact", [(48, 3)], [], 0x0123456789ABCDEF, numbers), [
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
    yield ("compact", [], [(0x2F, 1, 1)], 5, [b"ant", b"bees"]), [
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
    yield ("compact", [(80, 2)], [(0x3A, 1, 4)], 9, times), [
        (b"2026-10-1" + begin, b"2026-1" + end) for begin, end in (
            (b"1", b"0-12"), (b"0T19:00", b"0-10T19:01"), (b"0T19:01", b"0-10T19:10"),
            (b"0T09", b"0-10T10"), (b"0T09:30", b"0-10T19"), (b"1", b"1-01"), (b"2", b"1-10"))]
    hexadecimal = [b"%016x" % (0x9F << 24 | i << 4) for i in range(0, 4096, 255)]
    yield ("blocked", [(112, 1)], [], 10, hexadecimal), [
        (b"%014x" % i, b"%014x" % (i + 1)) for i in range(0x9F000F, 0x9F002F, 4)] + [
        (b"%016x" % i, b"%016x" % (i + 9)) for i in range(0x9F000FF9, 0x9F000FF9 + 60, 8)]
    # Few bits for each entry: blocks of 16 bytes.
    many = [number(97 * i, 4) + number(i % 3, 2) for i in range(300)]
    for bits_per_entry in (1.25, 2, 3):
        yield ("compact", [(24, 1), (32, 1)], [], 77, many, bits_per_entry), [
            (number(first, 4), number(first + width, 4))
            for first, width in ((96, 1), (97, 1), (98, 90), (1000, 10), (4000, 20), (20000, 5),
                                 (29100, 1), (30000, 50), (1 << 24, 9), (1 << 30, 1))]


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
         "compact_blocks.txt": compact_blocks, "leveldb_names.txt": leveldb_names,
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

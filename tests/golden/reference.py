#!/usr/bin/python3
"""docs/format.md in Python. Shares nothing with the library but the definition of xxHash.

Usage: reference.py [NAME]           prints the golden vectors of NAME in FILES, or of vectors.txt
       reference.py --check FILE...  compares each FILE with what it would print

Each vector is one line. Filters, files and keys are hexadecimal. Keys are separated by commas; - is
the empty key.
vectors.txt: container layout bits_per_key seed keys filter
leveldb_names.txt: name seed name-of-the-policy
saved_filters.txt: kind layout num_bits num_probes seed capacity keys file. The numbers of a
scalable filter are separated by commas, one for each stage. Keys are added in this order.
"""
import math
import os
import struct
import sys

import xxhash

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
    h = h64(key, seed)
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
LAYOUT_ID = {"classic": 0, "blocked": 1, "flat": 3}


def payload(layout, keys, num_bytes, k, seed):
    out = bytearray(num_bytes)
    for key in keys:
        for bit in POSITIONS[layout](key, seed, num_bytes * 8, k):
            out[bit // 8] |= 1 << (bit % 8)
    return bytes(out)


# Compact, packed (section 3.4). Rows are lists of bits, to differ from the library's words.
MASK56 = (1 << 56) - 1
C = N[:4]


def mum(a, b):
    product = a * b
    return (product & ((1 << 64) - 1)) ^ (product >> 64)


def line_shape(line_bytes, slots):
    payload_bits = 8 * (line_bytes - 1)
    rows = min(24, payload_bits // slots)
    left = payload_bits - rows * slots if rows < 24 else 0
    share = 256 * (left - 2) // slots if left > 2 else 0
    return rows, left if share > 0 else 0, share


def slot_bits(h, seed_number, slots):
    m = (mum(h ^ C[0], C[1]) & MASK56) | (mum(h ^ C[2], C[3]) & MASK56) << 56
    return [m >> ((j + 28 * seed_number) % 112) & 1 for j in range(slots)]


def fingerprint(h):
    return h & 0xFFFFFF


def selector(h):
    return h >> 24 & 0xFF


def solve(equations, slots):
    """Solution of (coefficients, right side) pairs with zeros outside the pivots, or None."""
    pivots = {}
    for coefficients, right in equations:
        coefficients = list(coefficients)
        for slot in range(slots):
            if not coefficients[slot]:
                continue
            if slot not in pivots:
                pivots[slot] = (coefficients, right)
                break
            other, other_right = pivots[slot]
            coefficients = [a ^ b for a, b in zip(coefficients, other)]
            right ^= other_right
        else:
            if right:
                return None
    solution = [0] * slots
    for slot in sorted(pivots, reverse=True):
        coefficients, right = pivots[slot]
        for other in range(slot + 1, slots):
            right ^= coefficients[other] & solution[other]
        solution[slot] = right
    return solution


def solve_line(hashes, line_bytes, base):
    if not hashes:
        return bytes(line_bytes)
    for slots in range(max(len(hashes), base), min(112, base + 62) + 1):
        rows, partial, share = line_shape(line_bytes, slots)
        for seed_number in range(4):
            solutions = []
            for row in range(rows):
                solutions.append(solve([(slot_bits(h, seed_number, slots),
                                         fingerprint(h) >> row & 1) for h in hashes], slots))
            asking = [h for h in hashes if selector(h) < share]
            solutions.append(solve([(slot_bits(h, seed_number, partial), fingerprint(h) >> rows & 1)
                                    for h in asking], partial))
            if None in solutions:
                continue
            line = sum(bit << i for i, bit in enumerate(sum(solutions, [])))
            header = slots - base + 64 * seed_number
            return line.to_bytes(line_bytes - 1, "little") + bytes([header])
    return bytes(line_bytes - 1) + bytes([63])


# Compact in lanes (section 3.5). A block is eight lanes of 64 bits.
def lane_slots(h, t, slots):
    a, b = mum(h, C[1]), mum(h, C[3])
    bits = [a >> j & 1 for j in range(63)] + [b >> j & 1 for j in range(49)]
    for j in (0, 8, 16):
        bits[j] ^= b >> (40 + j + t) & 1
    return bits[:slots]


def lane_places(slots, header):
    """Positions in a block: for each row, and for the partial one, (lane, bit) by slot; then the
    positions of z, the threshold T, and the salt (None: 64 z)."""
    if slots <= 63:
        num_rows = min(24, 504 // slots)
        rows = [{j: (i, j) for j in range(slots)} for i in range(min(8, num_rows))]
        tail = [(lane, bit) for lane in range(8) for bit in range(slots, 63)]
        for i in range(8, num_rows):
            rows.append({j: tail[(i - 8) * slots + j] for j in range(slots)})
        left = tail[(num_rows - 8) * slots:]
        if len(left) < 4:
            return rows, {}, [], 0, 0
        width = len(left) - 2
        return rows, dict(enumerate(left[2:])), left[:2], 256 * width // slots, None
    e = slots - 63
    k = 63 // e
    num_rows = 504 // slots
    while -(-num_rows // k) > 8 - num_rows:
        num_rows -= 1
    rows = []
    for i in range(num_rows):
        row = {j: (i, j) for j in range(63)}
        row.update({63 + j: (num_rows + i // k, i % k * e + j) for j in range(e)})
        rows.append(row)
    x = e * min(num_rows, k)
    partial = {j: (num_rows, j) for j in range(x, 63)}
    if num_rows < 7:
        y = e * max(0, num_rows - (7 - num_rows) * k)
        partial.update({63 + i: (7, y + i) for i in range(min(63 - y, x))})
    width = len(partial)
    share = 256 * width // slots
    return rows, partial if share else {}, [], share, 157 * header


def lane_header(code, t):
    if 11 <= code < 32:
        return 8 * (code - 11) + t
    return 168 + 2 * (code if code < 11 else code - 21) + t


def solve_lanes(hashes, base):
    if not hashes:
        return bytes(64)
    n = len(hashes)
    distinct = list(dict.fromkeys(hashes))
    most_beyond_63 = 16 if n <= 56 else 32 if n <= 88 else 49
    for slots in range(max(n, base), min(112, base + 63, 63 + most_beyond_63) + 1):
        code = slots - base
        order = [j for j in range(slots) if j not in (0, 8, 16)] + [0, 8, 16]
        for t in range(8 if 11 <= code < 32 and n <= 88 else 2):
            header = lane_header(code, t)
            equations = [[lane_slots(h, t, 112)[j] for j in order] for h in hashes]
            # The equations are independent if any right-hand sides have a solution, so in
            # particular those that are 1 for one hash.
            if any(solve([(e, int(h == one)) for h, e in zip(hashes, equations)], slots) is None
                   for one in distinct):
                continue
            rows, partial, places_of_z, share, salt = lane_places(slots, header)
            partial_slots = sorted(partial)
            for z in range(4 if places_of_z else 1):
                asking = [h for h in hashes
                          if (selector(h) + (64 * z if salt is None else salt)) % 256 < share]
                solution = solve([([lane_slots(h, t, 112)[j] for j in partial_slots],
                                   fingerprint(h) >> len(rows) & 1) for h in asking],
                                 len(partial_slots))
                if len(asking) <= len(partial_slots) and solution is not None:
                    break
            else:
                continue
            lanes = [0] * 8
            for slot, bit in zip(partial_slots, solution):
                lane, place = partial[slot]
                lanes[lane] |= bit << place
            for i, (lane, place) in enumerate(places_of_z):
                lanes[lane] |= (z >> i & 1) << place
            for i, row in enumerate(rows):
                bits = solve([(e, fingerprint(h) >> i & 1) for e, h in zip(equations, hashes)],
                             slots)
                for slot, bit in zip(order, bits):
                    lane, place = row[slot]
                    lanes[lane] |= bit << place
            for i in range(8):
                lanes[i] |= (header >> i & 1) << 63
            return b"".join(lane.to_bytes(8, "little") for lane in lanes)
    return b"\xff" * 64


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
            equations = [[small_set_slots(h, t, slots)[j] for j in order] for h in hashes]
            if any(solve([(e, int(h == one)) for h, e in zip(hashes, equations)], slots) is None
                   for one in distinct):
                continue
            partial_bits = solve([([small_set_slots(h, t, slots)[j] for j in partial_order],
                                   fingerprint(h) >> columns & 1) for h in users], partial)
            if partial_bits is None:
                continue
            bits = 0
            for i in range(columns):
                column = solve([(e, fingerprint(h) >> i & 1) for e, h in zip(equations, hashes)],
                               slots)
                for slot, bit in zip(order, column):
                    bits |= bit << (8 * slot + i if columns >= 8 and i < 8 else slots * i + slot)
            for slot, bit in zip(partial_order, partial_bits):
                bits |= bit << (columns * slots + slot)
            return t, bits.to_bytes(block_bytes - 1, "little") + bytes([slots + 64 * (t % 4)])
    return 0, bytes(block_bytes)


def compact_payload(keys, num_lines, line_bytes, base, seed, lanes=False):
    lines = [[] for _ in range(num_lines)]
    for key in keys:
        h = h64(key, seed)
        lines[(h * num_lines) >> 64].append(h)
    return b"".join(solve_lanes(line, base) if lanes else solve_line(line, line_bytes, base)
                    for line in lines)


def leveldb_compact(keys, bits_per_key, seed):
    keys = unique_neighbours(keys)
    num_bytes = math.ceil(len(keys) * bits_per_key / 8)
    num_blocks = max(1 if len(keys) <= 56 else math.ceil(len(keys) / 40),
                     math.ceil(num_bytes / 64))
    block_bytes = num_bytes // num_blocks
    assert block_bytes >= 8 and num_blocks <= 24
    blocks = [[] for _ in range(num_blocks)]
    for key in keys:
        h = h64(key, seed)
        blocks[(h * num_blocks) >> 64].append(h)
    if num_blocks == 1:
        t, block = small_set_block(blocks[0], block_bytes, 16)
        return block + bytes([0xE0 + t // 4])
    return b"".join(small_set_block(block, block_bytes, 4)[1] for block in blocks) + bytes(
        [0xE2 + num_blocks])


def standalone_compact(keys, bits_per_key, seed):
    keys = unique_neighbours(keys)
    lanes = bits_per_key >= 6.4
    line_bytes = 64 if lanes else 32
    base = int(8 * line_bytes / bits_per_key) - 20
    base = min(64, max(21, base)) if lanes else min(50, max(1, base))
    num_lines = max(1, math.ceil((len(keys) * bits_per_key / 8 - 20) / line_bytes)) if keys else 0
    trailer = seed.to_bytes(8, "little") + num_lines.to_bytes(4, "little")
    trailer += bytes([5 if lanes else 4, base, 0, 0]) + b"bLn\x01"
    return compact_payload(keys, num_lines, line_bytes, base, seed, lanes) + trailer


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
            num_bytes = 64 * math.ceil(len(keys) * bits_per_key / 512)
    return payload(layout, keys, num_bytes, k, seed) + bytes([LEVELDB_CODE[layout] + k])


def leveldb_name(name, seed):
    halves = [h64(half + b" half of bloomline's seed check", seed)
              for half in (b"first", b"second")]
    return name + ".seed-%016x%016x" % tuple(halves) if seed else name


def standalone_filter(layout, keys, bits_per_key, k, seed):
    unit = 64 if layout == "blocked" else 1
    num_bytes = 0
    keys = unique_neighbours(keys)
    num_bytes = 64 * max(1, math.ceil((len(keys) * bits_per_key / 8 - 20) / 64)) if keys else 0
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
        ("leveldb", "compact", 10, 0, 0, counters),
        ("leveldb", "compact", 10, 0, 0, many[:100]),
        ("standalone", "compact", 6.4, 0, 0, many),
        ("standalone", "compact", 7.5, 0, 0, many),
        ("standalone", "compact", 10, 0, 7, many),
        ("standalone", "compact", 4, 0, 0, many),
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
    ]
    for container, layout, bits_per_key, k, seed, keys in cases:
        if layout == "compact":
            filter_bytes = (leveldb_compact(keys, bits_per_key, seed) if container == "leveldb"
                            else standalone_compact(keys, bits_per_key, seed))
        elif container == "leveldb":
            filter_bytes = leveldb_filter(layout, keys, bits_per_key, k, seed)
        else:
            filter_bytes = standalone_filter(layout, keys, bits_per_key, k, seed)
        key_list = ",".join(key.hex() or "-" for key in keys) or "none"
        yield f"{container} {layout} {bits_per_key} {seed} {key_list} {filter_bytes.hex()}"


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


FILES = {"vectors.txt": vectors, "leveldb_names.txt": leveldb_names,
         "saved_filters.txt": saved_vectors}


def main():
    if sys.argv[1:2] != ["--check"]:
        sys.stdout.write(text_of(sys.argv[1] if len(sys.argv) > 1 else "vectors.txt"))
        return
    for path in sys.argv[2:]:
        with open(path, encoding="ascii") as file:
            if file.read() != text_of(os.path.basename(path)):
                sys.exit(f"{path} differs from what docs/format.md prescribes")
        print(f"{path} agrees")


def text_of(name):
    return "".join(line + "\n" for line in FILES[name]())


if __name__ == "__main__":
    main()

"""Writes tables of RocksDB and LevelDB, right ones and wrong ones. Shares nothing with src: RocksDB
table/format.h and table/block_based/block_builder.cc, LevelDB doc/table_format.md."""
import struct

ROCKSDB_MAGIC = 0x88e241b785f4cff7
LEVELDB_MAGIC = 0xdb4775248b80fb57
NO_CHECKSUM, CRC32C = 0, 1  # RocksDB's types of checksums
TRAILER_BYTES = 5
RESTARTS = struct.pack("<II", 0, 1)


def varint(number):
    encoded = bytearray()
    while number >= 128:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def handle_of(place):
    return varint(place[0]) + varint(place[1])


def block(entries):
    """Entries are (bytes shared with the key before, other bytes of the key, value)."""
    return b"".join(varint(shared) + varint(len(key)) + varint(len(value)) + key + value
                    for shared, key, value in entries) + RESTARTS


def block_of(pairs):
    """Of keys that are stored whole, with values."""
    return block((0, key, value) for key, value in pairs)


def crc32c_of_byte(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc


CRC32C_OF_BYTES = [crc32c_of_byte(byte) for byte in range(256)]


def masked_crc32c(contents):
    crc = 0xffffffff
    for byte in contents:
        crc = crc >> 8 ^ CRC32C_OF_BYTES[(crc ^ byte) & 255]
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


class TableWriter:
    def __init__(self, contents=b"", checksum=CRC32C):
        self.bytes = bytearray(contents)
        self.checksum = checksum
        self.metaindex = []

    def add(self, contents, name=None, compression=0):
        """Adds a block, which the metaindex names unless `name` is None, and returns its place."""
        place = len(self.bytes), len(contents)
        stored = contents + bytes([compression])
        self.bytes += stored
        self.bytes += struct.pack("<I", masked_crc32c(stored) if self.checksum == CRC32C else 0)
        if name is not None:
            self.metaindex.append((0, name, handle_of(place)))
        return place

    def sorted_metaindex(self):
        return block(sorted(self.metaindex, key=lambda entry: entry[1]))

    def end(self, index, metaindex=None, version=5):
        """The table of RocksDB with this index and this metaindex, or its own."""
        metaindex = metaindex or self.add(self.sorted_metaindex())
        handles = handle_of(metaindex) + handle_of(index)
        return bytes(self.bytes + bytes([self.checksum]) + handles.ljust(40, b"\0") +
                     struct.pack("<IQ", version, ROCKSDB_MAGIC))

    def end_as_leveldb(self, index):
        handles = handle_of(self.add(self.sorted_metaindex())) + handle_of(index)
        return bytes(self.bytes + handles.ljust(40, b"\0") + struct.pack("<Q", LEVELDB_MAGIC))

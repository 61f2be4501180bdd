#include "src/cli/inspect/foreign_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>

#include "src/filter/container/trailer.h"
#include "src/filter/cpu/little_endian.h"
#include "src/filter/layouts/leveldb_codes.h"

namespace bloomline::cli {
namespace {

// The last 8 bytes of tables: of RocksDB's, LevelDB's and an early RocksDB's, of RocksDB's plain
// and cuckoo tables.
constexpr uint64_t kTableMagics[] = {0x88e241b785f4cff7, 0xdb4775248b80fb57, 0x8242229663bf9564,
                                     0x4f3418eb7a8f13b8, 0x926789d0c5f17873};

bool IsText(std::string_view bytes) {
  constexpr size_t kMaxLooked = 4096;
  const std::string_view start = bytes.substr(0, kMaxLooked);
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= ' ' && byte != 0x7f) || (byte >= '\t' && byte <= '\r');
  });
}

// Whether each block of 512 bytes has the mark that a shard's blocks have: also a shard of smaller
// blocks. Other bytes have it by chance once in 2^8 times, or less often.
bool HasMarkers(std::string_view bytes) {
  constexpr size_t kBlock = 512;
  constexpr size_t kMinBlocks = 8;
  if (bytes.size() < kMinBlocks * kBlock) return false;
  for (size_t end = kBlock; end <= bytes.size(); end += kBlock) {
    if ((bytes[end - 1] & 1) == 0) return false;
  }
  return true;
}

}  // namespace

std::string DescribeForeignFile(const std::string& name, std::string_view bytes) {
  if (bytes.size() >= 8) {
    const uint64_t magic = kernels::LoadLittleEndian64(bytes.data() + bytes.size() - 8);
    if (std::count(std::begin(kTableMagics), std::end(kTableMagics), magic) != 0) {
      return "a table of LevelDB or RocksDB; try: bloomline db inspect " + name;
    }
  }
  if (bytes.substr(0, 3) == "bLn") {
    return "it begins like a saved filter, of a kind that this version does not know: '" +
           std::string(bytes.substr(0, 8)) + "'";
  }
  if (bytes.substr(0, 5) == "REDIS") {
    return "a dump of Redis; the metadata of a filter can be inspected: redis-cli HGET "
           "'bloomline:{NAME}' metadata | bloomline inspect -";
  }
  if (bytes.empty() || filter::HasTrailer(bytes) || IsText(bytes)) return "";
  // RocksDB's own filters: a byte of -1 or -2 and two zero bytes (table/block_based/
  // filter_policy.cc). Without the trailer's magic number, which bloomline's have in their place.
  if (bytes.size() > 5) {
    const std::string_view trailer = bytes.substr(bytes.size() - 5);
    const auto kind = static_cast<signed char>(trailer[0]);
    if ((kind == -1 || kind == -2) && trailer[3] == 0 && trailer[4] == 0) {
      return kind == -1 ? "perhaps a Bloom filter of RocksDB itself"
                        : "perhaps a Ribbon filter of RocksDB itself";
    }
  }
  if (HasMarkers(bytes)) {
    return "perhaps a shard of a SharedBloomFilter in Redis; inspect the metadata instead: "
           "redis-cli HGET 'bloomline:{NAME}' metadata | bloomline inspect -";
  }
  if (!filter::DecodeLevelDB(bytes).always_matches()) {
    return "perhaps a filter that a policy wrote for LevelDB, which carries no mark; bloomline db "
           "inspect reads these in their tables";
  }
  return "";
}

std::string DescribeDirectory(const std::string& path) {
  struct stat status;
  if (stat((path + "/CURRENT").c_str(), &status) != 0) return "";
  return "the directory of a database; try: bloomline db inspect " + path;
}

}  // namespace bloomline::cli

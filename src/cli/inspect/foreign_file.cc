#include "src/cli/inspect/foreign_file.h"

#include <algorithm>
#include <cstdint>

#include "bloomline/key_canonicalizer.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/support/file_calls.h"

namespace bloomline::cli {
namespace {

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

// Empty if the bytes are nothing that is known here. `name` is what another command would be given.
std::string Describe(const std::string& name, std::string_view bytes) {
  if (!filter::TableKind(bytes).empty()) {
    return "a table of LevelDB or RocksDB; try: bloomline db inspect " + name;
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

}  // namespace

bool OpenFilterFile(const std::string& path, uint64_t max_pipe_bytes, WholeInput* file,
                    std::string* error) {
  if (file->Open(path, max_pipe_bytes, error)) return true;
  support::FileStatus status;
  if (support::Examine(path + "/CURRENT", &status)) {
    *error = path +
             ": not a bloomline filter: the directory of a database; try: bloomline db inspect " +
             path;
  }
  return false;
}

std::string NotAFilter(const WholeInput& file, const std::string& why) {
  const std::string known = Describe(file.name(), file.bytes());
  return file.name() + ": not a bloomline filter: " + (known.empty() ? why : known);
}

StaticFilter DecodeStatic(std::string_view bytes) {
  StaticFilter filter;
  filter.canonicalizer = RecordedCanonicalizer(bytes);
  filter.payload = filter::DecodeTrailer(bytes, &filter.why, filter.canonicalizer, &filter.fields);
  filter.is_understood = !filter.payload.always_matches() || filter::SaysAlwaysMatch(bytes);
  return filter;
}

}  // namespace bloomline::cli

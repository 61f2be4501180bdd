#include "tests/migration/old_manifest.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace bloomline::tests {
namespace {

// The tags of a version edit, the same in both engines but for the last.
enum Tag : uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPrevLogNumber = 9,
  kNewFile2 = 100,  // RocksDB: kNewFile, and the first and the last sequence number
};

// A record: masked CRC, length, type, payload. A record that is not whole in its block of 32 KiB
// has another type; a MANIFEST of a small database has none.
constexpr size_t kHeaderBytes = 7;
constexpr size_t kLogBlockBytes = 32768;
constexpr char kFullRecord = 1;

uint32_t Crc32c(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

bool Take(std::string_view* bytes, uint64_t* number) {
  *number = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *number |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool TakeText(std::string_view* bytes) {
  uint64_t size;
  if (!Take(bytes, &size) || size > bytes->size()) return false;
  bytes->remove_prefix(size);
  return true;
}

void Put(uint64_t number, std::string* bytes) {
  for (; number >= 128; number >>= 7) bytes->push_back(static_cast<char>(number | 128));
  bytes->push_back(static_cast<char>(number));
}

// Calls f(tag, bytes after the tag) for each field. Returns false for an unknown one.
template <typename F>
bool ForEachField(std::string_view edit, F f) {
  while (!edit.empty()) {
    uint64_t tag;
    uint64_t number;
    if (!Take(&edit, &tag)) return false;
    const std::string_view before = edit;
    bool is_ok = false;
    if (tag == kComparator) {
      is_ok = TakeText(&edit);
    } else if (tag <= kLastSequence || tag == kPrevLogNumber) {
      is_ok = Take(&edit, &number);
    } else if (tag == kCompactPointer) {
      is_ok = Take(&edit, &number) && TakeText(&edit);
    } else if (tag == kDeletedFile) {
      is_ok = Take(&edit, &number) && Take(&edit, &number);
    } else if (tag == kNewFile) {
      is_ok = Take(&edit, &number) && Take(&edit, &number) && Take(&edit, &number) &&
              TakeText(&edit) && TakeText(&edit);
    }
    if (!is_ok) return false;
    f(tag, before.substr(0, before.size() - edit.size()));
  }
  return true;
}

bool TakeRecord(std::string_view* log, std::string_view* edit) {
  if (log->size() < kHeaderBytes || (*log)[6] != kFullRecord) return false;
  const size_t size = static_cast<unsigned char>((*log)[4]) | static_cast<unsigned char>((*log)[5])
                                                                  << 8;
  if (size > log->size() - kHeaderBytes) return false;
  *edit = log->substr(kHeaderBytes, size);
  log->remove_prefix(kHeaderBytes + size);
  return true;
}

void PutRecord(const std::string& edit, std::string* log) {
  const uint32_t crc = Crc32c(std::string(1, kFullRecord) + edit);
  const uint32_t masked = (crc >> 15 | crc << 17) + 0xa282ead8;
  for (int byte = 0; byte < 4; ++byte) log->push_back(static_cast<char>(masked >> 8 * byte));
  log->push_back(static_cast<char>(edit.size()));
  log->push_back(static_cast<char>(edit.size() >> 8));
  log->push_back(kFullRecord);
  *log += edit;
}

}  // namespace

bool WriteRocksDBManifest(const std::string& database) {
  std::string name;
  if (!std::getline(std::ifstream(database + "/CURRENT"), name)) return false;
  std::ifstream file(database + "/" + name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  file.close();

  std::vector<std::string_view> edits;
  uint64_t last_sequence = 0;
  for (std::string_view log = bytes; !log.empty();) {
    std::string_view edit;
    if (!TakeRecord(&log, &edit)) return false;
    edits.push_back(edit);
    const bool is_ok = ForEachField(edit, [&](uint64_t tag, std::string_view field) {
      uint64_t sequence;
      if (tag != kLastSequence || !Take(&field, &sequence)) return;
      last_sequence = std::max(last_sequence, sequence);
    });
    if (!is_ok) return false;
  }
  std::string rewritten;
  for (const std::string_view edit : edits) {
    std::string fields;
    ForEachField(edit, [&](uint64_t tag, std::string_view field) {
      Put(tag == kNewFile ? uint64_t{kNewFile2} : tag, &fields);
      fields += field;
      if (tag != kNewFile) return;
      Put(0, &fields);
      Put(last_sequence, &fields);
    });
    PutRecord(fields, &rewritten);
  }
  if (rewritten.size() > kLogBlockBytes) return false;
  std::ofstream(database + "/" + name, std::ios::binary) << rewritten;
  return true;
}

}  // namespace bloomline::tests

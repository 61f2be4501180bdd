// A trace that RocksDB's DB::StartTrace has written (query_file.h).
#include <algorithm>
#include <bitset>
#include <string_view>
#include <utility>

#include "src/db/queries/query_file.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using sstable::LoadLittleEndian32;
using sstable::LoadLittleEndian64;

// A record: microseconds (8 bytes), type (1), length of the payload (4), payload.
constexpr size_t kHeadBytes = 13;
constexpr std::string_view kVersion = "Trace Version: ";
// A write batch may have megabytes; more is damage.
constexpr uint64_t kMaxPayloadBytes = uint64_t{1} << 30;
constexpr uint64_t kBufferBytes = 1 << 20;

enum class Type : uint8_t {
  kBegin = 1,
  kEnd = 2,
  kWrite = 3,
  kGet = 4,
  kSeek = 5,
  kSeekForPrev = 6,
  kMultiGet = 13
};

// The payload's fields come in the order of their numbers; a map of bits says which there are.
enum Field : uint64_t {
  kGetFamily = 2,
  kGetKey = 3,
  kSeekFamily = 4,
  kSeekKey = 5,
  kLowerBound = 6,
  kUpperBound = 7,
  kNumKeys = 8,
  kFamilies = 9,
  kKeys = 10,
  kNumFields = 11
};

bool TakeFixed32(std::string_view* input, uint32_t* value) {
  if (input->size() < 4) return false;
  *value = LoadLittleEndian32(input->data());
  input->remove_prefix(4);
  return true;
}

bool TakeText(std::string_view* input, std::string_view* text) {
  uint32_t length;
  if (!sstable::TakeVarint(input, &length) || input->size() < length) return false;
  *text = input->substr(0, length);
  input->remove_prefix(length);
  return true;
}

// The fields of a query. Version 0.1 has no map, and of seeks no bounds.
struct Payload {
  std::bitset<kNumFields> has;
  uint32_t family = 0;
  uint32_t num_keys = 0;
  std::string_view texts[kNumFields];
};

bool Decode(Type type, bool has_map, std::string_view bytes, Payload* payload) {
  uint64_t map = 0;
  if (!has_map) {
    map = type == Type::kGet ? 1 << kGetFamily | 1 << kGetKey : 1 << kSeekFamily | 1 << kSeekKey;
  } else {
    if (bytes.size() < 8) return false;
    map = LoadLittleEndian64(bytes.data());
    bytes.remove_prefix(8);
  }
  if (map >> kNumFields != 0) return false;
  payload->has = map;
  for (uint64_t field = 0; field < kNumFields; ++field) {
    if (!payload->has[field]) continue;
    const bool done = field == kGetFamily || field == kSeekFamily
                          ? TakeFixed32(&bytes, &payload->family)
                      : field == kNumKeys ? TakeFixed32(&bytes, &payload->num_keys)
                                          : TakeText(&bytes, &payload->texts[field]);
    if (!done) return false;
  }
  return true;
}

bool AddMultiGet(const Payload& payload, QueryCollector* collector) {
  std::string_view families = payload.texts[kFamilies];
  std::string_view keys = payload.texts[kKeys];
  for (uint32_t i = 0; i < payload.num_keys; ++i) {
    uint32_t family;
    std::string_view key;
    if (!TakeFixed32(&families, &family) || !TakeText(&keys, &key)) return false;
    collector->AddGet(family, key);
  }
  return true;
}

void AddSeek(const Payload& payload, bool is_forward, QueryCollector* collector) {
  const std::string_view end = payload.texts[kUpperBound];
  const std::string_view begin = std::max(payload.texts[kSeekKey], payload.texts[kLowerBound]);
  if (!is_forward || end.empty()) return collector->AddOtherSeek(payload.family);
  if (begin < end) collector->AddScan(payload.family, begin, end);  // else it reads no file
}

// False: damaged.
bool AddRecord(Type type, bool has_map, std::string_view bytes, QueryCollector* collector) {
  if (type != Type::kGet && type != Type::kSeek && type != Type::kSeekForPrev &&
      type != Type::kMultiGet) {
    return true;
  }
  Payload payload;
  if (!Decode(type, has_map, bytes, &payload)) return false;
  switch (type) {
    case Type::kGet:
      if (!payload.has[kGetFamily] || !payload.has[kGetKey]) return false;
      collector->AddGet(payload.family, payload.texts[kGetKey]);
      return true;
    case Type::kMultiGet:
      return AddMultiGet(payload, collector);
    default:
      if (!payload.has[kSeekFamily] || !payload.has[kSeekKey]) return false;
      AddSeek(payload, type == Type::kSeek, collector);
      return true;
  }
}

// The bytes of a file from front to end.
class Stream {
 public:
  explicit Stream(const support::InputFile& file) : file_(file) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return file_.size() - offset_; }
  void Skip(uint64_t n) { offset_ += n; }
  // The next n bytes, of which there are so many; valid until the next call.
  bool Take(uint64_t n, std::string_view* bytes, std::string* error) {
    if (offset_ < begin_ || offset_ + n > begin_ + buffer_.size()) {
      buffer_.resize(static_cast<size_t>(std::min(left(), std::max(n, kBufferBytes))));
      begin_ = offset_;
      if (!file_.ReadAt(begin_, buffer_.size(), buffer_.data(), error)) return false;
    }
    *bytes = std::string_view(buffer_).substr(static_cast<size_t>(offset_ - begin_),
                                              static_cast<size_t>(n));
    offset_ += n;
    return true;
  }

 private:
  const support::InputFile& file_;
  std::string buffer_;
  uint64_t begin_ = 0;   // of the buffer in the file
  uint64_t offset_ = 0;  // of what is next
};

// The header says "... Trace Version: 0.2 ...". Empty, or what is wrong.
std::string VersionOf(std::string_view header, bool* has_map) {
  const size_t at = header.find(kVersion);
  const std::string_view rest = at == header.npos ? "" : header.substr(at + kVersion.size());
  const std::string_view version = rest.substr(0, rest.find_first_of("\t\n "));
  *has_map = version == "0.2";
  if (*has_map || version == "0.1") return "";
  return "has trace version " + support::Quoted(version) + "; allowed: 0.1 and 0.2";
}

}  // namespace

bool IsTrace(const support::InputFile& file) {
  char start[kHeadBytes + kTraceMagic.size()];
  std::string ignored;
  return file.size() >= sizeof(start) && file.ReadAt(0, sizeof(start), start, &ignored) &&
         std::string_view(start + kHeadBytes, kTraceMagic.size()) == kTraceMagic;
}

bool ReadTrace(const support::InputFile& file, QueryCollector* collector, std::string* warning,
               std::string* error) {
  Stream stream(file);
  bool has_map = false;
  while (stream.left() != 0) {
    const uint64_t begin = stream.offset();
    const auto damaged = [&](const std::string& problem) {
      *error = file.name() + ": the record at offset " + std::to_string(begin) + " " + problem;
      return false;
    };
    std::string_view bytes;
    uint64_t length = kHeadBytes;
    Type type = Type::kWrite;
    if (stream.left() >= kHeadBytes) {
      if (!stream.Take(kHeadBytes, &bytes, error)) return false;
      type = static_cast<Type>(bytes[8]);
      length = LoadLittleEndian32(bytes.data() + 9);
      if (length > kMaxPayloadBytes) {
        return damaged("has " + std::to_string(length) + " bytes; allowed: at most " +
                       std::to_string(kMaxPayloadBytes));
      }
    }
    if (stream.left() < length) {
      *warning = file.name() + ": ends within the record at offset " + std::to_string(begin) +
                 "; the queries before it are used";
      return true;
    }
    if (type == Type::kWrite) {
      stream.Skip(length);
      continue;
    }
    if (!stream.Take(length, &bytes, error)) return false;
    if (type == Type::kBegin) {
      const std::string wrong = VersionOf(bytes, &has_map);
      if (!wrong.empty()) return damaged(wrong);
    } else if (!AddRecord(type, has_map, bytes, collector)) {
      return damaged("is no " +
                     std::string(type == Type::kGet        ? "Get"
                                 : type == Type::kMultiGet ? "MultiGet"
                                                           : "Seek") +
                     ": its fields do not fit into its " + std::to_string(length) + " bytes");
    }
  }
  return true;
}

}  // namespace bloomline::db

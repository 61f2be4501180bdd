#include "db_bench_ext/filters/case.h"

#include <algorithm>

namespace bloomline::bench {

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kQuery:
      return "query";
    case Kind::kBuild:
      return "build";
    case Kind::kHashQuery:
      return "hash_query";
    case Kind::kLevelDBQuery:
      return "leveldb_query";
    case Kind::kLevelDBBuild:
      return "leveldb_build";
    case Kind::kMemoryQuery:
      return "memory_query";
    case Kind::kMemoryBuild:
      return "memory_build";
    case Kind::kNothing:
      break;
  }
  return "nothing";
}

const char* ModeName(Mode mode) {
  switch (mode) {
    case Mode::kSingle:
      return "single";
    case Mode::kBatch:
      return "batch";
    case Mode::kDependent:
      return "dependent";
    case Mode::kNone:
      break;
  }
  return "";
}

std::string Case::Name() const {
  std::string name = KindName(kind);
  const auto add = [&name](const char* label, int64_t value) {
    name += std::string("/") + label + ":" + std::to_string(value);
  };
  name += "/" + subject;
  std::replace(name.begin(), name.end(), ' ', '_');
  add("keys", static_cast<int64_t>(num_keys));
  add("bits", bits_per_key);
  if (mode != Mode::kNone) {
    add("hits", hit_percent);
    name += std::string("/") + ModeName(mode);
    add("offset", offset);
  }
  if (threads != 1) add("threads_at_once", threads);
  return name;
}

}  // namespace bloomline::bench

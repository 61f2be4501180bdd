#include "tests/migration/database.h"

namespace bloomline::tests {

const char* Name(Filter filter) {
  constexpr const char* kNames[] = {
      "none",    "Bloom",   "Ribbon",        "legacy Bloom",  "block-based",  "classic",
      "blocked", "compact", "named classic", "named blocked", "named compact"};
  return kNames[static_cast<int>(filter)];
}

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"Bloom", "Ribbon", "legacy", "bloomline", "other"};
  return kNames[static_cast<int>(kind)];
}

bool IsNamed(Filter filter) { return filter >= Filter::kNamedClassic; }
bool IsOurs(Filter filter) { return filter >= Filter::kClassic; }

Kind KindOf(Engine engine, Filter writer) {
  if (writer == Filter::kBloom) return Kind::kBloom;
  if (writer == Filter::kRibbon) return Kind::kRibbon;
  if (writer == Filter::kLegacy) return Kind::kLegacy;
  // LevelDB's own filter, byte for byte.
  const bool classic = writer == Filter::kClassic || writer == Filter::kNamedClassic ||
                       writer == Filter::kBlockBased;
  if (engine == Engine::kLevelDB && classic) return Kind::kBloom;
  return IsOurs(writer) ? Kind::kOurs : Kind::kOther;
}

bool Uses(Engine engine, Filter reader, Filter writer) {
  if (reader == Filter::kNone || writer == Filter::kNone) return false;
  if (reader == Filter::kBlockBased || writer == Filter::kBlockBased) {
    return engine == Engine::kLevelDB && reader == writer;  // a name of its own
  }
  if (IsNamed(reader) != IsNamed(writer)) return false;
  return IsOurs(reader) || KindOf(engine, writer) != Kind::kOurs;
}

std::unique_ptr<Database> OpenDatabase(const DatabaseOptions& options, const std::string& path,
                                       std::string* error) {
  return options.engine == Engine::kLevelDB ? OpenLevelDB(options, path, error)
                                            : OpenRocksDB(options, path, error);
}

}  // namespace bloomline::tests

// The extension's own flags.
#ifndef BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_SETTINGS_H_
#define BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_SETTINGS_H_

namespace bloomline::bench {

enum class PolicyKind { kNone, kBuiltin, kClassic, kBlocked, kCompact };
enum class Keys { kStock, kDec16, kBe64 };

struct Settings {
  PolicyKind policy = PolicyKind::kBuiltin;
  Keys keys = Keys::kStock;
  bool count = false;  // count the filter's answers, which takes time
  bool files = false;  // at the end, print what the table files hold
};

// Set by main before any other function runs.
Settings& TheSettings();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DB_BENCH_LEVELDB_SETTINGS_H_

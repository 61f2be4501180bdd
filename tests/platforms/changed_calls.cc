// A program with a patched RocksDB, for tests/platforms/changed_calls.
//   changed_calls --list    the changes, one a line
//   changed_calls CHANGE    what the self-test says, and how many scans find wrong keys if the
//                           filters are trusted nevertheless; "none" changes nothing
#include "tests/platforms/changed_calls.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/ranges/range_trust.h"
#include "src/engines/rocksdb/ranges/self_test.h"
#include "src/engines/rocksdb/ranges/self_test_database.h"

namespace changed_calls {
namespace {

constexpr const char* kChanges[] = {
    "none",
    "bound-before-target",
    "bound-before-target, its prefix queried",
    "bound left out",
    "target left out",
    "target twice",
    "bound twice",
    "another key after the bound",
    "another key before the bound, its prefix queried",
    "bound's prefix queried",
    "target and bound exchanged",
    "target is an internal key",
    "target has its timestamp",
    "target is the one before",
    "target is the key after it",
    "target lacks its last byte",
    "target in another thread",
    "query in another thread",
    "bound is the first one seen",
    "bound is the one before",
    "bound lacks its last byte",
    "bound has one byte more",
    "no bound counts as an empty one",
    "no bound counts as the one before",
    "bounds are not checked",
    "filters are queried backward",
    "filters are not queried",
    "an answer holds for later targets",
    "next partition queried",
    "last partition queried",
};

std::string change;
bool Is(const char* name) { return change == name; }

// What was passed before; all in one thread.
std::string last_target, first_bound, last_bound;
bool has_bound = false;

std::string WithoutLast(const Slice& key) {
  return std::string(key.data(), key.size() == 0 ? 0 : key.size() - 1);
}

}  // namespace

Slice Target(const SliceTransform& extractor, const Slice& target, const Slice* upper,
             const Slice& internal_key) {
  const std::string before = last_target;
  last_target = target.ToString();
  if (Is("target left out")) return Slice("", 0);
  if (Is("target is the one before")) return extractor.Transform(before);
  if (Is("target is an internal key")) return extractor.Transform(internal_key);
  if (Is("target has its timestamp")) {
    return extractor.Transform(Slice(internal_key.data(), internal_key.size() - 8));
  }
  if (Is("target is the key after it")) return extractor.Transform(last_target + '\0');
  if (Is("target lacks its last byte")) return extractor.Transform(WithoutLast(target));
  if (Is("another key before the bound, its prefix queried")) {
    extractor.Transform(target);
    return extractor.Transform(last_target + "b");
  }
  if (Is("target in another thread")) {
    Slice prefix;
    std::thread([&] { prefix = extractor.Transform(target); }).join();
    return prefix;
  }
  if (upper != nullptr) {
    if (Is("target and bound exchanged")) return extractor.Transform(*upper);
    if (Is("bound-before-target")) {
      extractor.Transform(*upper);
    } else if (Is("bound-before-target, its prefix queried")) {
      const Slice prefix = extractor.Transform(*upper);
      extractor.Transform(target);
      return prefix;
    }
  }
  const Slice prefix = extractor.Transform(target);
  if (Is("target twice")) extractor.Transform(target);
  return prefix;
}

Slice Bound(const SliceTransform& extractor, const Slice& upper) {
  if (Is("bound-before-target") || Is("bound-before-target, its prefix queried") ||
      Is("bound left out")) {
    return Slice("", 0);
  }
  const std::string before = has_bound ? last_bound : upper.ToString();
  last_bound = upper.ToString();
  if (!has_bound) first_bound = last_bound;
  has_bound = true;
  if (Is("target and bound exchanged")) return extractor.Transform(last_target);
  if (Is("bound is the first one seen")) return extractor.Transform(first_bound);
  if (Is("bound is the one before")) return extractor.Transform(before);
  if (Is("bound lacks its last byte")) return extractor.Transform(WithoutLast(upper));
  if (Is("bound has one byte more")) return extractor.Transform(last_bound + "a");
  if (Is("bound twice")) extractor.Transform(upper);
  return extractor.Transform(upper);
}

Slice Queried(const SliceTransform& extractor, const Slice& prefix) {
  if (Is("another key after the bound")) extractor.Transform("k");
  if (Is("bound's prefix queried")) return extractor.Transform(last_bound);
  return prefix;
}

const Slice* Upper(const Slice* upper) {
  if (upper != nullptr) {
    static std::string text;
    static Slice copy;
    copy = text = upper->ToString();
    if (Is("no bound counts as the one before")) return &copy;
    return upper;
  }
  static const Slice kEmpty("", 0);
  static Slice before;
  before = last_bound;
  if (Is("no bound counts as an empty one")) return &kEmpty;
  if (Is("no bound counts as the one before") && has_bound) return &before;
  return nullptr;
}

bool ChecksBound() { return !Is("bounds are not checked"); }
bool ChecksBackward() { return !Is("filters are queried backward"); }
bool TakesNextPartition() { return Is("next partition queried"); }
bool TakesLastPartition() { return Is("last partition queried"); }

bool Query(const Slice* upper, const std::function<bool()>& query) {
  if (Is("filters are not queried")) return true;
  bool answer = true;
  if (Is("query in another thread")) {
    std::thread([&] { answer = query(); }).join();
    return answer;
  }
  if (Is("an answer holds for later targets")) {
    static const Slice* last_upper = nullptr;
    static bool last_answer = true;
    if (upper != last_upper) last_answer = query();
    last_upper = upper;
    return last_answer;
  }
  return query();
}

void Forget() {
  last_target.clear();
  has_bound = false;
}

}  // namespace changed_calls

namespace bloomline {
namespace {

// In an order in which bounds, targets and answers of earlier scans are wrong for later ones.
constexpr std::string_view kBounds[] = {"kc",   "kb",  "kd",  "ka",  "kaa", "kab0",
                                        "kab",  "kac", "kad", "k",   "kba", "kcb",
                                        "kcb0", "kcc", "ke",  "keb", "kf",  "l"};

struct Scans {
  int num = 0;
  int num_wrong = 0;
};

std::string KeysFrom(rocksdb::Iterator* iterator, bool backward) {
  std::string keys;
  while (iterator->Valid()) {
    keys += iterator->key().ToString() + " ";
    backward ? iterator->Prev() : iterator->Next();
  }
  return keys;
}

// Scans whose ranges begin and end anywhere; many with one iterator.
void ScanFamily(const SelfTestDatabase& database, const SelfTestFamily& family, Scans* scans) {
  using Iterator = std::unique_ptr<rocksdb::Iterator>;
  const rocksdb::Slice timestamp(SelfTestDatabase::kTimestamp);
  const rocksdb::Slice other_upper("kc");
  rocksdb::ReadOptions read;
  if (family.has_timestamps) read.timestamp = &timestamp;
  const auto make = [&](const rocksdb::Slice* upper) {
    read.iterate_upper_bound = upper;
    return Iterator(database.db()->NewIterator(read, family.handle));
  };
  const auto expect = [&](rocksdb::Iterator* iterator, std::string_view begin, std::string_view end,
                          bool backward) {
    ++scans->num;
    if (KeysFrom(iterator, backward) != family.Keys(begin, end, backward)) ++scans->num_wrong;
  };
  for (const bool auto_prefix_mode : {false, true}) {
    read.auto_prefix_mode = auto_prefix_mode;
    for (const std::string_view end : kBounds) {
      const rocksdb::Slice upper(end);
      const Iterator again = make(&upper);
      const Iterator other = make(&other_upper);
      const Iterator unbounded = make(nullptr);
      for (const std::string_view begin : kBounds) {
        const Iterator once = make(&upper);
        for (rocksdb::Iterator* const iterator : {once.get(), again.get()}) {
          if (begin >= end) continue;
          other->Seek("kb");
          iterator->Seek(rocksdb::Slice(begin));
          expect(iterator, begin, end, false);
          // No other key begins with `begin` and a byte below '0'.
          iterator->SeekForPrev(std::string(begin) + '/');
          expect(iterator, "", std::string(begin) + '/', true);
        }
        unbounded->Seek(rocksdb::Slice(begin));
        expect(unbounded.get(), begin, "", false);
      }
    }
  }
}

int Main(int num_arguments, char** arguments) {
  if (num_arguments != 2) return 2;
  changed_calls::change = arguments[1];
  bool is_known = false;
  for (const char* const name : changed_calls::kChanges) {
    if (changed_calls::change == "--list") std::printf("%s\n", name);
    is_known = is_known || changed_calls::change == name;
  }
  if (!is_known) return changed_calls::change == "--list" ? 0 : 2;
  if (!RegisterBloomline()) return 1;
  const TestingThread trusts;
  bool has_database = false;
  const std::string difference = TestCallsForRanges(&has_database);
  SelfTestDatabase database;
  const rocksdb::Status status = database.Make();
  if (!status.ok()) {
    std::fprintf(stderr, "changed_calls: %s\n", status.ToString().c_str());
    return 1;
  }
  changed_calls::Forget();
  Scans scans;
  for (const SelfTestFamily& family : database.families()) ScanFamily(database, family, &scans);
  std::printf("%d|%d|%s\n", scans.num_wrong, scans.num,
              difference.empty() ? "passed" : difference.c_str());
  return 0;
}

}  // namespace
}  // namespace bloomline

int main(int num_arguments, char** arguments) { return bloomline::Main(num_arguments, arguments); }

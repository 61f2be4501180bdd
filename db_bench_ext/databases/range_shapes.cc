#include "db_bench_ext/databases/range_shapes.h"

#include "db_bench_ext/support/keys.h"

namespace bloomline::bench::ranges {
namespace {

std::string BigEndian(uint64_t number, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = bytes; i-- > 0; number >>= 8) text[i] = static_cast<char>(number);
  return text;
}

// Three numbers of 4, 4 and 8 bytes.
std::string Numbers(uint64_t first, uint64_t second, uint64_t third) {
  return BigEndian(first, 4) + BigEndian(second, 4) + BigEndian(third, 8);
}

// ---- account:4 user:4 item:8. An account has 50 users and a user 20 items; every second number of
// an account or a user is not taken.

constexpr uint64_t kItemsOfUser = 20;
constexpr uint64_t kUsersOfAccount = 50;

uint64_t ItemNumber(uint64_t index) { return (index % kItemsOfUser * 50 + Mix(index) % 50) * 1000; }

std::string ItemKey(uint64_t index) {
  const uint64_t user = index / kItemsOfUser;
  return Numbers(2 * (user / kUsersOfAccount), 2 * (user % kUsersOfAccount), ItemNumber(index));
}

Range ItemRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t index = random % num_keys;
  const uint64_t user = index / kItemsOfUser % kUsersOfAccount * 2;
  const uint64_t account = index / kItemsOfUser / kUsersOfAccount * 2;
  switch (kind) {
    case RangeKind::kEmpty:
      if (random >> 62 == 0) return {Numbers(account + 1, 0, 0), Numbers(account + 2, 0, 0)};
      if (random >> 62 == 1) {  // 16 item numbers
        const uint64_t item = ItemNumber(index) + 100;
        return {Numbers(account, user, item), Numbers(account, user, item + 16)};
      }
      return {Numbers(account, user + 1, 0), Numbers(account, user + 2, 0)};
    case RangeKind::kShort:
      return {Numbers(account, user, 0), Numbers(account, user + 1, 0)};
    default:
      return {Numbers(account, 0, 0), Numbers(account + 1, 0, 0)};
  }
}

// ---- user:17:post:4, numbers without leading zeros. One user of four exists, and has 20 posts.

constexpr uint64_t kPostsOfUser = 20;

std::string UserPrefix(uint64_t user) { return "user:" + std::to_string(user) + ":"; }

std::string PostKey(uint64_t index) {
  return UserPrefix(index / kPostsOfUser * 4) +
         "post:" + std::to_string(index % kPostsOfUser * 1000 + Mix(index) % 1000);
}

Range PostRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t user = random % num_keys / kPostsOfUser * 4;
  if (kind == RangeKind::kEmpty) return Under(UserPrefix(user + 1 + (random >> 62) % 3));
  if (kind == RangeKind::kShort) return Under(UserPrefix(user));
  return Under("user:" + std::to_string(100 + random % 900));  // and all that begin with it
}

// ---- device:8 microseconds:8. A device sends once a second, in every second period of ten
// minutes.

constexpr uint64_t kSecondsOfPeriod = 600;
constexpr uint64_t kPeriodsOfDevice = 20;
constexpr uint64_t kStart = 1700000000;

std::string Measurement(uint64_t device, uint64_t second, uint64_t microseconds) {
  return BigEndian(device, 8) + BigEndian((kStart + second) * 1000000 + microseconds, 8);
}

std::string MeasurementKey(uint64_t index) {
  const uint64_t period = index / kSecondsOfPeriod;
  const uint64_t second =
      period % kPeriodsOfDevice * 2 * kSecondsOfPeriod + index % kSecondsOfPeriod;
  return Measurement(period / kPeriodsOfDevice, second, Mix(index) % 1000);
}

Range MeasurementRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t period = random % num_keys / kSecondsOfPeriod;
  const uint64_t device = period / kPeriodsOfDevice;
  uint64_t second = period % kPeriodsOfDevice * 2 * kSecondsOfPeriod;
  uint64_t seconds = 60;
  if (kind == RangeKind::kLong) {
    seconds = 4 * kSecondsOfPeriod;
  } else {  // a minute, not at the very ends
    second += 60 + (random >> 32) % (kSecondsOfPeriod - 180);
    if (kind == RangeKind::kEmpty) second += kSecondsOfPeriod;
  }
  return {Measurement(device, second, 0), Measurement(device, second + seconds, 0)};
}

// ---- Paths of files: 50 in a directory; one directory of four exists.

constexpr uint64_t kFilesOfDirectory = 50;

std::string Directory(uint64_t number) {
  return "/srv/" + std::to_string(number / 40000) + "/" + std::to_string(number / 200 % 200) +
         "/album" + std::to_string(number % 200) + "/";
}

std::string FileKey(uint64_t index) {
  return Directory(index / kFilesOfDirectory * 4) + "photo" + std::to_string(Mix(index) % 10000) +
         "_" + std::to_string(index % kFilesOfDirectory) + ".jpg";
}

Range FileRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t directory = random % num_keys / kFilesOfDirectory * 4;
  if (kind == RangeKind::kEmpty) return Under(Directory(directory + 1 + (random >> 62) % 3));
  const std::string path = Directory(directory);
  if (kind == RangeKind::kShort) return Under(path);
  return Under(path.substr(0, path.rfind("album")));
}

// ---- Numbers of 8 bytes: 32 in a row, then 32 that are not taken. A range of 60 holds many keys
// of the last level, some of the level above it, and mostly none of the others.

constexpr uint64_t kRun = 32;

std::string NumberKey(uint64_t index) {
  return BigEndian(index / kRun * 2 * kRun + index % kRun, 8);
}

Range NumberRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  uint64_t first = random % num_keys / kRun * 2 * kRun;
  if (kind == RangeKind::kEmpty) first += kRun + 8;
  const uint64_t count = kind == RangeKind::kEmpty ? 16 : kind == RangeKind::kShort ? 60 : 2000;
  return {BigEndian(first, 8), BigEndian(first + count, 8)};
}

// ---- tenant:4 user:4 event:8. A user has one event or two; asked for users without one.

// Three events of two users.
constexpr uint64_t kUsersOfTenant = 1000;

std::string EventKey(uint64_t index) {
  const uint64_t user = index / 3 * 2 + (index % 3 == 2 ? 1 : 0);
  return Numbers(user / kUsersOfTenant, user % kUsersOfTenant * 3,
                 index % 3 * 1000000 + Mix(index) % 1000000);
}

Range EventRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t user = random % num_keys / 3 * 2;
  const uint64_t tenant = user / kUsersOfTenant;
  const uint64_t number = user % kUsersOfTenant * 3;
  if (kind == RangeKind::kLong) return {Numbers(tenant, 0, 0), Numbers(tenant + 1, 0, 0)};
  const uint64_t asked = kind == RangeKind::kShort ? number : number + 1 + (random >> 62) % 2;
  return {Numbers(tenant, asked, 0), Numbers(tenant, asked + 1, 0)};
}

// ---- address:20 block:8: 20 versions of each account, the first at a random block, and the others
// about 2^20 blocks apart. Asked for a version before a block: of an address that is not stored
// (accounts), or of a stored one before its first version (history).

constexpr uint64_t kVersionsOfAccount = 20;
constexpr uint64_t kBlocks = uint64_t{1} << 24;  // in which accounts are opened
constexpr uint64_t kBlocksOfVersion = uint64_t{1} << 20;

uint64_t FirstBlock(uint64_t account) { return Mix(~account) % kBlocks + 1; }

std::string Version(uint64_t account, uint64_t block) {
  return BigEndian(Mix(3 * account), 8) + BigEndian(Mix(3 * account + 1), 8) +
         BigEndian(Mix(3 * account + 2), 4) + BigEndian(block, 8);
}

std::string KeyOfAccountVersion(uint64_t index) {
  const uint64_t account = index / kVersionsOfAccount;
  const uint64_t number = index % kVersionsOfAccount;
  const uint64_t delay = number == 0 ? 0 : Mix(index) % kBlocksOfVersion;
  return Version(account, FirstBlock(account) + number * kBlocksOfVersion + delay);
}

Range VersionRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t account = random % num_keys / kVersionsOfAccount;
  const uint64_t first = FirstBlock(account);
  const uint64_t end = kind == RangeKind::kEmpty   ? (random >> 32) % first + 1
                       : kind == RangeKind::kShort ? first + 4 * kBlocksOfVersion
                                                   : UINT64_MAX;
  return {Version(account, 0), Version(account, end)};
}

Range AccountRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  if (kind != RangeKind::kEmpty) return VersionRange(kind, num_keys, random);
  const uint64_t account = num_keys + (random >> 1) % num_keys;
  return {Version(account, 0), Version(account, (random >> 32) % (2 * kBlocks) + 1)};
}

// ---- YCSB's keys: "user" and a hash in decimal digits; asked for the first 16 digits of hashes
// without a key.

std::string YcsbKey(uint64_t index) { return "user" + std::to_string(Mix(index)); }

Range YcsbRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  if (kind == RangeKind::kEmpty) return Under(YcsbKey(num_keys + random / 2).substr(0, 20));
  const std::string key = YcsbKey(random % num_keys);
  return Under(key.substr(0, kind == RangeKind::kShort ? 10 : 8));
}

// ---- db_bench's keys: a number in 8 bytes, and zeros up to 16. One number of four is stored; a
// scan of seekrandom with max_scan_distance asks for numbers.

std::string DbBenchKey(uint64_t index) { return BigEndian(index * 4, 8) + std::string(8, '0'); }

Range DbBenchRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t number = random % num_keys * 4;
  const uint64_t begin = kind == RangeKind::kEmpty ? number + 1 : number;
  const uint64_t end = number + (kind == RangeKind::kLong    ? 4000
                                 : kind == RangeKind::kShort ? 40
                                                             : 4);
  return {BigEndian(begin, 8) + std::string(8, '0'), BigEndian(end, 8) + std::string(8, '0')};
}

}  // namespace

const char* RangeKindName(RangeKind kind) {
  constexpr const char* kNames[] = {"empty", "short", "long"};
  return kNames[static_cast<size_t>(kind)];
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {
      {"items", "account:4 user:4 item:8", 8, 0, ItemKey, ItemRange},
      {"posts", "user:17:post:4", 10, 0, PostKey, PostRange},
      {"minutes", "device:8 microseconds:8", 13, kSecondsOfPeriod * kPeriodsOfDevice,
       MeasurementKey, MeasurementRange},
      {"files", "/srv/3/17/album4/photo1_2.jpg", 12, 0, FileKey, FileRange},
      {"numbers", "numbers of 8 bytes; empty: 16 of them, short: 60", 7, 0, NumberKey, NumberRange},
      {"events", "tenant:4 user:4 event:8, 1.5 events per user; empty: users without", 8, 0,
       EventKey, EventRange},
      {"accounts", "address:20 block:8; empty: before a block, an address that is not stored", 20,
       0, KeyOfAccountVersion, AccountRange},
      {"history", "address:20 block:8; empty: before the first version of an address", 20, 0,
       KeyOfAccountVersion, VersionRange},
      {"ycsb", "user and a hash in digits; empty: 16 of its digits", 9, 0, YcsbKey, YcsbRange},
      {"db_bench", "a number in 8 bytes, 8 zeros; empty: three numbers", 8, 0, DbBenchKey,
       DbBenchRange},
  };
  return shapes;
}

}  // namespace bloomline::bench::ranges

// Shapes of keys with fields of fixed width. A range ends at the next value of a field, such as
// [user:000017:, user:000018:).
#include <cstdio>
#include <string>

#include "db_bench_ext/databases/range_shapes.h"
#include "db_bench_ext/support/keys.h"

namespace bloomline::bench::ranges {
namespace {

template <typename... Numbers>
std::string Text(const char* format, Numbers... numbers) {
  char text[64];
  std::snprintf(text, sizeof(text), format, static_cast<unsigned>(numbers)...);
  return text;
}

// Keys come in groups, of which every second or fourth number exists.
struct Groups {
  uint64_t keys_of_group;
  uint64_t numbers_of_group;

  uint64_t OfKey(uint64_t index) const { return index / keys_of_group * numbers_of_group; }
};

// The keys of one number, or of a hundred. text(number) is what they begin with.
template <const Groups& groups, std::string (*text)(uint64_t number)>
Range GroupRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  uint64_t number = groups.OfKey(random % num_keys);
  if (kind == RangeKind::kEmpty) number += 1 + (random >> 40) % (groups.numbers_of_group - 1);
  return {text(number), text(number + (kind == RangeKind::kLong ? 100 : 1))};
}

// ---- user:000017:post:0004.

constexpr Groups kUsers = {20, 4};

std::string User(uint64_t number) { return Text("user:%06u:", number); }

std::string UserKey(uint64_t index) {
  return User(kUsers.OfKey(index)) + Text("post:%04u", index % 20 * 400 + Mix(index) % 400);
}

// ---- 2026-11-29T10:15:00Z/device17. Every second day has every second hour, with every fourth
// minute; asked for a minute, an hour or a day.

constexpr uint64_t kDevices = 20;
constexpr uint64_t kMinutesOfHour = 15;
constexpr uint64_t kHoursOfDay = 12;

std::string Day(uint64_t day) {
  return Text("%04u-%02u-%02u", 2024 + day / 336, 1 + day / 28 % 12, 1 + day % 28);
}

std::string Minute(uint64_t minute) {
  return Day(minute / 1440) + Text("T%02u:%02u", minute / 60 % 24, minute % 60);
}

uint64_t MinuteOf(uint64_t index) {
  const uint64_t number = index / kDevices;
  const uint64_t hour = number / kMinutesOfHour;
  return hour / kHoursOfDay * 2880 + hour % kHoursOfDay * 120 + number % kMinutesOfHour * 4;
}

std::string TimeKey(uint64_t index) {
  return Minute(MinuteOf(index)) + Text(":%02uZ/device%02u", Mix(index) % 60, index % kDevices);
}

Range TimeRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t minute = MinuteOf(random % num_keys);
  if (kind == RangeKind::kShort) return {Minute(minute), Minute(minute + 1)};
  const uint64_t day = minute / 1440;
  if (kind == RangeKind::kLong) return {Day(day), Day(day + 1)};
  const uint64_t asked = random >> 40;
  if (asked % 3 == 0) return {Day(day + 1), Day(day + 2)};
  if (asked % 3 == 1) return {Minute(minute + 1), Minute(minute + 2)};
  const uint64_t hour = minute / 60 * 60 + 60;
  return {Minute(hour).substr(0, 13), Minute(hour + 60).substr(0, 13)};
}

// ---- 16 hexadecimal digits, one number of four; asked for one.

std::string Hexadecimal(uint64_t number) {
  return Text("%08x%08x", number >> 32, number & UINT32_MAX);
}

constexpr Groups kIds = {1, 4};

std::string IdKey(uint64_t index) { return Hexadecimal(kIds.OfKey(index)); }

// ---- order#000000000017#3. One order of three exists.

constexpr Groups kOrders = {5, 3};

std::string Order(uint64_t number) { return Text("order#%012u#", number); }

std::string OrderKey(uint64_t index) {
  return Order(kOrders.OfKey(index)) + std::to_string(index % 5);
}

// ---- ULIDs: milliseconds as ten digits of 32, then random digits. Bursts of 20 every ten minutes;
// asked for a minute between them.

constexpr Groups kBursts = {20, 10};

std::string Digits32(uint64_t number, size_t size) {
  std::string text(size, '0');
  for (size_t i = size; i-- > 0; number /= 32) {
    text[i] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[number % 32];
  }
  return text;
}

std::string UlidAt(uint64_t milliseconds) { return Digits32(1700000000000 + milliseconds, 10); }

std::string UlidOfMinute(uint64_t minute) { return UlidAt(minute * 60000); }

std::string UlidKey(uint64_t index) {
  return UlidAt(kBursts.OfKey(index) * 60000 + index % 20 * 50) + Digits32(Mix(index), 12) +
         Digits32(Mix(~index), 4);
}

// ---- 010.001.002.017/00443. Every second network of 256 addresses exists.

constexpr Groups kNetworks = {20, 2};

std::string Network(uint64_t number) {
  return Text("%03u.%03u.%03u.", 10 + number / 65536, number / 256 % 256, number % 256);
}

std::string AddressKey(uint64_t index) {
  return Network(kNetworks.OfKey(index)) +
         Text("%03u/%05u", index % 20 * 12 + Mix(index) % 12, Mix(~index) % 65536);
}

// ---- acct-00000017_2026-11_inv0443. Every second month has invoices; asked for a month.

constexpr Groups kMonths = {10, 2};

std::string Month(uint64_t number) {
  return Text("acct-%08u_%04u-%02u", number / 24, 2025 + number / 12 % 2, 1 + number % 12);
}

std::string InvoiceKey(uint64_t index) {
  return Month(kMonths.OfKey(index)) + Text("_inv%04u", index % 10 * 1000 + Mix(index) % 1000);
}

// ---- pkg00017@001.002.003. Every second minor version exists; asked for one.

constexpr Groups kVersions = {4, 2};

std::string Version(uint64_t number) {
  return Text("pkg%05u@%03u.%03u", number / 40, number / 20 % 2, number % 20);
}

std::string VersionKey(uint64_t index) {
  return Version(kVersions.OfKey(index)) + Text(".%03u", index % 4 * 7);
}

// ---- Foreign keys beside those of a shape, so that nearly every file has some: of 5,000 keys, one
// is cut to these bytes, and one goes on.

template <std::string (*key)(uint64_t), size_t bytes>
std::string WithForeignKeys(uint64_t index) {
  const std::string own = key(index);
  if (index % 5000 == 17) return own.substr(0, bytes) + "!";
  return index % 5000 == 2517 ? own + "~, a key of another program" : own;
}

template <Range (*range)(RangeKind, uint64_t, uint64_t), size_t bytes>
Range WithoutForeignKeys(RangeKind kind, uint64_t num_keys, uint64_t random) {
  for (;; random = Mix(random)) {
    const Range asked = range(kind, num_keys, random);
    const std::string first = asked.begin.substr(0, bytes) + "!";
    const std::string last = asked.end.substr(0, bytes) + "!";
    const bool has_first = asked.begin <= first && first < asked.end;
    const bool has_last = asked.begin <= last && last < asked.end;
    if (kind != RangeKind::kEmpty || (!has_first && !has_last)) return asked;
  }
}

template <std::string (*key)(uint64_t), Range (*range)(RangeKind, uint64_t, uint64_t), size_t bytes>
void Add(const char* name, const char* name_with_foreign_keys, const char* description,
         size_t prefix_bytes, std::vector<Shape>* shapes) {
  shapes->push_back({name, description, prefix_bytes, 0, key, range});
  shapes->push_back({name_with_foreign_keys, description, prefix_bytes, 0,
                     WithForeignKeys<key, bytes>, WithoutForeignKeys<range, bytes>});
}

}  // namespace

std::vector<Shape> PaddedShapes() {
  std::vector<Shape> all;
  Add<UserKey, GroupRange<kUsers, User>, 9>("users", "users+",
                                            "user:000017:post:0004; the next user", 12, &all);
  Add<TimeKey, TimeRange, 10>("times", "times+",
                              "2026-11-29T10:15:00Z/device17; a minute, an hour, a day", 16, &all);
  Add<IdKey, GroupRange<kIds, Hexadecimal>, 12>("ids", "ids+",
                                                "16 hexadecimal digits; the next value", 16, &all);
  Add<OrderKey, GroupRange<kOrders, Order>, 15>("orders", "orders+",
                                                "order#000000000017#3; the next order", 19, &all);
  Add<UlidKey, GroupRange<kBursts, UlidOfMinute>, 6>("ulids", "ulids+", "ULIDs; a minute", 7, &all);
  Add<AddressKey, GroupRange<kNetworks, Network>, 9>(
      "addresses", "addresses+", "010.001.002.017/00443; the next network", 12, &all);
  Add<InvoiceKey, GroupRange<kMonths, Month>, 12>(
      "invoices", "invoices+", "acct-00000017_2026-11_inv0443; the next month", 21, &all);
  Add<VersionKey, GroupRange<kVersions, Version>, 7>(
      "versions", "versions+", "pkg00017@001.002.003; the next minor version", 16, &all);
  return all;
}

}  // namespace bloomline::bench::ranges

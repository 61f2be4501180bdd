#include "db_bench_ext/databases/padded_shapes.h"

#include <cstdio>
#include <string>

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
  // The number where a range begins.
  uint64_t Asked(RangeKind kind, uint64_t num_keys, uint64_t random) const {
    const uint64_t group = OfKey(random % num_keys);
    return kind == RangeKind::kEmpty ? group + 1 + (random >> 40) % (numbers_of_group - 1) : group;
  }
  static uint64_t Count(RangeKind kind) { return kind == RangeKind::kLong ? 100 : 1; }
};

// ---- user:000017:post:0004.

constexpr Groups kUsers = {20, 4};

std::string UserKey(uint64_t index) {
  return Text("user:%06u:post:%04u", kUsers.OfKey(index), index % 20 * 400 + Mix(index) % 400);
}

Range UserRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t user = kUsers.Asked(kind, num_keys, random);
  return {Text("user:%06u:", user), Text("user:%06u:", user + Groups::Count(kind))};
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

Range IdRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t id = kIds.Asked(kind, num_keys, random);
  return {Hexadecimal(id), Hexadecimal(id + Groups::Count(kind))};
}

// ---- order#000000000017#3. One order of three exists.

constexpr Groups kOrders = {5, 3};

std::string OrderKey(uint64_t index) {
  return Text("order#%012u#%u", kOrders.OfKey(index), index % 5);
}

Range OrderRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t order = kOrders.Asked(kind, num_keys, random);
  return {Text("order#%012u#", order), Text("order#%012u#", order + Groups::Count(kind))};
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

std::string UlidOfMinute(uint64_t minute, uint64_t milliseconds = 0) {
  constexpr uint64_t kStart = 1700000000000;
  return Digits32(kStart + minute * 60000 + milliseconds, 10);
}

std::string UlidKey(uint64_t index) {
  return UlidOfMinute(kBursts.OfKey(index), index % 20 * 50) + Digits32(Mix(index), 12) +
         Digits32(Mix(~index), 4);
}

Range UlidRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t minute = kBursts.Asked(kind, num_keys, random);
  return {UlidOfMinute(minute), UlidOfMinute(minute + Groups::Count(kind))};
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

Range AddressRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t network = kNetworks.Asked(kind, num_keys, random);
  return {Network(network), Network(network + Groups::Count(kind))};
}

// ---- acct-00000017_2026-11_inv0443. Every second month has invoices; asked for a month.

constexpr Groups kMonths = {10, 2};

std::string Month(uint64_t number) {
  return Text("acct-%08u_%04u-%02u", number / 24, 2025 + number / 12 % 2, 1 + number % 12);
}

std::string InvoiceKey(uint64_t index) {
  return Month(kMonths.OfKey(index)) + Text("_inv%04u", index % 10 * 1000 + Mix(index) % 1000);
}

Range InvoiceRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t month = kMonths.Asked(kind, num_keys, random);
  return {Month(month), Month(month + Groups::Count(kind))};
}

// ---- pkg00017@001.002.003. Every second minor version exists; asked for one.

constexpr Groups kVersions = {4, 2};

std::string Version(uint64_t number) {
  return Text("pkg%05u@%03u.%03u", number / 40, number / 20 % 2, number % 20);
}

std::string VersionKey(uint64_t index) {
  return Version(kVersions.OfKey(index)) + Text(".%03u", index % 4 * 7);
}

Range VersionRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const uint64_t version = kVersions.Asked(kind, num_keys, random);
  return {Version(version), Version(version + Groups::Count(kind))};
}

// ---- Foreign keys beside those of a shape, so that nearly every file has some: of 5,000 keys, one
// is cut to these bytes, and one goes on.

template <typename Shaped>
std::string WithForeignKeys(uint64_t index) {
  const std::string key = Shaped::Key(index);
  if (index % 5000 == 17) return key.substr(0, Shaped::kForeignBytes) + "!";
  return index % 5000 == 2517 ? key + "~, a key of another program" : key;
}

template <typename Shaped>
Range WithoutForeignKeys(RangeKind kind, uint64_t num_keys, uint64_t random) {
  for (;; random = Mix(random)) {
    const Range range = Shaped::RangeOf(kind, num_keys, random);
    const std::string first = range.begin.substr(0, Shaped::kForeignBytes) + "!";
    const std::string last = range.end.substr(0, Shaped::kForeignBytes) + "!";
    const bool has_first = range.begin <= first && first < range.end;
    const bool has_last = range.begin <= last && last < range.end;
    if (kind != RangeKind::kEmpty || (!has_first && !has_last)) return range;
  }
}

template <std::string (*key)(uint64_t), Range (*range)(RangeKind, uint64_t, uint64_t), size_t bytes>
struct Shaped {
  static std::string Key(uint64_t index) { return key(index); }
  static Range RangeOf(RangeKind kind, uint64_t num_keys, uint64_t random) {
    return range(kind, num_keys, random);
  }
  static constexpr size_t kForeignBytes = bytes;

  static void Add(const char* name, const char* name_with_foreign_keys, const char* description,
                  size_t prefix_bytes, std::vector<Shape>* shapes) {
    shapes->push_back({name, description, prefix_bytes, 0, key, range});
    shapes->push_back({name_with_foreign_keys, description, prefix_bytes, 0,
                       WithForeignKeys<Shaped>, WithoutForeignKeys<Shaped>});
  }
};

}  // namespace

std::vector<Shape> PaddedShapes() {
  std::vector<Shape> all;
  Shaped<UserKey, UserRange, 9>::Add("users", "users+", "user:000017:post:0004; the next user", 12,
                                     &all);
  Shaped<TimeKey, TimeRange, 10>::Add(
      "times", "times+", "2026-11-29T10:15:00Z/device17; a minute, an hour, a day", 16, &all);
  Shaped<IdKey, IdRange, 12>::Add("ids", "ids+", "16 hexadecimal digits; the next value", 16, &all);
  Shaped<OrderKey, OrderRange, 15>::Add("orders", "orders+", "order#000000000017#3; the next order",
                                        19, &all);
  Shaped<UlidKey, UlidRange, 6>::Add("ulids", "ulids+", "ULIDs; a minute", 7, &all);
  Shaped<AddressKey, AddressRange, 9>::Add("addresses", "addresses+",
                                           "010.001.002.017/00443; the next network", 12, &all);
  Shaped<InvoiceKey, InvoiceRange, 12>::Add(
      "invoices", "invoices+", "acct-00000017_2026-11_inv0443; the next month", 21, &all);
  Shaped<VersionKey, VersionRange, 7>::Add(
      "versions", "versions+", "pkg00017@001.002.003; the next minor version", 16, &all);
  return all;
}

}  // namespace bloomline::bench::ranges

// Filters of all kinds in files, written on one CPU and read on another: tests/platforms/run.
//   exchange write FOLDER    writes the filters to a new folder
//   exchange read FOLDER...  queries those that were written there, on any CPU
// The keys follow from their numbers. The reader prints the number of answers, how many of them are
// wrong, and a checksum of all answers, which is the same on all CPUs also for missing keys.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/keys.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/filter/container/shapes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/finished_filter.h"
#include "tests/support/leveldb_filter.h"
#include "tests/support/range_filter.h"

namespace bloomline {
namespace {

using Keys = std::vector<std::string>;
using MayMatch = std::function<bool(std::string_view key)>;

// Integers, compound keys and strings of many lengths: XXH3 hashes keys of up to 3, 8, 16, 128, 240
// and more bytes in different ways.
std::string KeyNumber(uint64_t i) {
  std::string key;
  switch (i % 6) {
    case 0:
      return std::string(KeyOf(i * i));
    case 1:
      return std::string(KeyOf(-static_cast<int64_t>(i), static_cast<uint16_t>(i)));
    case 2:
      EncodeKey({i, "user", static_cast<int>(i % 7)}, &key);
      return key;
    case 3:
      return std::to_string(i);
    default:
      key = std::to_string(i * 0x9e3779b97f4a7c15);
      for (uint64_t j = 0; j < i % 271; ++j) key += static_cast<char>(i + j * j);
      return key;
  }
}

Keys KeysFrom(uint64_t first, size_t n) {
  Keys keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(KeyNumber(i));
  return keys;
}

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "exchange: %s\n", message.c_str());
  std::exit(1);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail(path + " cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) Fail(path + " cannot be written");
}

// ---- Kinds of files: how each is written, and how it is opened for queries.

struct Kind {
  std::string name;
  size_t num_keys;
  std::function<void(const Keys&, const std::string& path)> write;
  std::function<std::vector<MayMatch>(const std::string& path)> open;
};

// A query by one key, and one in a batch.
template <typename Filter>
void AddQueries(std::shared_ptr<Filter> filter, std::vector<MayMatch>* queries) {
  queries->push_back([filter](std::string_view key) { return filter->MayMatch(key); });
  queries->push_back([filter](std::string_view key) {
    const std::string_view keys[] = {key, key};
    bool answers[2];
    filter->MayMatch(2, keys, answers);
    return answers[0] && answers[1];
  });
}

std::vector<MayMatch> OpenStatic(const std::string& path) {
  const auto bytes = std::make_shared<std::string>(ReadFile(path));
  if (!FilterView::Validate(*bytes).empty()) Fail(path + ": " + FilterView::Validate(*bytes));
  std::vector<MayMatch> queries;
  // The view with the bytes that it borrows.
  struct Opened {
    std::shared_ptr<std::string> bytes;
    FilterView view;
  };
  const auto opened = std::make_shared<Opened>(Opened{bytes, FilterView::Open(*bytes)});
  AddQueries(std::shared_ptr<FilterView>(opened, &opened->view), &queries);
  return queries;
}

void AddStaticKinds(const FilterOptions& options, const std::string& name, size_t num_keys,
                    std::vector<Kind>* kinds) {
  if (options.format != Format::kClassic) {
    kinds->push_back({"filter_" + name, num_keys,
                      [=](const Keys& keys, const std::string& path) {
                        FilterBuilder builder(options);
                        for (const std::string& key : keys) builder.AddKey(key);
                        WriteFile(path, builder.Finish(2));
                        if (!builder.error().empty()) Fail(builder.error());
                      },
                      &OpenStatic});
    kinds->push_back({"table_" + name, num_keys,
                      [=](const Keys& keys, const std::string& path) {
                        filter::FilterWriter writer(options);
                        for (const std::string& key : keys) writer.AddKey(key);
                        WriteFile(path, tests::FinishedFilter(&writer, filter::TableShape));
                      },
                      &OpenStatic});
  }
  kinds->push_back({"leveldb_" + name, num_keys,
                    [=](const Keys& keys, const std::string& path) {
                      WriteFile(path, tests::LevelDBFilter(options, {keys.begin(), keys.end()}));
                    },
                    [=](const std::string& path) {
                      const auto bytes = std::make_shared<std::string>(ReadFile(path));
                      const filter::Payload payload = filter::DecodeLevelDB(*bytes);
                      return std::vector<MayMatch>{[=](std::string_view key) {
                        return bytes->empty() ||
                               filter::HashMayMatch(
                                   payload, kernels::ActiveKernel(),
                                   filter::LayoutHash(payload.layout, key, options.seed));
                      }};
                    }});
}

// Each key as a range of its own.
void AddRangeKind(double memory, Format format, std::vector<Kind>* kinds) {
  FilterOptions options;
  options.format = format;
  options.seed = 77;
  kinds->push_back({"ranges_" + std::to_string(static_cast<int>(format)) + "_" +
                        std::to_string(static_cast<int>(memory)),
                    2000,
                    [=](const Keys& keys, const std::string& path) {
                      filter::FilterWriter writer(options);
                      filter::RangeEntries entries(tests::AutoEntries(memory));
                      WriteFile(path, tests::FilterWithRanges({keys.begin(), keys.end()}, false,
                                                              &entries, &writer));
                    },
                    [](const std::string& path) {
                      std::vector<MayMatch> queries = OpenStatic(path);
                      const auto ranges = std::make_shared<tests::RangeFilter>(ReadFile(path));
                      if (!ranges->is_understood()) Fail(path + ": no ranges");
                      queries.push_back([ranges](std::string_view key) {
                        return ranges->MayMatch(key, std::string(key) + '\0');
                      });
                      return queries;
                    }});
}

template <typename Filter>
std::shared_ptr<Filter> Loaded(const std::string& path) {
  std::string error;
  std::shared_ptr<Filter> filter = Filter::Load(path, &error);
  if (filter == nullptr) Fail(error);
  return filter;
}

template <typename Filter, typename Options>
void AddSavedKind(const std::string& name, const Options& options, size_t num_keys,
                  std::vector<Kind>* kinds) {
  kinds->push_back({name, num_keys,
                    [=](const Keys& keys, const std::string& path) {
                      std::string error;
                      const auto filter = Filter::Create(options, &error);
                      if (filter == nullptr) Fail(error);
                      for (const std::string& key : keys) filter->AddKey(key);
                      if (!filter->Save(path, &error)) Fail(error);
                    },
                    [](const std::string& path) {
                      std::vector<MayMatch> queries;
                      AddQueries(Loaded<Filter>(path), &queries);
                      if constexpr (std::is_same_v<Filter, BloomFilter>) {
                        std::string error;
                        AddQueries(std::shared_ptr<MappedBloomFilter>(MappedBloomFilter::Open(
                                       path, MappedBloomFilter::Verify::kPayload, &error)),
                                   &queries);
                        if (!error.empty()) Fail(error);
                        AddQueries(std::shared_ptr<AtomicBloomFilter>(AtomicBloomFilter::ToAtomic(
                                       BloomFilter::Load(path, &error))),
                                   &queries);
                      }
                      return queries;
                    }});
}

std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds;
  for (const Format format : {Format::kClassic, Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    for (const double bits_per_key : {3.6, 7.0, 10.0, 17.3, 24.0}) {
      options.bits_per_key = bits_per_key;
      for (const size_t num_keys : {size_t{1}, size_t{12}, size_t{70}, size_t{2500}}) {
        options.seed = num_keys == 70 ? 0xfedcba9876543210 : 0;
        AddStaticKinds(options,
                       std::to_string(static_cast<int>(format)) + "_" +
                           std::to_string(static_cast<int>(bits_per_key)) + "_" +
                           std::to_string(num_keys),
                       num_keys, &kinds);
      }
    }
  }
  for (const Format format : {Format::kBlocked, Format::kCompact}) {
    FilterOptions options;
    options.format = format;
    AddStaticKinds(options, std::to_string(static_cast<int>(format)) + "_large", 60000, &kinds);
    AddRangeKind(0.5, format, &kinds);
    AddRangeKind(8, format, &kinds);
  }
  for (const BloomLayout layout : {BloomLayout::kBlocked, BloomLayout::kStandard,
                                   BloomLayout::kBlocked128, BloomLayout::kBlocked64}) {
    BloomFilterOptions options;
    options.layout = layout;
    options.capacity = 3000;
    options.false_positive_rate = 0.01;
    options.seed = 3;
    AddSavedKind<BloomFilter>("bloom_" + std::to_string(static_cast<int>(layout)), options, 3000,
                              &kinds);
  }
  for (const int counter_bits : {4, 8}) {
    CountingBloomFilterOptions options;
    options.counter_bits = counter_bits;
    options.capacity = 3000;
    options.false_positive_rate = 0.02;
    AddSavedKind<CountingBloomFilter>("counting_" + std::to_string(counter_bits), options, 3000,
                                      &kinds);
  }
  ScalableBloomFilterOptions options;
  options.initial_capacity = 500;
  AddSavedKind<ScalableBloomFilter>("scalable", options, 4000, &kinds);
  return kinds;
}

// ---- The two commands

void Write(const std::string& folder) {
  if (!std::filesystem::create_directory(folder)) Fail(folder + " cannot be made");
  for (const Kind& kind : AllKinds()) {
    kind.write(KeysFrom(0, kind.num_keys), folder + "/" + kind.name);
  }
}

bool Read(const std::string& folder) {
  uint64_t num_answers = 0, num_wrong = 0, checksum = 0;
  for (const Kind& kind : AllKinds()) {
    // As many missing keys.
    const Keys keys = KeysFrom(0, 2 * kind.num_keys);
    const std::vector<MayMatch> queries = kind.open(folder + "/" + kind.name);
    uint64_t wrong = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      for (const MayMatch& query : queries) {
        const bool answer = query(keys[i]);
        wrong += !answer && i < kind.num_keys ? 1 : 0;
        checksum = checksum * 31 + (answer ? 1 : 2);
        ++num_answers;
      }
    }
    if (wrong != 0) {
      std::printf("%s/%s: %llu wrong answers\n", folder.c_str(), kind.name.c_str(),
                  static_cast<unsigned long long>(wrong));
    }
    num_wrong += wrong;
  }
  std::printf(
      "%llu answers, %llu wrong, checksum %016llx\n", static_cast<unsigned long long>(num_answers),
      static_cast<unsigned long long>(num_wrong), static_cast<unsigned long long>(checksum));
  return num_wrong == 0;
}

}  // namespace
}  // namespace bloomline

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  if (command == "write" && argc == 3) {
    bloomline::Write(argv[2]);
    return 0;
  }
  if (command != "read") {
    std::fputs("usage: exchange write FOLDER | exchange read FOLDER...\n", stderr);
    return 2;
  }
  bool passed = true;
  for (int i = 2; i < argc; ++i) passed = bloomline::Read(argv[i]) && passed;
  return passed ? 0 : 1;
}

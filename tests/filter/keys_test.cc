// Keys of integers and of several parts, and containers of keys.
#include "bloomline/keys.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/support/bloom_layouts.h"
#include "tests/support/golden_keys.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests::keys_test {
namespace {

std::string_view View(std::string_view key) { return key; }

// ---- One key.

// Keys of docs/format.md, section 11, that an independent implementation encoded
// (golden/reference.py).
TEST(KeysTest, GoldenVectors) {
  std::ifstream vectors(BLOOMLINE_GOLDEN_DIR "/keys.txt");
  int num_vectors = 0;
  int num_integers = 0;
  for (std::string line; std::getline(vectors, line); ++num_vectors) {
    std::istringstream fields(line);
    std::string parts, hex, hash;
    fields >> parts >> hex >> hash;
    std::string key = "old";
    std::istringstream part_texts(parts);
    std::vector<std::string> texts;
    for (std::string text; std::getline(part_texts, text, ',');) texts.push_back(text);
    std::vector<std::string> strings(texts.size());
    const auto part = [&](size_t i) {
      const std::string& text = texts[i];
      if (text[0] == 's') return KeyPart(strings[i] = FromHex(text.substr(1)));
      return text[0] == '-' ? KeyPart(std::stoll(text)) : KeyPart(std::stoull(text));
    };
    switch (texts.size()) {
      case 1:
        EncodeKey({part(0)}, &key);
        break;
      case 2:
        EncodeKey({part(0), part(1)}, &key);
        break;
      case 3:
        EncodeKey({part(0), part(1), part(2)}, &key);
        break;
      default:
        FAIL() << line;
    }
    EXPECT_EQ(key, FromHex(hex)) << line;
    EXPECT_EQ(HashKey(key, 0), std::stoull(hash, nullptr, 16)) << line;
    if (texts.size() == 1 && texts[0][0] != 's') {
      const KeyPart integer = part(0);
      EXPECT_EQ(View(KeyOf(integer.number())), key) << line;
      ++num_integers;
    }
  }
  EXPECT_EQ(num_vectors, 25);
  EXPECT_EQ(num_integers, 14);
}

template <typename T>
class IntegerKeysTest : public testing::Test {};
using Integers = testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                                long, unsigned long, long long, unsigned long long>;
TYPED_TEST_SUITE(IntegerKeysTest, Integers);

// The type of an integer does not matter, in KeyOf, in EncodeKey and in containers.
TYPED_TEST(IntegerKeysTest, EqualIntegersAreOneKey) {
  for (const TypeParam value :
       {TypeParam{0}, TypeParam{5}, TypeParam{127}, std::numeric_limits<TypeParam>::min(),
        std::numeric_limits<TypeParam>::max()}) {
    const auto same = std::is_signed_v<TypeParam> ? KeyOf(static_cast<int64_t>(value))
                                                  : KeyOf(static_cast<uint64_t>(value));
    EXPECT_EQ(View(KeyOf(value)), View(same));
    std::string key;
    EncodeKey({value}, &key);
    EXPECT_EQ(key, View(same));
    const auto filter = BloomFilter::Create({100}, nullptr);
    filter->AddKeys(std::vector<TypeParam>{value});
    EXPECT_TRUE(filter->MayMatch(same));
    EXPECT_EQ(filter->num_keys(), 1u);
  }
}

TEST(KeysTest, KeysAreConstantExpressions) {
  static constexpr auto key = KeyOf(0x6867666564636261, 'b' + 0);
  constexpr std::string_view bytes = key;
  static_assert(bytes.size() == 16 && bytes[0] == 'a' && bytes[7] == 'h' && bytes[8] == 'b');
  constexpr KeyPart part(7);
  static_assert(part.is_integer() && part.number() == 7);
}

// A null pointer is no part: as a string it would be read.
static_assert(!std::is_constructible_v<KeyPart, std::nullptr_t>);

TEST(KeysTest, PartsDoNotRunIntoEachOther) {
  std::set<std::string> keys;
  const std::vector<std::string> strings = {"", "a", "b", "ab", "abc", std::string(8, '\0')};
  for (const std::string& first : strings) {
    for (const std::string& second : strings) {
      for (const int number : {0, 1, -1, 97}) {
        std::string key;
        EncodeKey({first, number, second}, &key);
        EXPECT_TRUE(keys.insert(key).second) << first << number << second;
      }
    }
  }
}

TEST(KeysTest, AKeyMayBeAPartOfItself) {
  std::string expected;
  EncodeKey({"inner", 7}, &expected);
  std::string key = "inner";
  EncodeKey({key, 7}, &key);
  EXPECT_EQ(key, expected);
  std::string_view end = std::string_view(key).substr(key.size() - 3);
  EncodeKey({std::string(end)}, &expected);
  EncodeKey({end}, &key);
  EXPECT_EQ(key, expected);
  EncodeKey({}, &key);
  EXPECT_EQ(key, "");
}

// ---- Containers.

template <typename Keys, typename = void>
constexpr bool kAreKeys = false;
template <typename Keys>
constexpr bool kAreKeys<Keys, filter::IfKeys<Keys>> = true;

// What is not a container of keys does not compile.
static_assert(kAreKeys<std::vector<std::string>> && kAreKeys<std::set<uint16_t>>);
static_assert(kAreKeys<const char* [3]> && kAreKeys<std::vector<IntegerKey<2>>>);
static_assert(!kAreKeys<int> && !kAreKeys<std::string> && !kAreKeys<std::string_view>);
static_assert(!kAreKeys<char[4]> && !kAreKeys<std::vector<char>> && !kAreKeys<const char*>);
static_assert(!kAreKeys<std::vector<double>> && !kAreKeys<std::vector<float>>);
static_assert(!kAreKeys<std::vector<bool>> && !kAreKeys<std::vector<char32_t>>);
static_assert(!kAreKeys<std::map<int, int>> && !kAreKeys<std::vector<std::vector<int>>>);

// Keys that are in no memory but the iterator's, as a generator or a reader of lines makes them:
// each is overwritten by the next one.
template <typename Reference, typename Category = std::input_iterator_tag>
struct PassingKeys {
  struct Iterator {
    using iterator_category = Category;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string*;
    using reference = Reference;

    explicit Iterator(size_t n) : number(n) {}
    Reference operator*() const {
      if constexpr (std::is_pointer_v<Reference>) {
        return text.c_str();
      } else {
        return text;
      }
    }
    Iterator& operator++() {
      ++number;
      text = "key " + std::to_string(number / 2);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return number != other.number; }

    size_t number;
    std::string text = "key 0";
  };
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size); }

  size_t size;
};
static_assert(kAreKeys<PassingKeys<std::string>>);

template <typename Filter>
std::unique_ptr<Filter> New(BloomLayout layout, uint64_t capacity);
template <>
std::unique_ptr<BloomFilter> New(BloomLayout layout, uint64_t capacity) {
  return BloomFilter::Create(ForCapacity(layout, capacity, 0.01), nullptr);
}
template <>
std::unique_ptr<AtomicBloomFilter> New(BloomLayout layout, uint64_t capacity) {
  return AtomicBloomFilter::ToAtomic(New<BloomFilter>(layout, capacity));
}
template <>
std::unique_ptr<ScalableBloomFilter> New(BloomLayout layout, uint64_t capacity) {
  ScalableBloomFilterOptions options;
  options.layout = layout;
  options.initial_capacity = (capacity + 4) / 5;
  return ScalableBloomFilter::Create(options, nullptr);
}
template <>
std::unique_ptr<CountingBloomFilter> New(BloomLayout layout, uint64_t capacity) {
  const int counter_bits = layout == BloomLayout::kBlocked64 ? 8 : 4;
  return CountingBloomFilter::Create({capacity, 0.01, 0, 0, counter_bits}, nullptr);
}

template <typename Filter>
std::string BytesOf(const Filter& filter) {
  std::string bytes;
  EXPECT_TRUE(filter.ToBytes(&bytes, nullptr));
  return bytes;
}
std::string BytesOf(const AtomicBloomFilter& filter) { return BytesOf(*filter.Snapshot(nullptr)); }

template <typename Filter>
class KeyContainersTest : public testing::Test {
 protected:
  // The container gives the filter and the answers of single calls for `keys`.
  template <typename Container>
  static void Expect(const Container& container, const std::vector<std::string>& keys,
                     BloomLayout layout = BloomLayout::kBlocked, uint64_t capacity = 500) {
    Calls calls;
    calls.add = [&](Filter* filter, bool* changed) { return filter->AddKeys(container, changed); };
    calls.add_without_answers = [&](Filter* filter) { return filter->AddKeys(container); };
    calls.query = [&](const Filter& filter, bool* answers) { filter.MayMatch(container, answers); };
    if constexpr (kCounts) {
      calls.remove = [&](Filter* filter, bool* removed) {
        return removed == nullptr ? filter->RemoveKeys(container)
                                  : filter->RemoveKeys(container, removed);
      };
    }
    ExpectOfCalls(calls, keys, layout, capacity);
  }

 private:
  static constexpr bool kCounts = std::is_same_v<Filter, CountingBloomFilter>;

  // What depends on the container, so that the rest is compiled once for each filter.
  struct Calls {
    std::function<size_t(Filter*, bool*)> add;
    std::function<size_t(Filter*)> add_without_answers;
    std::function<void(const Filter&, bool*)> query;
    std::function<size_t(Filter*, bool*)> remove;
  };

  static void ExpectOfCalls(const Calls& calls, const std::vector<std::string>& keys,
                            BloomLayout layout, uint64_t capacity) {
    const auto expected = New<Filter>(layout, capacity);
    const auto filter = New<Filter>(layout, capacity);
    const auto without_answers = New<Filter>(layout, capacity);
    const auto changed = std::make_unique<bool[]>(keys.size() + 1);
    size_t num_changed = 0;
    const size_t returned = calls.add(filter.get(), changed.get());
    EXPECT_EQ(calls.add_without_answers(without_answers.get()), returned);
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool single = expected->AddKey(keys[i]);
      ASSERT_EQ(changed[i], single) << i;
      num_changed += single ? 1 : 0;
    }
    EXPECT_EQ(returned, num_changed);
    EXPECT_EQ(BytesOf(*filter), BytesOf(*expected));
    EXPECT_EQ(BytesOf(*without_answers), BytesOf(*expected));

    const auto half = New<Filter>(layout, capacity);
    for (size_t i = 0; i < keys.size(); i += 2) half->AddKey(keys[i]);
    const auto answers = std::make_unique<bool[]>(keys.size() + 1);
    calls.query(*half, answers.get());
    for (size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(answers[i], half->MayMatch(keys[i])) << i;

    if constexpr (kCounts) {
      const auto removed = std::make_unique<bool[]>(keys.size() + 1);
      size_t num_removed = 0;
      const auto same = New<Filter>(layout, capacity);
      for (size_t i = 0; i < keys.size(); i += 2) same->AddKey(keys[i]);
      const size_t result = calls.remove(half.get(), removed.get());
      for (size_t i = 0; i < keys.size(); ++i) {
        const bool single = same->RemoveKey(keys[i]);
        ASSERT_EQ(removed[i], single) << i;
        num_removed += single ? 1 : 0;
      }
      EXPECT_EQ(result, num_removed);
      EXPECT_GE(result, keys.size() * 2 / 5);  // false positives may be removed in place of keys
      EXPECT_EQ(BytesOf(*half), BytesOf(*same));
      calls.remove(filter.get(), nullptr);
      EXPECT_EQ(filter->num_keys(), 0u);
    }
  }
};

using Filters =
    testing::Types<BloomFilter, AtomicBloomFilter, ScalableBloomFilter, CountingBloomFilter>;
TYPED_TEST_SUITE(KeyContainersTest, Filters);

// Around the size of a group, of which the keys go to the filter at once.
TYPED_TEST(KeyContainersTest, ContainersOfStringsAreTheirStrings) {
  for (const size_t n : std::vector<size_t>{0, 1, 2, 255, 256, 257, 511, 512, 700}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back("a key of some length " + std::to_string(i / 2));
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::vector<const char*> pointers;
    for (const std::string& key : keys) pointers.push_back(key.c_str());
    this->Expect(keys, keys);
    this->Expect(views, keys);
    this->Expect(pointers, keys);
    this->Expect(std::list<std::string>(keys.begin(), keys.end()), keys);
    this->Expect(std::deque<std::string_view>(keys.begin(), keys.end()), keys);
    const std::set<std::string> sorted(keys.begin(), keys.end());
    this->Expect(sorted, {sorted.begin(), sorted.end()});
  }
}

// Within and beyond the second-level cache; with stages that fill in the middle of a group, and
// equal keys before and after.
TYPED_TEST(KeyContainersTest, BatchesOfEveryLayoutAndSizeAreTheirKeys) {
  std::vector<std::string> keys;
  for (int i = 0; i < 6000; ++i) keys.push_back("key " + std::to_string(i % 4500 / (1 + i % 2)));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  for (const BloomLayout layout : kAllBloomLayouts) {
    for (const uint64_t capacity : {1, 50, 5000, 300000}) {
      SCOPED_TRACE(testing::Message() << Name(layout) << " " << capacity);
      this->Expect(views, keys, layout, capacity);
    }
  }
}

TYPED_TEST(KeyContainersTest, KeysThatDoNotStayAreAddedWhileTheyAreThere) {
  for (const size_t n : std::vector<size_t>{0, 1, 2, 300}) {
    std::vector<std::string> keys;
    for (size_t i = 0; i < n; ++i) keys.push_back("key " + std::to_string(i / 2));
    this->Expect(PassingKeys<std::string>{n}, keys);
    this->Expect(PassingKeys<const std::string&>{n}, keys);
    this->Expect(PassingKeys<std::string_view>{n}, keys);
    this->Expect(PassingKeys<const char*>{n}, keys);
    this->Expect(PassingKeys<std::string, std::forward_iterator_tag>{n}, keys);  // says too much
  }
}

TYPED_TEST(KeyContainersTest, ContainersOfIntegersAreTheirKeys) {
  for (const int n : {0, 1, 255, 256, 257, 700}) {
    std::vector<int> integers;
    std::vector<std::string> keys;
    std::vector<IntegerKey<2>> pairs;
    std::vector<std::string> keys_of_pairs;
    for (int i = 0; i < n; ++i) {
      integers.push_back(i / 2 - 100);
      keys.emplace_back(View(KeyOf(integers.back())));
      pairs.push_back(KeyOf(i, -i));
      keys_of_pairs.emplace_back(View(pairs.back()));
    }
    this->Expect(integers, keys);
    this->Expect(std::vector<int16_t>(integers.begin(), integers.end()), keys);
    this->Expect(std::list<int64_t>(integers.begin(), integers.end()), keys);
    this->Expect(pairs, keys_of_pairs);
  }
}

TYPED_TEST(KeyContainersTest, ArraysAndListsInBracesAreContainers) {
  const std::string a = "a";
  const std::string b = "b";
  const char* const pointers[] = {"a", "b"};
  const std::string_view views[] = {"a", "b"};
  const uint8_t bytes[] = {1, 255};
  this->Expect(pointers, {"a", "b"});
  this->Expect(views, {"a", "b"});
  this->Expect(std::array<std::string, 2>{"a", "b"}, {"a", "b"});
  this->Expect(bytes, {std::string(View(KeyOf(1))), std::string(View(KeyOf(255)))});
  const auto filter = New<TypeParam>(BloomLayout::kBlocked, 500);
  EXPECT_EQ(filter->AddKeys({"a", "b", "a"}), 2u);
  EXPECT_EQ(filter->AddKeys({a, b}), 0u);
  EXPECT_EQ(filter->AddKeys({std::string_view("c")}), 1u);
  EXPECT_EQ(filter->AddKeys({0, 1, 2}), 3u);
  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(filter->MayMatch(key));
  for (const int key : {0, 1, 2}) EXPECT_TRUE(filter->MayMatch(KeyOf(key)));
}

// Builders and their filters take what others take.
TEST(KeyContainersOfStaticFiltersTest, ContainersAreTheirKeys) {
  const auto expect = [](const auto& stored, const auto& queries, auto key_of) {
    FilterBuilder singles((FilterOptions()));
    FilterBuilder builder((FilterOptions()));
    for (const auto& element : stored) singles.AddKey(key_of(element));
    builder.AddKeys(stored);
    EXPECT_EQ(builder.num_keys(), stored.size());
    const std::string bytes = builder.Finish();
    EXPECT_EQ(bytes, singles.Finish());
    const FilterView view = FilterView::Open(bytes);
    const auto answers = std::make_unique<bool[]>(queries.size());
    view.MayMatch(queries, answers.get());
    for (size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(answers[i], view.MayMatch(key_of(queries[i]))) << i;
    }
  };
  for (const int n : {0, 1, 257, 1000}) {
    std::vector<int> stored, queries;
    std::vector<std::string> strings;
    for (int i = 0; i < n; ++i) {
      (i % 2 == 0 ? stored : queries).push_back(i);
      strings.push_back("key " + std::to_string(i));
    }
    queries.insert(queries.end(), stored.begin(), stored.end());
    expect(stored, queries, [](int i) { return KeyOf(i); });
    expect(strings, strings, [](const std::string& key) { return key; });
    const std::vector<std::string_view> views(strings.begin(), strings.end());
    expect(views, strings, [](std::string_view key) { return key; });
  }
  FilterBuilder builder((FilterOptions()));
  builder.AddKeys({"a", "b"});
  builder.AddKeys({1, 2, 3});
  EXPECT_EQ(builder.num_keys(), 5u);
}

}  // namespace
}  // namespace bloomline::tests::keys_test

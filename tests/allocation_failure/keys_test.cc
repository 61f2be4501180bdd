// keys.h.
#include "bloomline/keys.h"

#include <list>
#include <string>
#include <string_view>

#include "bloomline/bloom_filter.h"
#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {
namespace {

TEST(KeysTest, EncodeKeySucceedsOrLeavesTheKeyAlone) {
  const std::string part(100, 'x');
  std::string expected;
  ASSERT_TRUE(EncodeKey({7, part}, &expected));
  for (const bool is_part_of_itself : {false, true}) {
    FailEachAllocation({"EncodeKey"}, [&](Attempt* attempt) {
      std::string key = is_part_of_itself ? part : "old";
      const std::string old = key;
      bool encoded = false;
      attempt->Call([&] { encoded = EncodeKey({7, is_part_of_itself ? key : part}, &key); });
      EXPECT_EQ(encoded, !attempt->HasFailed());
      EXPECT_EQ(key, encoded ? expected : old);
    });
  }
}

TEST(KeysTest, OtherKeysNeedNoMemory) {
  const std::list<std::string> strings = {"a string that is too long for its own object", "b"};
  const uint16_t integers[] = {1, 2};
  BloomFilterOptions options;
  options.capacity = 100;
  const auto filter = BloomFilter::Create(options, nullptr);
  std::string key(100, 'x');
  const std::string part(80, 'y');
  ExpectNoAllocation({"KeyOf", "IntegerKey::string_view", "KeyPart::KeyPart", "KeyPart::is_integer",
                      "KeyPart::number", "KeyPart::bytes", "EncodeKey", "BloomFilter::AddKeys",
                      "BloomFilterBase::MayMatch"},
                     [&] {
                       const std::string_view two = KeyOf(1, 2).operator std::string_view();
                       EXPECT_EQ(two.size(), 16u);
                       const KeyPart number(5);
                       EXPECT_TRUE(number.is_integer() && number.number() == 5);
                       EXPECT_EQ(KeyPart(part).bytes(), part);
                       EXPECT_TRUE(EncodeKey({part, 7}, &key));  // it has room
                       EXPECT_EQ(filter->AddKeys(strings), 2u);
                       EXPECT_EQ(filter->AddKeys(integers), 2u);
                       bool answers[2];
                       filter->MayMatch(strings, answers);
                       EXPECT_TRUE(answers[0] && answers[1]);
                     });
}

}  // namespace
}  // namespace bloomline::tests

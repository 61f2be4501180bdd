// The grammar of policies' ids. Tests of its users: db_tool_test, rewrite_command_test and
// rocksdb_option_strings_test.
#include "src/filter/options/policy_id.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bloomline::tests::policy_id_test {
namespace {

using filter::MeantPolicy;
using filter::ParsePolicyId;
using filter::PolicyClass;
using filter::PolicyId;

// "NAME BITS SUFFIX", with "-" for what is not there.
std::string Parts(const char* text) {
  const PolicyId id = ParsePolicyId(text);
  const auto part = [](const auto& of_id) { return " " + std::string(of_id.value_or("-")); };
  return std::string(id.name) + part(id.bits) + part(id.suffix);
}

TEST(PolicyIdTest, ColonsPartAnId) {
  EXPECT_EQ(Parts("bloomline"), "bloomline - -");
  EXPECT_EQ(Parts("bloomline:"), "bloomline  -");
  EXPECT_EQ(Parts("bloomfilter:10:false"), "bloomfilter 10 false");
  EXPECT_EQ(Parts("ribbonfilter:9.5:3:4"), "ribbonfilter 9.5 3:4");
  EXPECT_EQ(Parts("::"), "  ");
  EXPECT_EQ(Parts(""), " - -");
}

TEST(PolicyIdTest, ANameGivesKindAndFormat) {
  const auto is = [](const char* text, PolicyClass policy_class, Format format) {
    const PolicyId id = ParsePolicyId(text);
    return id.policy_class == policy_class && id.format == format;
  };
  EXPECT_TRUE(is("bloomline:x", PolicyClass::kBloomline, Format::kBlocked));
  EXPECT_TRUE(is("bloomfilter", PolicyClass::kBloom, Format::kBloom));
  EXPECT_TRUE(is("ribbonfilter:10:3", PolicyClass::kRibbon, Format::kRibbon));
  for (const char* text : {"", "Bloomline", "bloomline ", "bloomfilter2:10", "bloom:10",
                           "classic:10", "rocksdb.BuiltinBloomFilter", "rocksdb.BloomFilter:10"}) {
    EXPECT_EQ(ParsePolicyId(text).policy_class, PolicyClass::kOther) << text;
    EXPECT_TRUE(ParsePolicyId(text).is_valid) << text;
  }
}

TEST(PolicyIdTest, NumbersAreThoseOfRocksDBsNames) {
  const std::string nines(99, '9');
  for (const std::string bits : {"10", "0", "-1", "9.5", "10.", ".5", "-.5", "007"}) {
    for (const char* name : {"bloomline:", "bloomfilter:", "ribbonfilter:"}) {
      EXPECT_TRUE(ParsePolicyId(name + bits).is_valid) << name << bits;
    }
    EXPECT_TRUE(ParsePolicyId("bloomfilter:" + bits + ":false").is_valid) << bits;
  }
  EXPECT_TRUE(ParsePolicyId("bloomfilter:" + nines + "." + nines).is_valid);
  for (const std::string& bits :
       std::vector<std::string>{"", " 10", "10 ", "+5", "-", ".", "-.", "--1", "1.2.3", "1e2",
                                "0x10", "10,5", "nan", "inf", nines + nines + "99"}) {
    for (const char* name : {"bloomline:", "bloomfilter:", "ribbonfilter:"}) {
      EXPECT_FALSE(ParsePolicyId(name + bits).is_valid) << name << bits;
    }
  }
  for (const char* id : {"ribbonfilter:1:-1", "ribbonfilter:1:0", "ribbonfilter:1:123456789",
                         "bloomline:1:true", "bloomline"}) {
    EXPECT_TRUE(ParsePolicyId(id).is_valid) << id;
  }
  for (const char* id : {"bloomfilter", "ribbonfilter", "ribbonfilter:1:", "ribbonfilter:1:-",
                         "ribbonfilter:1:+1", "ribbonfilter:1:1.5", "ribbonfilter:1:1234567890",
                         "ribbonfilter:1:false", "bloomline:1:", "bloomline:1:1",
                         "bloomline:1:False", "bloomfilter:1: false", "bloomline:1:true:"}) {
    EXPECT_FALSE(ParsePolicyId(id).is_valid) << id;
  }
}

TEST(PolicyIdTest, ATypingErrorIsSeen) {
  const struct {
    const char* text;
    const char* meant;
  } kTexts[] = {{"blomline:10", "bloomline"},
                {"{id=bloomfitler:10;bits=1}", "bloomfilter"},
                {"{ribonfilter}", "ribbonfilter"},
                {"ribonfilter;x=1", "ribbonfilter"},
                {"bloom", "bloomline"},
                {"bloomline:", ""},
                {"{myid=bloomfilte}", "bloomfilter"},
                {"{format=blomline}", ""},
                {"{id=another:10}", ""},
                {"", ""},
                {"id=", ""}};
  for (const auto& [text, meant] : kTexts) {
    const std::string expected = std::string("; did you mean '") + meant + "'?";
    EXPECT_EQ(MeantPolicy(text), *meant == '\0' ? "" : expected) << text;
  }
}

}  // namespace
}  // namespace bloomline::tests::policy_id_test

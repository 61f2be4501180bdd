// OPTIONS of any text.
#include <gtest/gtest.h>

#include <string>

#include "src/db/directory/options_file.h"

namespace bloomline::directory {
namespace {

TEST(OptionsFile, Sections) {
  OptionsFile options;
  ParseOptionsFile(
      "# comment\n"
      "[Version]\n  rocksdb_version=7.8.3\n"
      "[DBOptions]\n  db_log_dir=/a\n"
      "[CFOptions \"default\"]\r\n  path=/a\\:b\\#c # comment\r\n  no statement\n=\n"
      "  num_levels=5\n  compression_opts={max_dict_bytes=0;level=1;}\n"
      "  a = b=c  \n"
      "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy={id=bloomfilter:10:false;}#x\n"
      "  num_levels=9\n"
      "[CFOptions \"with \\\"quotes\\\" \\#1\"]\n  a=1\n"
      "[Unknown \"default\"]\n  b=2\n"
      "[CFOptions]\n  c=3\n"
      "[TableOptions \"default\"]\n  d=4",
      &options);
  ASSERT_EQ(options.size(), 2u);
  EXPECT_EQ(options["default"], (OptionMap{{"path", "/a:b#c"},
                                           {"", ""},
                                           {"num_levels", "5"},
                                           {"compression_opts", "{max_dict_bytes=0;level=1;}"},
                                           {"a", "b=c"},
                                           {"filter_policy", "{id=bloomfilter:10:false;}"}}));
  EXPECT_EQ(options["with \"quotes\" #1"], (OptionMap{{"a", "1"}}));
}

TEST(OptionsFile, Values) {
  EXPECT_EQ(OptionId("bloomfilter:10:false"), "bloomfilter:10:false");
  EXPECT_EQ(OptionId(" {bloomfilter:10:false;} "), "bloomfilter:10:false");
  EXPECT_EQ(OptionId("{bloom_before_level=0;id=ribbonfilter:10;}"), "ribbonfilter:10");
  EXPECT_EQ(OptionId("id=bloomline;format=compact"), "bloomline");
  EXPECT_EQ(OptionId("{bits_per_key=7}"), "");
  EXPECT_EQ(OptionId(""), "");
  EXPECT_EQ(OptionId("{a_id=x;id=y;b={c=2;};}"), "y");
  // Braces that do not match.
  for (const char* text :
       {"{", "}", "{a", "a}", "{{a=1}", "{a=1}}", "}{", "a={;b=1", ";;;", "=", "{=}"}) {
    OptionId(text);
  }
}

}  // namespace
}  // namespace bloomline::directory

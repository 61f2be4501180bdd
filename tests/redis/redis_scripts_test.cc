// Every script on every state of a key. A script that a client repeats changes nothing.
#include <gtest/gtest.h>

#include <string>

#include "src/redis/layout.h"
#include "src/redis/scripts.h"
#include "tests/redis/redis_filter_test.h"

namespace bloomline::tests {
namespace {

// The key of a shard of 4 blocks of 64 bytes.
class RedisScriptsTest : public RedisFilterTest {
 protected:
  static constexpr const char* kKey = "bloomline:shard:{f:00000000000000ff:0}";

  static std::string Header(uint64_t id) {
    redis::Layout layout;
    layout.block_bytes = 64;
    layout.num_probes = 1;
    layout.blocks_per_shard = 4;
    layout.num_shards = 1;
    layout.id = id;
    return redis::EncodeHeader(layout);
  }

  std::string Make() {
    return server_->Command({"EVAL", redis::kMake, "1", kKey, header_, "4", "64"});
  }
  std::string Run(const char* script) {
    return server_->Command({"EVAL", script, "1", kKey, header_});
  }
  std::string Add(const char* bit) {
    return server_->Command({"EVAL", redis::kAddIfPresent, "1", kKey, header_, "SET", "u1", bit,
                             "1", "INCRBY", "u8", "0", "1", "INCRBY", "u8", "0", "-1"});
  }
  std::string Content() { return server_->Command({"GET", kKey}); }

  const std::string header_ = Header(0xff);
  const std::string block_ = std::string(63, '\0') + '\1';
};

TEST_F(RedisScriptsTest, MakeMakesAShardOnce) {
  EXPECT_EQ(Make(), "1");
  const std::string empty = header_ + block_ + block_ + block_ + block_;
  EXPECT_EQ(Content(), empty);
  EXPECT_EQ(server_->Command({"TTL", kKey}), "-1");
  EXPECT_EQ(Add("2050"), "0 99 98");
  EXPECT_EQ(Add("2050"), "1 99 98");
  const std::string added = Content();
  EXPECT_NE(added, empty);
  EXPECT_EQ(Make(), "1") << "repeated";
  EXPECT_EQ(Content(), added);
}

TEST_F(RedisScriptsTest, MakeWritesPiecesOfAnyLength) {
  for (const uint64_t blocks : {1, 15, 16, 17, 40}) {
    server_->Command({"DEL", kKey});
    EXPECT_EQ(
        server_->Command({"EVAL", redis::kMake, "1", kKey, header_, std::to_string(blocks), "512"}),
        "1");
    std::string expected = header_;
    for (uint64_t i = 0; i < blocks; ++i) expected += std::string(511, '\0') + '\1';
    EXPECT_EQ(Content(), expected);
  }
}

TEST_F(RedisScriptsTest, AnEntryIsAHeader) {
  EXPECT_EQ(server_->Command({"EVAL", redis::kMake, "1", kKey, header_, "0", "64"}), "1");
  EXPECT_EQ(Content(), header_);
  const std::string other = Header(0xfe);
  EXPECT_EQ(server_->Command({"EVAL", redis::kMake, "1", kKey, other, "0", "64"}), "0");
  EXPECT_EQ(Content(), header_);
}

// Missing, or a string that BITFIELD has made, or one with another header, or another type.
TEST_F(RedisScriptsTest, OtherContentsAreLeftAlone) {
  EXPECT_EQ(Run(redis::kTouch), "0");
  EXPECT_EQ(Run(redis::kForget), "0");
  EXPECT_EQ(Run(redis::kRemoveRemnant), "0");
  EXPECT_EQ(Add("2050"), "0");
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  server_->Command({"SETBIT", kKey, "5000", "1"});
  for (const std::string& content : {Content(), Header(0xfe) + block_, header_.substr(0, 255)}) {
    server_->Command({"SET", kKey, content});
    EXPECT_EQ(Make(), "0");
    EXPECT_EQ(Run(redis::kTouch), "0");
    EXPECT_EQ(Run(redis::kForget), "0");
    EXPECT_EQ(Add("2050"), "0");
    EXPECT_EQ(Content(), content);
    EXPECT_EQ(Run(redis::kRemoveRemnant), "1");
    EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
  }
  server_->Command({"LPUSH", kKey, "x"});
  for (const std::string& reply :
       {Make(), Run(redis::kTouch), Run(redis::kForget), Run(redis::kRemoveRemnant), Add("2050")}) {
    EXPECT_NE(reply.find("WRONGTYPE"), std::string::npos) << reply;
  }
  EXPECT_EQ(server_->Command({"LLEN", kKey}), "1");
}

TEST_F(RedisScriptsTest, TouchAndForgetWorkOnTheirOwnHeader) {
  Make();
  const std::string before = Content();
  const auto writes = [&] { return server_->Info("persistence", "rdb_changes_since_last_save"); };
  const uint64_t writes_before = writes();
  EXPECT_EQ(Run(redis::kTouch), "1");
  EXPECT_GT(writes(), writes_before) << "otherwise a WAIT after it would not wait";
  EXPECT_EQ(Run(redis::kRemoveRemnant), "0");
  EXPECT_EQ(Content(), before);
  EXPECT_EQ(Run(redis::kForget), "1");
  EXPECT_EQ(Run(redis::kForget), "0");
  EXPECT_EQ(server_->Command({"DBSIZE"}), "0");
}

}  // namespace
}  // namespace bloomline::tests

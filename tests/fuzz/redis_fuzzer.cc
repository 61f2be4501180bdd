// Replies of a broken or hostile Redis server. Whatever bytes it sends: a query is answered "no"
// only after a whole block with its marker, no addition is acknowledged without the shard's header,
// and the parsers accept only values in range.
#include <hiredis/hiredis.h>

#include "src/filter/bits/hash.h"
#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using redis::Layout;
using redis::ReplyPtr;

// hiredis allocates the memory of an array when its length arrives.
constexpr size_t kMaxLengthDigits = 5;

bool HasHugeArray(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '*' && bytes[i] != '%' && bytes[i] != '~' && bytes[i] != '>') continue;
    size_t digits = 0;
    while (i + 1 < bytes.size() && bytes[i + 1] != '\r' && digits <= kMaxLengthDigits) {
      ++i;
      ++digits;
    }
    if (digits > kMaxLengthDigits) return true;
  }
  return false;
}

// Calls use(reply) for each reply in the bytes.
template <typename Use>
void ForEachReply(std::string_view bytes, Use use) {
  if (HasHugeArray(bytes)) return;
  const std::unique_ptr<redisReader, void (*)(redisReader*)> reader(redisReaderCreate(),
                                                                    redisReaderFree);
  redisReaderFeed(reader.get(), bytes.data(), bytes.size());
  void* reply = nullptr;
  while (redisReaderGetReply(reader.get(), &reply) == REDIS_OK && reply != nullptr) {
    use(ReplyPtr(static_cast<redisReply*>(reply)));
  }
}

const redis::Filter& ConsumeFilter(FuzzedDataProvider* input) {
  static const auto filters = [] {
    std::vector<redis::Filter> list;
    const struct {
      uint32_t block_bytes;
      int num_probes;
      uint64_t blocks;
      uint32_t shards;
    } kinds[] = {{64, 6, 3, 1}, {64, 1, 1, 1}, {128, 7, 2, 3}, {256, 13, 5, 2}, {512, 30, 2, 1}};
    for (const auto& kind : kinds) {
      Layout layout;
      layout.capacity = 100;
      layout.false_positive_rate = 0.01;
      layout.seed = kind.blocks;
      layout.block_bytes = kind.block_bytes;
      layout.num_probes = kind.num_probes;
      layout.blocks_per_shard = kind.blocks;
      layout.num_shards = kind.shards;
      layout.id = 0x1234;
      list.emplace_back("name", layout);
    }
    return list;
  }();
  return filters[input->ConsumeIntegralInRange<size_t>(0, filters.size() - 1)];
}

// Consecutive keys.
struct Keys {
  Keys(FuzzedDataProvider* input, size_t n) {
    const auto first = input->ConsumeIntegral<uint16_t>();
    for (size_t i = 0; i < n; ++i) keys.push_back(BigEndianKey(first + i));
    for (const Key& key : keys) views.push_back(View(key));
  }
  std::vector<Key> keys;
  std::vector<std::string_view> views;
};

void AppendBulk(std::string_view content, std::string* out) {
  *out += "$" + std::to_string(content.size()) + "\r\n";
  out->append(content);
  *out += "\r\n";
}

void AppendInteger(int64_t number, std::string* out) {
  *out += ":" + std::to_string(number) + "\r\n";
}

// A reply of any kind. Garble makes others of them.
void AppendAnyReply(FuzzedDataProvider* input, std::string* out) {
  const char* const replies[] = {
      "$-1\r\n", "+OK\r\n",    "-ERR x\r\n",  "*0\r\n",
      ":98\r\n", "$0\r\n\r\n", "$1\r\nb\r\n", "*2\r\n:1\r\n*1\r\n$-1\r\n"};
  *out += input->PickValueInArray(replies);
}

// Transmits bytes: some are changed, or cut off.
void Garble(FuzzedDataProvider* input, std::string* bytes) {
  while (input->remaining_bytes() > 0 && !bytes->empty() && input->ConsumeBool()) {
    const size_t place = input->ConsumeIntegralInRange<size_t>(0, bytes->size() - 1);
    if (input->ConsumeIntegralInRange<int>(0, 7) == 7) {
      bytes->resize(place);
    } else {
      (*bytes)[place] = input->ConsumeIntegral<char>();
    }
  }
}

// The right answer of QueryBatch, from docs/redis.md: bits are counted from the most significant
// one. kError if the reply is no block of the filter.
Answer ExpectedAnswer(const redisReply& reply, const Layout& layout, std::string_view key) {
  const auto bit = [&](uint32_t i) {
    return (static_cast<unsigned char>(reply.str[i / 8]) & (0x80 >> i % 8)) != 0;
  };
  const uint32_t marker = 8 * layout.block_bytes - 1;
  if (reply.type != REDIS_REPLY_STRING || reply.len != layout.block_bytes || !bit(marker)) {
    return Answer::kError;
  }
  const redis::Place place = redis::PlaceOf(layout, filter::Hash64(key, layout.seed));
  for (int j = 0; j < layout.num_probes; ++j) {
    if (!bit(redis::BitOf(layout, place.pair, j))) return Answer::kNo;
  }
  return Answer::kMaybe;
}

void FuzzQueries(FuzzedDataProvider* input) {
  const redis::Filter& filter = ConsumeFilter(input);
  const size_t num_keys = input->ConsumeIntegralInRange<size_t>(1, 4);
  const Keys keys(input, num_keys);
  std::string bytes;
  for (size_t i = 0; i < num_keys; ++i) {
    if (input->ConsumeIntegralInRange<int>(0, 7) == 7) {
      AppendAnyReply(input, &bytes);
      continue;
    }
    const auto surplus = input->ConsumeIntegralInRange<int>(0, 15);
    // Sometimes a byte too many or too few.
    const size_t size = filter.layout.block_bytes + (surplus == 1) - (surplus == 0);
    std::string block = ConsumeContent(input, size);
    if (input->ConsumeIntegralInRange<int>(0, 3) < 3) block.back() |= 1;
    AppendBulk(block, &bytes);
  }
  Garble(input, &bytes);

  // Must stay kError where no answer came.
  std::vector<Answer> answers(num_keys, Answer::kError);
  std::vector<Answer> expected = answers;
  redis::QueryBatch batch(filter, num_keys, keys.views.data());
  std::vector<redis::Command>& commands = *batch.commands();
  Require(commands.size() == num_keys, "each key has a command");
  size_t next = 0;
  ForEachReply(bytes, [&](ReplyPtr reply) {
    if (next == num_keys) return;
    Require(commands[next].slot < redis::kNumSlots, "a slot is in range");
    expected[next] = ExpectedAnswer(*reply, filter.layout, keys.views[next]);
    commands[next++].reply = std::move(reply);
  });
  for (; next < num_keys; ++next) commands[next].error = "no reply";
  std::string error;
  const bool ok = batch.ReadReplies(answers.data(), &error);
  Require(answers == expected, "an answer is what the block says, or that there is none");
  Require(ok == (std::count(answers.begin(), answers.end(), Answer::kError) == 0),
          "failures are reported");
  Require(ok == error.empty(), "what failed has a reason, and only that");
}

void FuzzAdditions(FuzzedDataProvider* input) {
  const redis::Filter& filter = ConsumeFilter(input);
  const size_t num_keys = ConsumeCount(input, 2, 20);
  const Keys keys(input, num_keys);
  const bool with_results = input->ConsumeIntegralInRange<int>(0, 7) < 7;
  const bool repeated = input->ConsumeBool();
  std::vector<AddResult> results(num_keys, AddResult::kFailed);
  const bool for_replicas = input->ConsumeBool();
  redis::AddBatch batch(filter, num_keys, keys.views.data(), for_replicas);
  std::vector<redis::Command>& commands = *batch.commands();
  // A reply has a number for each bit of its keys and one for the header's first byte, or two for
  // replicas; a command has 16 keys at most, and as many as are of one shard.
  const size_t num_headers = for_replicas ? 2 : 1;
  const size_t num_probes = static_cast<size_t>(filter.layout.num_probes);
  const size_t max_keys = std::min<size_t>(num_keys, 16);
  std::string bytes;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (input->ConsumeIntegralInRange<int>(0, 7) == 7) {
      AppendAnyReply(input, &bytes);
      continue;
    }
    const auto surplus = input->ConsumeIntegralInRange<int>(0, 15);
    const size_t n = num_probes * input->ConsumeIntegralInRange<size_t>(1, max_keys) + num_headers +
                     static_cast<size_t>(surplus == 0);
    bytes += "*" + std::to_string(n) + "\r\n";
    const bool set = input->ConsumeBool();
    for (size_t j = 0; j + 1 < n; ++j) AppendInteger(set, &bytes);
    if (input->ConsumeIntegralInRange<int>(0, 7) == 7) {
      AppendAnyReply(input, &bytes);
    } else {
      AppendInteger(input->ConsumeIntegralInRange<int>(0, 7) < 7 ? redis::kFirstHeaderByte : 0,
                    &bytes);
    }
  }
  Garble(input, &bytes);

  size_t next = 0;
  size_t num_headed = 0;
  ForEachReply(bytes, [&](ReplyPtr reply) {
    if (next == commands.size()) return;
    Require(commands[next].slot < redis::kNumSlots, "a slot is in range");
    num_headed += reply->type == REDIS_REPLY_ARRAY && reply->elements > num_probes &&
                  (reply->elements - num_headers) % num_probes == 0 &&
                  reply->element[reply->elements - 1]->type == REDIS_REPLY_INTEGER &&
                  reply->element[reply->elements - 1]->integer == redis::kFirstHeaderByte;
    commands[next].repeated = repeated;
    commands[next++].reply = std::move(reply);
  });
  const bool all_headed = num_headed == commands.size();
  for (; next < commands.size(); ++next) commands[next].error = "no reply";
  std::string error;
  std::set<uint32_t> lost;
  const bool ok = batch.ReadReplies(with_results ? results.data() : nullptr, &lost, &error);
  const auto acknowledged =
      static_cast<size_t>(std::count_if(results.begin(), results.end(), [](AddResult result) {
        return result != AddResult::kFailed;
      }));
  Require(acknowledged <= num_headed * max_keys, "nothing is acknowledged without the header");
  Require(all_headed || !ok, "failures are reported");
  Require(ok == error.empty(), "what failed has a reason, and only that");
  Require(lost.empty() || !ok, "a lost shard is a failure");
  if (!with_results || !ok) return;
  for (const AddResult result : results) {
    Require(result != AddResult::kFailed, "without a failure all keys are acknowledged");
    Require(!repeated || result != AddResult::kPresent, "after a repetition nothing is certain");
  }
}

void RequireUsable(const redis::Endpoint& endpoint) {
  Require(endpoint.port >= 1 && endpoint.port <= 65535, "a port is in range");
  Require(!endpoint.host.empty(), "a node without a host is the node that replied");
  Require(!endpoint.is_unix_socket(), "no server sends its clients to a file of theirs");
}

// A reply to CLUSTER SLOTS: right but for numbers out of range and nodes that lack.
void AppendSlots(FuzzedDataProvider* input, std::string* out) {
  const int slots[] = {-1, 0, 1, 8191, 16383, 16384, 65536};
  const int ports[] = {-1, 0, 1, 6379, 65535, 65536, INT32_MAX};
  const auto num_ranges = input->ConsumeIntegralInRange<size_t>(0, 3);
  *out += "*" + std::to_string(num_ranges) + "\r\n";
  for (size_t i = 0; i < num_ranges; ++i) {
    const size_t num_nodes = input->PickValueInArray<size_t>({1, 1, 1, 2, 0});
    *out += "*" + std::to_string(2 + num_nodes) + "\r\n";
    AppendInteger(input->PickValueInArray(slots), out);
    AppendInteger(input->PickValueInArray(slots), out);
    for (size_t node = 0; node < num_nodes; ++node) {
      *out += "*2\r\n";
      AppendBulk(input->ConsumeRandomLengthString(20), out);
      AppendInteger(input->PickValueInArray(ports), out);
    }
  }
}

// Maps of a cluster's slots, and errors that redirect. In memory of their exact size, so that a
// read past the end is detected.
void FuzzRouting(FuzzedDataProvider* input) {
  std::string bytes;
  if (input->ConsumeIntegralInRange<int>(0, 3) < 3) {
    AppendSlots(input, &bytes);
  } else {
    AppendAnyReply(input, &bytes);
  }
  const char* const starts[] = {"MOVED 1 ", "ASK 16383 h:", "MOVED 1 ?:", ""};
  const std::string text = input->PickValueInArray(starts) + input->ConsumeRandomLengthString(60);
  Garble(input, &bytes);
  redis::Endpoint asked;
  asked.host = "asked";
  asked.port = 7000;
  ForEachReply(bytes, [&](const ReplyPtr& reply) {
    std::vector<redis::SlotRange> ranges;
    if (!redis::ParseSlotRanges(*reply, asked, &ranges)) return;
    for (const redis::SlotRange& range : ranges) {
      Require(range.first <= range.last && range.last < redis::kNumSlots, "slots are in range");
      RequireUsable(range.master);
    }
  });
  const Key exact(text.begin(), text.end());
  redis::Redirect redirect;
  if (!redis::ParseRedirect(View(exact), asked, &redirect)) return;
  RequireUsable(redirect.endpoint);
}

void FuzzHeader(FuzzedDataProvider* input) {
  std::string text = redis::EncodeHeader(ConsumeFilter(input).layout);
  while (input->remaining_bytes() > 0 && !text.empty() && input->ConsumeBool()) {
    const size_t place = input->ConsumeIntegralInRange<size_t>(0, text.size() - 1);
    const size_t removed = input->ConsumeIntegralInRange<size_t>(0, 3);
    text.replace(place, removed, input->ConsumeRandomLengthString(20));
  }
  const Key exact(text.begin(), text.end());
  Layout layout;
  if (!redis::DecodeHeader(View(exact), &layout)) return;
  for (const uint64_t hash : {uint64_t{0}, UINT64_MAX, RandomNumber(layout.seed, 1)}) {
    const redis::Place place = redis::PlaceOf(layout, hash);
    Require(place.shard < layout.num_shards && place.block < layout.blocks_per_shard,
            "a key's block is in the filter");
    for (int j = 0; j < layout.num_probes; ++j) {
      Require(redis::BitOf(layout, place.pair, j) < layout.marker_bit(),
              "a key's bits are in its block, below the marker");
    }
  }
  Require(layout.shard_bytes() <= redis::kMaxShardBytes, "a shard is no longer than Redis allows");
  Require(redis::EncodeHeader(layout) == text, "a header has one spelling");
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  using Target = void (*)(FuzzedDataProvider*);
  constexpr Target kTargets[] = {FuzzQueries, FuzzAdditions, FuzzRouting, FuzzHeader};
  input.PickValueInArray(kTargets)(&input);
  return 0;
}

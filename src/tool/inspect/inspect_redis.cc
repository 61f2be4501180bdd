#include "src/redis/layout.h"
#include "src/tool/inspect/inspect.h"

namespace bloomline::tool {
namespace {

// redis-cli ends its output with a newline and, on a terminal, puts it in quotes.
std::string_view Trimmed(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace

bool IsRedisMetadata(std::string_view bytes) {
  constexpr std::string_view kStart = "bloomline-shared-bloom ";
  return Trimmed(bytes).substr(0, kStart.size()) == kStart;
}

std::optional<Facts> InspectRedisMetadata(std::string_view bytes, std::string* error) {
  redis::Layout layout;
  if (!redis::DecodeMetadata(Trimmed(bytes), &layout, error)) return std::nullopt;
  const uint64_t num_bytes = layout.shard_bytes() * layout.num_shards;
  return Facts{
      {"kind", "SharedBloomFilter", "metadata", "of a SharedBloomFilter in Redis"},
      {"capacity", layout.capacity, "capacity", CountText(layout.capacity) + " keys"},
      RateFact("false_positive_rate", "false positives at capacity", layout.false_positive_rate),
      {"seed", layout.seed, "seed", std::to_string(layout.seed)},
      CountFact("num_probes", "probes", static_cast<uint64_t>(layout.num_probes)),
      {"block_bytes", layout.block_bytes, "block", std::to_string(layout.block_bytes) + " bytes"},
      {"num_shards", layout.num_shards, "shards",
       CountText(layout.num_shards) + " of " + BytesText(layout.shard_bytes())},
      {"shard_bytes", layout.shard_bytes(), "", ""},
      {"bytes", num_bytes, "bytes", CountText(num_bytes)}};
}

}  // namespace bloomline::tool

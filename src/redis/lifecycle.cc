#include "src/redis/lifecycle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bloomline/seed.h"
#include "src/redis/command.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

// The bytes of shards that are made at a time. A server runs up to 30 commands of a client before
// it sends a reply and serves others.
constexpr uint64_t kMakeBytes = 16 << 20;

// More rounds than one are needed only if replies are lost, or if other clients create and delete
// the filter meanwhile.
constexpr int kMaxRounds = 8;

// One command on many keys: `before`, a key, `after`.
class KeyCommands : public Batch {
 public:
  // `keys` must outlive this.
  KeyCommands(std::vector<std::string> before, const std::vector<Shard>& keys,
              std::vector<std::string> after)
      : before_(std::move(before)), keys_(keys), after_(std::move(after)), replies_(keys.size()) {}

  // Runs the command on the keys [first, last). Returns false, with the first reason, unless all
  // have a reply that is not an error. `options`: see Router::Run.
  bool Run(Router* router, size_t first, size_t last, std::string* error,
           const AddOptions& options = AddOptions()) {
    first_ = first;
    router->Run(last - first, this, options);
    if (!error_.empty()) *error = error_;
    return error_.empty();
  }
  bool Run(Router* router, std::string* error, const AddOptions& options = AddOptions()) {
    return Run(router, 0, keys_.size(), error, options);
  }

  // After a Run that succeeded.
  const redisReply& reply(size_t key) const { return *replies_[key]; }
  // The first key for which a script has not replied 1, or null.
  const Shard* refused() const {
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (reply(i).type != REDIS_REPLY_INTEGER || reply(i).integer != 1) return &keys_[i];
    }
    return nullptr;
  }
  // Whether the client has sent any command twice, so that a copy may still arrive.
  bool repeated() const { return repeated_; }

  uint16_t Slot(size_t i) const override { return keys_[first_ + i].slot; }

  void Encode(size_t i, bool, std::string* out) override {
    BeginCommand(before_.size() + 1 + after_.size(), out);
    for (const std::string& argument : before_) AppendArgument(argument, out);
    AppendArgument(keys_[first_ + i].key, out);
    for (const std::string& argument : after_) AppendArgument(argument, out);
  }

  bool MayLackKey(size_t, const redisReply& reply) const override {
    return (reply.type == REDIS_REPLY_STRING && reply.len == 0) ||
           (reply.type == REDIS_REPLY_INTEGER && reply.integer == 0);
  }

  void OnReply(size_t i, ReplyPtr reply, bool repeated) override {
    repeated_ = repeated_ || repeated;
    if (IsError(*reply)) OnFailure(i, "redis: " + std::string(Text(*reply)));
    replies_[first_ + i] = std::move(reply);
  }

  void OnFailure(size_t i, const std::string& error) override {
    if (error_.empty()) error_ = error + " (" + keys_[first_ + i].key + ")";
  }

 private:
  const std::vector<std::string> before_;
  const std::vector<Shard>& keys_;
  const std::vector<std::string> after_;
  size_t first_ = 0;
  std::vector<ReplyPtr> replies_;
  bool repeated_ = false;
  std::string error_;
};

std::vector<std::string> Eval(const char* script) { return {"EVAL", script, "1"}; }

KeyCommands ReadHeaders(const std::vector<Shard>& keys) {
  return KeyCommands({"GETRANGE"}, keys, {"0", std::to_string(kHeaderBytes - 1)});
}

std::vector<Shard> EntryOf(const std::string& name) {
  const std::string key = EntryKey(name);
  return {{key, KeySlot(key)}};
}

// Reads the entry. *found stays empty without one.
bool FindFilter(Router* router, const std::string& name, std::optional<Layout>* found,
                std::string* error) {
  found->reset();
  const std::vector<Shard> entry = EntryOf(name);
  KeyCommands read = ReadHeaders(entry);
  if (!read.Run(router, error)) return false;
  std::string reason = "the reply to GETRANGE is not a string";
  if (read.reply(0).type == REDIS_REPLY_STRING) {
    const std::string_view header = Text(read.reply(0));
    if (header.empty() || DecodeHeader(header, &found->emplace(), &reason)) return true;
  }
  *error =
      "redis: " + entry[0].key + " does not describe a filter that this version knows: " + reason;
  return false;
}

bool CheckShards(Router* router, const std::string& name, const Layout& layout,
                 std::string* error) {
  const std::vector<Shard> shards = ShardsOf(name, layout);
  KeyCommands read = ReadHeaders(shards);
  if (!read.Run(router, error)) return false;
  const std::string expected = EncodeHeader(layout);
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string_view header = Text(read.reply(i));
    if (header == expected) continue;
    *error = "the filter '" + name + "' is damaged: " + shards[i].key +
             (header.empty() ? " is missing" : " does not have the filter's header") +
             "; the keys in it are lost: delete the filter and create it anew";
    return false;
  }
  return true;
}

bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error) {
  return KeyCommands({"UNLINK"}, shards, {}).Run(router, error);
}

// Makes all shards. *again: a copy of a command may still arrive, so these shards must not be used.
bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards, bool* again,
                std::string* error) {
  const auto group = static_cast<size_t>(std::max<uint64_t>(1, kMakeBytes / layout.shard_bytes()));
  KeyCommands make(Eval(kMake), shards,
                   {EncodeHeader(layout), std::to_string(layout.blocks_per_shard),
                    std::to_string(layout.block_bytes)});
  for (size_t first = 0; first < shards.size(); first += group) {
    if (!make.Run(router, first, std::min(first + group, shards.size()), error)) return false;
  }
  *again = make.repeated();
  if (make.refused() == nullptr) return true;
  *error = "redis: " + make.refused()->key + " exists with other contents";
  return false;
}

// Makes a filter if the name is still free. Also returns true, with nothing made, if the caller
// should look again.
bool MakeFilter(Router* router, const std::string& name, Layout layout, std::string* error) {
  // std::random_device throws, and needs a newer glibc.
  if (!DrawSeed(&layout.id, error)) return false;
  const std::vector<Shard> shards = ShardsOf(name, layout);
  const std::vector<Shard> entry = EntryOf(name);
  std::string ignored;  // shards that are not removed waste memory
  bool again = false;
  const bool made = MakeShards(router, layout, shards, &again, error);
  if (!made || again) {
    RemoveShards(router, shards, &ignored);
    return made;
  }
  KeyCommands publish(Eval(kMake), entry,
                      {EncodeHeader(layout), "0", std::to_string(layout.block_bytes)});
  if (!publish.Run(router, error)) {
    // The entry may exist now, so the shards must stay.
    *error += "; the filter may have been made all the same: create it again";
    return false;
  }
  if (publish.refused() != nullptr) RemoveShards(router, shards, &ignored);
  return true;
}

bool RefuseOther(const std::string& name, const Layout& existing, const Layout& wanted,
                 std::string* error) {
  *error = "the filter '" + name + "' exists with other parameters: it has '" + Describe(existing) +
           "', wanted is '" + Describe(wanted) + "'";
  if (existing.seed != wanted.seed) *error += " with another seed";
  return false;
}

}  // namespace

bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error) {
  for (int round = 0; round < kMaxRounds; ++round) {
    std::optional<Layout> found;
    if (!FindFilter(router, name, &found, error)) return false;
    if (!found) {
      if (!MakeFilter(router, name, *layout, error)) return false;
      continue;
    }
    if (!SameParameters(*found, *layout)) return RefuseOther(name, *found, *layout, error);
    *layout = *found;
    return CheckShards(router, name, *layout, error);
  }
  *error = "the filter '" + name +
           "' was not made: again and again replies were lost, or others deleted it";
  return false;
}

bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error) {
  std::optional<Layout> found;
  if (!FindFilter(router, name, &found, error)) return false;
  if (!found) {
    *error = "there is no filter '" + name + "'";
    return false;
  }
  *layout = *found;
  return CheckShards(router, name, *layout, error);
}

bool DeleteFilter(Router* router, const std::string& name, std::string* error) {
  std::optional<Layout> found;
  if (!FindFilter(router, name, &found, error)) return false;
  if (!found) return true;
  // Shards first: as long as the entry exists, Delete can find the rest.
  if (!RemoveShards(router, ShardsOf(name, *found), error)) return false;
  const std::vector<Shard> entry = EntryOf(name);
  return KeyCommands(Eval(kForget), entry, {EncodeHeader(*found)}).Run(router, error);
}

bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options,
                   std::string* error) {
  const std::vector<Shard> entry = EntryOf(name);
  for (const std::vector<Shard>* keys : {&entry, &shards}) {
    KeyCommands touch(Eval(kTouch), *keys, {EncodeHeader(layout)});
    if (!touch.Run(router, error, options)) return false;
    if (touch.refused() == nullptr) continue;
    *error = "redis: " + touch.refused()->key +
             " is missing or has another header: the server has lost it, or the filter was deleted";
    return false;
  }
  return true;
}

void RemoveRemnants(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                    const std::set<uint32_t>& lost) {
  std::vector<Shard> remnants;
  for (const uint32_t shard : lost) remnants.push_back(shards[shard]);
  std::string ignored;  // wastes memory at worst
  KeyCommands(Eval(kRemoveRemnant), remnants, {EncodeHeader(layout)}).Run(router, &ignored);
}

}  // namespace bloomline::redis

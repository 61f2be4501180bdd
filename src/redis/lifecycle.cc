#include "src/redis/lifecycle.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "bloomline/seed.h"
#include "src/redis/command.h"
#include "src/redis/scripts.h"

namespace bloomline::redis {
namespace {

// How many bytes of shards are made at a time. A server runs up to 30 commands of a client before it
// sends a reply and serves others.
constexpr uint64_t kMakeBytes = 16 << 20;

// More rounds than one are needed only if replies are lost, or if other clients create and delete
// the filter meanwhile.
constexpr int kMaxRounds = 8;

// One script on many keys, with the same arguments.
class ScriptBatch : public Batch {
 public:
  // `script` and `keys` must outlive this.
  ScriptBatch(std::string_view script, const std::vector<Shard>& keys,
              std::vector<std::string> arguments)
      : script_(script), keys_(keys), arguments_(std::move(arguments)) {}

  // Runs it on the keys [first, last). False, with the first reason, if any call has no reply or an
  // error reply. `options`: see Router::Run.
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

  // The first key for which the script replied 0, or null.
  const Shard* refused() const { return refused_; }
  // Whether the client has sent any call twice, so that a copy may still arrive.
  bool repeated() const { return repeated_; }

  uint16_t Slot(size_t i) const override { return keys_[first_ + i].slot; }

  void Encode(size_t i, bool, std::string* out) override {
    BeginCommand(4 + arguments_.size(), out);
    for (const std::string_view text : {std::string_view("EVAL"), script_, std::string_view("1"),
                                        std::string_view(keys_[first_ + i].key)}) {
      AppendArgument(text, out);
    }
    for (const std::string& argument : arguments_) AppendArgument(argument, out);
  }

  bool MayLackKey(size_t, const redisReply& reply) const override {
    return reply.type != REDIS_REPLY_INTEGER || reply.integer != 1;
  }

  void OnReply(size_t i, ReplyPtr reply, bool repeated) override {
    repeated_ = repeated_ || repeated;
    if (IsError(*reply)) {
      OnFailure(i, "redis: " + std::string(Text(*reply)));
    } else if (MayLackKey(i, *reply) && refused_ == nullptr) {
      refused_ = &keys_[first_ + i];
    }
  }

  void OnFailure(size_t i, const std::string& error) override {
    if (error_.empty()) error_ = error + " (" + keys_[first_ + i].key + ")";
  }

 private:
  const std::string_view script_;
  const std::vector<Shard>& keys_;
  const std::vector<std::string> arguments_;
  size_t first_ = 0;
  const Shard* refused_ = nullptr;
  bool repeated_ = false;
  std::string error_;
};

std::vector<Shard> EntryOf(const std::string& name) {
  const std::string key = EntryKey(name);
  return {{key, KeySlot(key)}};
}

// Reads the headers of these keys. Those of missing keys are empty.
bool ReadHeaders(Router* router, const std::vector<Shard>& keys, std::vector<std::string>* headers,
                 std::string* error) {
  CommandList get;
  for (const Shard& key : keys) {
    AppendCommand({"GETRANGE", key.key, "0", std::to_string(kHeaderBytes - 1)}, get.Add(key.slot));
  }
  if (!get.Run(router, error)) return false;
  headers->clear();
  for (size_t i = 0; i < keys.size(); ++i) {
    if (get.reply(i).type != REDIS_REPLY_STRING) {
      *error = "redis: the reply to GETRANGE of " + keys[i].key + " is not a string";
      return false;
    }
    headers->emplace_back(Text(get.reply(i)));
  }
  return true;
}

// Reads the entry. *found is empty if there is none.
bool FindFilter(Router* router, const std::string& name, std::optional<Layout>* found,
                std::string* error) {
  std::vector<std::string> headers;
  const std::vector<Shard> entry = EntryOf(name);
  if (!ReadHeaders(router, entry, &headers, error)) {
    *error += " (reading " + entry[0].key + ")";
    return false;
  }
  found->reset();
  if (headers[0].empty()) return true;
  std::string reason;
  if (DecodeHeader(headers[0], &found->emplace(), &reason)) return true;
  *error =
      "redis: " + entry[0].key + " does not describe a filter that this version knows: " + reason;
  return false;
}

bool CheckShards(Router* router, const std::string& name, const Layout& layout,
                 std::string* error) {
  const std::vector<Shard> shards = ShardsOf(name, layout);
  std::vector<std::string> headers;
  if (!ReadHeaders(router, shards, &headers, error)) return false;
  const std::string expected = EncodeHeader(layout);
  for (size_t i = 0; i < shards.size(); ++i) {
    if (headers[i] == expected) continue;
    *error = "the filter '" + name + "' is damaged: " + shards[i].key +
             (headers[i].empty() ? " is missing" : " does not have the filter's header") +
             "; the keys in it are lost: delete the filter and create it anew";
    return false;
  }
  return true;
}

bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error) {
  CommandList remove;
  for (const Shard& shard : shards) AppendCommand({"UNLINK", shard.key}, remove.Add(shard.slot));
  return remove.Run(router, error);
}

// Makes all shards. *again: a copy of a command may still arrive, so nobody may use them.
bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards, bool* again,
                std::string* error) {
  const auto group = static_cast<size_t>(std::max<uint64_t>(1, kMakeBytes / layout.shard_bytes()));
  ScriptBatch make(kMake, shards,
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

// Makes a filter, if there is still none of this name. True, with nothing made, also if the caller
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
  ScriptBatch publish(kMake, entry,
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
  return ScriptBatch(kForget, entry, {EncodeHeader(*found)}).Run(router, error);
}

bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options,
                   std::string* error) {
  const std::vector<Shard> entry = EntryOf(name);
  for (const std::vector<Shard>* keys : {&entry, &shards}) {
    ScriptBatch touch(kTouch, *keys, {EncodeHeader(layout)});
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
  ScriptBatch(kRemoveRemnant, remnants, {EncodeHeader(layout)}).Run(router, &ignored);
}

}  // namespace bloomline::redis

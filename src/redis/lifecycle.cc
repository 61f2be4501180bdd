#include "src/redis/lifecycle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomline/seed.h"
#include "src/redis/command.h"
#include "src/redis/scripts.h"
#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

// The bytes of shards that are made at a time. A server runs up to 30 commands of a client before
// it sends a reply and serves others.
constexpr uint64_t kMakeBytes = 16 << 20;

// More rounds than one are needed only if replies are lost, or if other clients create and delete
// the filter meanwhile.
constexpr int kMaxRounds = 8;

// One command for many keys: `before`, a key, `after`.
struct KeyCommand {
  std::vector<std::string> before;
  std::vector<std::string> after;
  size_t keys_at_a_time = kWindowKeys;
  AddOptions wait_for = {};  // see Router::Run
};

KeyCommand Script(const char* script, const Layout& layout) {
  return {{"EVAL", script, "1"}, {EncodeHeader(layout)}};
}

Command CommandFor(const KeyCommand& what, const RedisKey& key) {
  Command command;
  command.slot = key.slot;
  BeginCommand(what.before.size() + 1 + what.after.size(), &command.bytes);
  for (const std::string& argument : what.before) AppendArgument(argument, &command.bytes);
  AppendArgument(key.text, &command.bytes);
  for (const std::string& argument : what.after) AppendArgument(argument, &command.bytes);
  return command;
}

// The replies for the keys, in their order.
struct Replies {
  std::vector<ReplyPtr> of_key;
  bool repeated = false;  // a command was sent twice, so a copy may still arrive

  // The first key for which a script has not replied 1, or null.
  const RedisKey* Refused(const std::vector<RedisKey>& keys) const {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (of_key[i]->type != REDIS_REPLY_INTEGER || of_key[i]->integer != 1) return &keys[i];
    }
    return nullptr;
  }
};

// False, with the first reason, if a command has no reply or an error reply.
bool RunOnEach(Router* router, const std::vector<RedisKey>& keys, const KeyCommand& what,
               Replies* replies, std::string* error) {
  for (size_t first = 0; first < keys.size(); first += what.keys_at_a_time) {
    const size_t last = std::min(first + what.keys_at_a_time, keys.size());
    std::vector<Command> commands;
    for (size_t i = first; i < last; ++i) commands.push_back(CommandFor(what, keys[i]));
    router->Run(&commands, what.wait_for);
    for (size_t i = first; i < last; ++i) {
      Command& command = commands[i - first];
      if (command.reply == nullptr || IsError(*command.reply)) {
        *error = (command.reply == nullptr ? command.error
                                           : "redis: " + std::string(Text(*command.reply))) +
                 " (" + keys[i].text + ")";
        return false;
      }
      replies->repeated |= command.repeated;
      replies->of_key.push_back(std::move(command.reply));
    }
  }
  return true;
}

bool ReadHeaders(Router* router, const std::vector<RedisKey>& keys, Replies* replies,
                 std::string* error) {
  return RunOnEach(router, keys, {{"GETRANGE"}, {"0", std::to_string(kHeaderBytes - 1)}}, replies,
                   error);
}

// Reads the entry. *found is empty if there is none.
bool FindFilter(Router* router, const std::string& name, std::optional<Filter>* found,
                std::string* error) {
  found->reset();
  const std::vector<RedisKey> entry = {KeyWithSlot(EntryKey(name))};
  Replies replies;
  if (!ReadHeaders(router, entry, &replies, error)) return false;
  const redisReply& reply = *replies.of_key[0];
  if (reply.type == REDIS_REPLY_STRING && reply.len == 0) return true;
  Layout layout;
  if (reply.type == REDIS_REPLY_STRING && DecodeHeader(Text(reply), &layout)) {
    found->emplace(name, layout);
    return true;
  }
  *error = "redis: " + entry[0].text + " is not the header of a filter that this version knows";
  return false;
}

bool HasAllShards(Router* router, const Filter& filter, std::string* error) {
  Replies replies;
  if (!ReadHeaders(router, filter.shards, &replies, error)) return false;
  const std::string expected = EncodeHeader(filter.layout);
  for (size_t i = 0; i < filter.shards.size(); ++i) {
    const std::string_view header = Text(*replies.of_key[i]);
    if (header == expected) continue;
    *error = "the filter '" + filter.name + "' is damaged: " + filter.shards[i].text +
             (header.empty() ? " is missing" : " does not have the filter's header") +
             "; the keys in it are lost: delete the filter and create it anew";
    return false;
  }
  return true;
}

bool RemoveShards(Router* router, const Filter& filter, std::string* error) {
  Replies replies;
  return RunOnEach(router, filter.shards, {{"UNLINK"}, {}}, &replies, error);
}

KeyCommand Make(const Layout& layout, uint64_t num_blocks) {
  KeyCommand make = Script(kMake, layout);
  make.after.push_back(std::to_string(num_blocks));
  make.after.push_back(std::to_string(layout.block_bytes));
  return make;
}

// Makes all shards. *again: a copy of a command may still arrive, so nobody may use them.
bool MakeShards(Router* router, const Filter& filter, bool* again, std::string* error) {
  KeyCommand make = Make(filter.layout, filter.layout.blocks_per_shard);
  make.keys_at_a_time =
      static_cast<size_t>(std::max<uint64_t>(1, kMakeBytes / filter.layout.shard_bytes()));
  Replies replies;
  if (!RunOnEach(router, filter.shards, make, &replies, error)) return false;
  *again = replies.repeated;
  const RedisKey* const refused = replies.Refused(filter.shards);
  if (refused == nullptr) return true;
  *error = "redis: " + refused->text + " exists with other contents";
  return false;
}

// Makes a filter if the name is still free. Also returns true, with nothing made, if the caller
// should look again.
bool MakeFilter(Router* router, const std::string& name, Layout layout, std::string* error) {
  // std::random_device throws, and needs a newer glibc.
  if (!DrawSeed(&layout.id, error)) return false;
  const Filter filter(name, layout);
  std::string ignored;  // shards that are not removed waste memory
  bool again = false;
  const bool made = MakeShards(router, filter, &again, error);
  if (!made || again) {
    RemoveShards(router, filter, &ignored);
    return made;
  }
  Replies replies;
  if (!RunOnEach(router, {filter.entry}, Make(layout, 0), &replies, error)) {
    // The entry may exist now, so the shards must stay.
    *error += "; the filter may have been made all the same: create it again";
    return false;
  }
  if (replies.Refused({filter.entry}) != nullptr) RemoveShards(router, filter, &ignored);
  return true;
}

// Without the seeds, which may be secret.
std::string OtherParameters(const Filter& existing, const Layout& wanted) {
  const Layout& has = existing.layout;
  return support::StrCat("the filter '", existing.name, "' exists with other parameters: capacity ",
                         has.capacity, ", false_positive_rate ", has.false_positive_rate, ", ",
                         has.num_shards, " shards of ", has.shard_bytes(), " bytes",
                         has.seed == wanted.seed ? "" : ", another seed");
}

}  // namespace

std::optional<Filter> CreateFilter(Router* router, const std::string& name, const Layout& wanted,
                                   std::string* error) {
  for (int round = 0; round < kMaxRounds; ++round) {
    std::optional<Filter> found;
    if (!FindFilter(router, name, &found, error)) return std::nullopt;
    if (found) {
      if (SameParameters(found->layout, wanted)) {
        return HasAllShards(router, *found, error) ? found : std::nullopt;
      }
      *error = OtherParameters(*found, wanted);
      return std::nullopt;
    }
    if (!MakeFilter(router, name, wanted, error)) return std::nullopt;
  }
  *error = "the filter '" + name +
           "' was not made: again and again replies were lost, or others deleted it";
  return std::nullopt;
}

std::optional<Filter> OpenFilter(Router* router, const std::string& name, std::string* error) {
  std::optional<Filter> found;
  if (!FindFilter(router, name, &found, error)) return std::nullopt;
  if (!found) {
    *error = "there is no filter '" + name + "'";
  } else if (!HasAllShards(router, *found, error)) {
    found.reset();
  }
  return found;
}

bool DeleteFilter(Router* router, const std::string& name, std::string* error) {
  std::optional<Filter> found;
  if (!FindFilter(router, name, &found, error)) return false;
  if (!found) return true;
  // Shards first: as long as the entry exists, Delete can find the rest.
  Replies replies;
  return RemoveShards(router, *found, error) &&
         RunOnEach(router, {found->entry}, Script(kForget, found->layout), &replies, error);
}

bool ConfirmFilter(Router* router, const Filter& filter, const AddOptions& options,
                   std::string* error) {
  std::vector<RedisKey> keys = filter.shards;
  keys.insert(keys.begin(), filter.entry);
  KeyCommand touch = Script(kTouch, filter.layout);
  touch.wait_for = options;
  Replies replies;
  if (!RunOnEach(router, keys, touch, &replies, error)) return false;
  const RedisKey* const refused = replies.Refused(keys);
  if (refused == nullptr) return true;
  *error = "redis: " + refused->text +
           " is missing or has another header: the server has lost it, or the filter was deleted";
  return false;
}

void RemoveRemnants(Router* router, const Filter& filter, const std::set<uint32_t>& lost) {
  std::vector<RedisKey> remnants;
  for (const uint32_t shard : lost) remnants.push_back(filter.shards[shard]);
  Replies replies;
  std::string ignored;  // wastes memory at worst
  RunOnEach(router, remnants, Script(kRemoveRemnant, filter.layout), &replies, &ignored);
}

}  // namespace bloomline::redis

#include "src/redis/lifecycle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomline/seed.h"
#include "src/redis/command.h"
#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

// The scripts that make, check and remove the keys of a filter. docs/redis.md, "Creation and
// deletion", has their order and the argument why none of them causes a wrong "no". Each script has
// one key, so that a cluster can run it while the key's slot moves. ARGV[1] is the filter's header.
// Each replies 1 if it did its work, otherwise 0.

// ARGV: header, number of blocks, bytes of a block. Makes a shard, or, with 0 blocks, a filter's
// entry, if the key does not exist. 1: the key has this header, now or already. Full length at
// once: Redis gives a growing string more memory than it needs. The header comes last, so a string
// that the script could not finish lacks it. Writes pieces of 8 KiB: larger Lua strings cost more
// to make, smaller ones cost more calls.
constexpr char kMake[] = R"lua(
local key, header = KEYS[1], ARGV[1]
if redis.call('EXISTS', key) == 0 then
  local at, left = #header, ARGV[2] * ARGV[3]
  if left > 0 then redis.call('SETRANGE', key, at + left - 1, '\1') end
  local piece = string.rep('\0', ARGV[3] - 1) .. '\1'
  while #piece < 8192 do piece = piece .. piece end
  while left > 0 do
    if left < #piece then piece = string.sub(piece, 1, left) end
    redis.call('SETRANGE', key, at, piece)
    at, left = at + #piece, left - #piece
  end
  redis.call('SETRANGE', key, 0, header)
end
if redis.call('GETRANGE', key, 0, #header - 1) == header then return 1 end
return 0)lua";

// ARGV: header. Writes the header unchanged, which Redis propagates all the same. So a WAIT after
// it waits until replicas have the key. 0: it is missing or has another header.
constexpr char kTouch[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
return 1)lua";

// ARGV: header. Removes the entry, unless another client has created a new filter meanwhile.
constexpr char kForget[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1]))lua";

// ARGV: header. Removes a string that BITFIELD created in place of a lost shard.
constexpr char kRemoveRemnant[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1]))lua";

// The bytes of shards that are made at a time. A server runs up to 30 commands of a client before
// it sends a reply and serves others.
constexpr uint64_t kMakeBytes = 16 << 20;

// More rounds than one are needed only if replies are lost, or if other clients create and delete
// the filter meanwhile.
constexpr int kMaxRounds = 8;

// One command for many keys. An empty argument stands for the key.
struct KeyCommand {
  std::vector<std::string> arguments;
  size_t keys_at_a_time = kWindowKeys;
  AddOptions wait_for = {};  // see Router::Run
};

KeyCommand Script(const char* script, const Layout& layout) {
  return {{"EVAL", script, "1", "", EncodeHeader(layout)}};
}

Command CommandFor(const KeyCommand& what, const RedisKey& key) {
  Command command;
  command.slot = key.slot;
  BeginCommand(what.arguments.size(), &command.bytes);
  for (const std::string& argument : what.arguments) {
    AppendArgument(argument.empty() ? key.text : argument, &command.bytes);
  }
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

// Nothing, with the first reason, if a command has no reply or an error reply.
std::optional<Replies> RunOnEach(Router* router, const std::vector<RedisKey>& keys,
                                 const KeyCommand& what, std::string* error) {
  Replies replies;
  for (size_t first = 0; first < keys.size(); first += what.keys_at_a_time) {
    const size_t last = std::min(first + what.keys_at_a_time, keys.size());
    std::vector<Command> commands;
    for (size_t i = first; i < last; ++i) commands.push_back(CommandFor(what, keys[i]));
    router->Run(&commands, what.wait_for);
    for (size_t i = first; i < last; ++i) {
      Command& command = commands[i - first];
      if (command.reply == nullptr || IsError(*command.reply)) {
        *error = Failure(keys[i], command);
        return std::nullopt;
      }
      replies.repeated |= command.repeated;
      replies.of_key.push_back(std::move(command.reply));
    }
  }
  return replies;
}

KeyCommand ReadHeader() { return {{"GETRANGE", "", "0", std::to_string(kHeaderBytes - 1)}}; }

// Reads the entry. Nothing, and no error, if there is none.
std::optional<Filter> FindFilter(Router* router, const std::string& name, std::string* error) {
  error->clear();
  const RedisKey entry = KeyWithSlot(EntryKey(name));
  const std::optional<Replies> replies = RunOnEach(router, {entry}, ReadHeader(), error);
  if (!replies) return std::nullopt;
  const redisReply& reply = *replies->of_key[0];
  if (reply.type == REDIS_REPLY_STRING && reply.len == 0) return std::nullopt;
  Layout layout;
  if (DecodeHeader(Text(reply), &layout)) return Filter(name, layout);
  *error = "redis: " + entry.text + " is not the header of a filter that this version knows";
  return std::nullopt;
}

bool HasAllShards(Router* router, const Filter& filter, std::string* error) {
  const std::optional<Replies> replies = RunOnEach(router, filter.shards, ReadHeader(), error);
  const std::string expected = EncodeHeader(filter.layout);
  for (size_t i = 0; replies && i < filter.shards.size(); ++i) {
    const std::string_view header = Text(*replies->of_key[i]);
    if (header == expected) continue;
    *error = "the filter '" + filter.name + "' is damaged: " + filter.shards[i].text +
             (header.empty() ? " is missing" : " does not have the filter's header") +
             "; the keys in it are lost: delete the filter and create it anew";
    return false;
  }
  return replies.has_value();
}

bool RemoveShards(Router* router, const Filter& filter, std::string* error) {
  return RunOnEach(router, filter.shards, {{"UNLINK", ""}}, error).has_value();
}

KeyCommand Make(const Layout& layout, uint64_t num_blocks) {
  KeyCommand make = Script(kMake, layout);
  make.arguments.push_back(std::to_string(num_blocks));
  make.arguments.push_back(std::to_string(layout.block_bytes));
  make.keys_at_a_time =
      static_cast<size_t>(std::max<uint64_t>(1, kMakeBytes / layout.shard_bytes()));
  return make;
}

// Makes a filter if the name is still free. Also returns true, with nothing made, if the caller
// should look again.
bool MakeFilter(Router* router, const std::string& name, Layout layout, std::string* error) {
  // std::random_device throws, and needs a newer glibc.
  if (!DrawSeed(&layout.id, error)) return false;
  const Filter filter(name, layout);
  std::string ignored;  // shards that are not removed waste memory
  const std::optional<Replies> shards =
      RunOnEach(router, filter.shards, Make(layout, layout.blocks_per_shard), error);
  const RedisKey* const refused = shards ? shards->Refused(filter.shards) : nullptr;
  if (refused != nullptr) *error = "redis: " + refused->text + " exists with other contents";
  const bool made = shards && refused == nullptr;
  if (!made || shards->repeated) {  // a copy of a command may still arrive, so nobody may use them
    RemoveShards(router, filter, &ignored);
    return made;
  }
  const std::optional<Replies> entry = RunOnEach(router, {filter.entry}, Make(layout, 0), error);
  if (!entry) {
    // The entry may exist now, so the shards must stay.
    *error += "; the filter may have been made all the same: create it again";
  } else if (entry->Refused({filter.entry}) != nullptr) {
    RemoveShards(router, filter, &ignored);
  }
  return entry.has_value();
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
    std::optional<Filter> found = FindFilter(router, name, error);
    if (found && !SameParameters(found->layout, wanted)) {
      *error = OtherParameters(*found, wanted);
      return std::nullopt;
    }
    if (found) return HasAllShards(router, *found, error) ? std::move(found) : std::nullopt;
    if (!error->empty() || !MakeFilter(router, name, wanted, error)) return std::nullopt;
  }
  *error = "the filter '" + name +
           "' was not made: again and again replies were lost, or others deleted it";
  return std::nullopt;
}

std::optional<Filter> OpenFilter(Router* router, const std::string& name, std::string* error) {
  std::optional<Filter> found = FindFilter(router, name, error);
  if (!found && error->empty()) *error = "there is no filter '" + name + "'";
  if (found && !HasAllShards(router, *found, error)) found.reset();
  return found;
}

bool DeleteFilter(Router* router, const std::string& name, std::string* error) {
  const std::optional<Filter> found = FindFilter(router, name, error);
  if (!found) return error->empty();
  // Shards first: as long as the entry exists, Delete can find the rest.
  return RemoveShards(router, *found, error) &&
         RunOnEach(router, {found->entry}, Script(kForget, found->layout), error);
}

bool ConfirmFilter(Router* router, const Filter& filter, const AddOptions& options,
                   std::string* error) {
  std::vector<RedisKey> keys = filter.shards;
  keys.insert(keys.begin(), filter.entry);
  KeyCommand touch = Script(kTouch, filter.layout);
  touch.wait_for = options;
  const std::optional<Replies> replies = RunOnEach(router, keys, touch, error);
  const RedisKey* const refused = replies ? replies->Refused(keys) : nullptr;
  if (refused != nullptr) *error = LostKey(*refused);
  return replies && refused == nullptr;
}

void RemoveRemnants(Router* router, const Filter& filter, const std::set<uint32_t>& lost) {
  std::vector<RedisKey> remnants;
  for (const uint32_t shard : lost) remnants.push_back(filter.shards[shard]);
  std::string ignored;  // wastes memory at worst
  RunOnEach(router, remnants, Script(kRemoveRemnant, filter.layout), &ignored);
}

}  // namespace bloomline::redis

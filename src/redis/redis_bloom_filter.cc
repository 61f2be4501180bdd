#include "bloomline/redis_bloom_filter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bloomline/seed.h"
#include "src/redis/batches.h"
#include "src/redis/command.h"
#include "src/redis/redis_layout.h"
#include "src/redis/router.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline::redis {
namespace {

// The scripts that make, check and remove the keys of a filter. docs/redis.md, "Creation and
// deletion", gives their order and explains why none of them causes a wrong "no". Each script has
// one key, so that a cluster can run it while the key's slot moves. ARGV[1] is the filter's header.
// Each script replies 1 if it did its work, else 0.

// ARGV: header, number of blocks, bytes of a block. Makes a shard, or, with 0 blocks, a filter's
// entry, if the key does not exist. Replies 1 if the key now has this header. The string gets its
// full length at once: Redis gives a growing string more memory than it needs. The header comes
// last, so a string that the script could not finish lacks it. Writes pieces of 8 KiB: larger Lua
// strings cost more to make, smaller ones cost more calls.
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

// ARGV: header. Writes the header unchanged, which Redis propagates anyway. So a WAIT after this
// waits until replicas have the key. Replies 0 if the key is missing or has another header.
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

// More than one round is needed only if replies are lost, or if other clients create and delete the
// filter meanwhile.
constexpr int kMaxRounds = 8;

// One command for many keys. An empty argument stands for the key.
struct KeyCommand {
  std::vector<std::string> arguments;
  size_t keys_at_a_time = kWindowKeys;
  AddOptions wait_for = {};  // see Router::Run
};

KeyCommand Script(const char* script, const RedisLayout& layout) {
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

using Commands = std::vector<Command>;

// Returns the commands for the keys, in their order, with their replies. Returns nothing, with the
// first reason, if one failed.
std::optional<Commands> RunOnEach(Router* router, const std::vector<RedisKey>& keys,
                                  const KeyCommand& what, std::string* error) {
  Commands done;
  for (size_t first = 0; first < keys.size(); first += what.keys_at_a_time) {
    const size_t last = std::min(first + what.keys_at_a_time, keys.size());
    Commands commands;
    for (size_t i = first; i < last; ++i) commands.push_back(CommandFor(what, keys[i]));
    router->Run(&commands, what.wait_for);
    for (Command& command : commands) {
      if (command.reply == nullptr) {
        *error = Failure(keys[done.size()], command);
        return std::nullopt;
      }
      command.bytes = {};
      done.push_back(std::move(command));
    }
  }
  return done;
}

// Returns the first key for which a script has not replied 1, or null.
const RedisKey* Refused(const std::vector<RedisKey>& keys, const std::optional<Commands>& done) {
  for (size_t i = 0; done && i < keys.size(); ++i) {
    const redisReply& reply = *(*done)[i].reply;
    if (reply.type != REDIS_REPLY_INTEGER || reply.integer != 1) return &keys[i];
  }
  return nullptr;
}

KeyCommand ReadHeader() { return {{"GETRANGE", "", "0", std::to_string(kHeaderBytes - 1)}}; }

// Reads the entry. Returns nothing, and no error, if there is none.
std::optional<Filter> FindFilter(Router* router, const std::string& name, std::string* error) {
  error->clear();
  const RedisKey entry = KeyWithSlot(EntryKey(name));
  const std::optional<Commands> done = RunOnEach(router, {entry}, ReadHeader(), error);
  if (!done) return std::nullopt;
  const redisReply& reply = *done->front().reply;
  if (reply.type == REDIS_REPLY_STRING && reply.len == 0) return std::nullopt;
  RedisLayout layout;
  if (DecodeHeader(Text(reply), &layout)) return Filter(name, layout);
  *error = "redis: " + entry.text + " is not the header of a filter that this version knows";
  return std::nullopt;
}

bool HasAllShards(Router* router, const Filter& filter, std::string* error) {
  const std::optional<Commands> done = RunOnEach(router, filter.shards, ReadHeader(), error);
  const std::string expected = EncodeHeader(filter.layout);
  for (size_t i = 0; done && i < filter.shards.size(); ++i) {
    const std::string_view header = Text(*(*done)[i].reply);
    if (header == expected) continue;
    *error = "the filter '" + filter.name + "' is damaged: " + filter.shards[i].text +
             (header.empty() ? " is missing" : " does not have the filter's header") +
             "; the keys in it are lost: delete the filter and create it anew";
    return false;
  }
  return done.has_value();
}

bool RemoveShards(Router* router, const Filter& filter, std::string* error) {
  return RunOnEach(router, filter.shards, {{"UNLINK", ""}}, error).has_value();
}

KeyCommand Make(const RedisLayout& layout, uint64_t num_blocks) {
  KeyCommand make = Script(kMake, layout);
  make.arguments.push_back(std::to_string(num_blocks));
  make.arguments.push_back(std::to_string(layout.block_bytes));
  make.keys_at_a_time =
      static_cast<size_t>(std::max<uint64_t>(1, kMakeBytes / layout.shard_bytes()));
  return make;
}

// Makes a filter if the name is still free. Also returns true, without making one, if the caller
// should look again.
bool MakeFilter(Router* router, const std::string& name, RedisLayout layout, std::string* error) {
  // std::random_device throws, and needs a newer glibc.
  if (!DrawSeed(&layout.id, error)) return false;
  const Filter filter(name, layout);
  std::string ignored;  // shards that are not removed waste memory
  const std::optional<Commands> shards =
      RunOnEach(router, filter.shards, Make(layout, layout.blocks_per_shard), error);
  const RedisKey* const refused = Refused(filter.shards, shards);
  if (refused != nullptr) *error = "redis: " + refused->text + " exists with other contents";
  const bool made = shards && refused == nullptr;
  // A copy of a command that was sent twice may still arrive, so no filter may use the shard.
  if (!made || std::any_of(shards->begin(), shards->end(),
                           [](const Command& command) { return command.repeated; })) {
    RemoveShards(router, filter, &ignored);
    return made;
  }
  const std::optional<Commands> entry = RunOnEach(router, {filter.entry}, Make(layout, 0), error);
  if (!entry) {
    // The entry may exist now, so the shards must stay.
    *error += "; the filter may have been created anyway: create it again";
  } else if (Refused({filter.entry}, entry) != nullptr) {
    RemoveShards(router, filter, &ignored);
  }
  return entry.has_value();
}

// Omits the seeds, which may be secret.

std::string OtherParameters(const Filter& existing, const RedisLayout& wanted) {
  const RedisLayout& has = existing.layout;
  return support::StrCat("the filter '", existing.name, "' exists with other parameters: capacity ",
                         has.capacity, ", false_positive_rate ", has.false_positive_rate,
                         has.seed == wanted.seed ? "" : ", another seed");
}

// Creates the filter, or opens one with the same parameters. `wanted` has no id.
std::optional<Filter> CreateFilter(Router* router, const std::string& name,
                                   const RedisLayout& wanted, std::string* error) {
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
           "' was not created: replies were lost repeatedly, or other clients deleted it";
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

// Waits until options.min_replicas replicas have the entry and the shards. Without them, a replica
// that takes over could have no filter of this name, or an older one.
bool ConfirmFilter(Router* router, const Filter& filter, const AddOptions& options,
                   std::string* error) {
  std::vector<RedisKey> keys = filter.shards;
  keys.insert(keys.begin(), filter.entry);
  KeyCommand touch = Script(kTouch, filter.layout);
  touch.wait_for = options;
  const std::optional<Commands> done = RunOnEach(router, keys, touch, error);
  const RedisKey* const refused = Refused(keys, done);
  if (refused != nullptr) *error = LostKey(*refused);
  return done && refused == nullptr;
}

// Removes the strings that BITFIELD created in place of these shards, which were missing.
void RemoveRemnants(Router* router, const Filter& filter, const std::set<uint32_t>& lost) {
  std::vector<RedisKey> remnants;
  for (const uint32_t shard : lost) remnants.push_back(filter.shards[shard]);
  std::string ignored;  // wastes memory at worst
  RunOnEach(router, remnants, Script(kRemoveRemnant, filter.layout), &ignored);
}

// Checks the name and connects.
std::unique_ptr<Router> ConnectFor(const RedisServers& servers, const std::string& name,
                                   std::string* error) {
  *error = ValidateName(name);
  return error->empty() ? Router::Connect(servers, error) : nullptr;
}

}  // namespace
}  // namespace bloomline::redis

namespace bloomline {

struct SharedBloomFilter::State {
  // Connects, and makes a client of the filter that find(router, reason) gives.
  template <typename Find>
  static std::unique_ptr<SharedBloomFilter> MakeClient(const RedisServers& servers,
                                                       const std::string& name, std::string* error,
                                                       Find find) {
    return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<SharedBloomFilter> {
      std::unique_ptr<redis::Router> router = redis::ConnectFor(servers, name, reason);
      if (router == nullptr) return nullptr;
      std::optional<redis::Filter> filter = find(router.get(), reason);
      if (!filter) return nullptr;
      std::unique_ptr<State> state(new State{std::move(*filter), std::move(router)});
      if (servers.when_unavailable == WhenUnavailable::kError) state->unavailable = Answer::kError;
      return std::unique_ptr<SharedBloomFilter>(new SharedBloomFilter(std::move(state)));
    });
  }

  redis::Filter filter;
  std::unique_ptr<redis::Router> router;
  Answer unavailable = Answer::kMaybe;
  int filter_replicas = 0;  // replicas that have confirmed the filter, without its keys
  std::string error = {};
};

SharedBloomFilter::SharedBloomFilter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SharedBloomFilter::~SharedBloomFilter() = default;

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Create(
    const RedisServers& servers, const std::string& name, const SharedBloomFilterOptions& options,
    std::string* error) {
  if (support::IsRefused(options.Validate(), error)) return nullptr;
  return State::MakeClient(servers, name, error, [&](redis::Router* router, std::string* reason) {
    return redis::CreateFilter(router, name, redis::PlanLayout(options), reason);
  });
}

std::unique_ptr<SharedBloomFilter> SharedBloomFilter::Open(const RedisServers& servers,
                                                           const std::string& name,
                                                           std::string* error) {
  return State::MakeClient(servers, name, error, [&](redis::Router* router, std::string* reason) {
    return redis::OpenFilter(router, name, reason);
  });
}

bool SharedBloomFilter::Delete(const RedisServers& servers, const std::string& name,
                               std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    const std::unique_ptr<redis::Router> router = redis::ConnectFor(servers, name, reason);
    return router != nullptr && redis::DeleteFilter(router.get(), name, reason);
  });
}

AddResult SharedBloomFilter::AddKey(std::string_view key, const AddOptions& options) {
  AddResult result = AddResult::kFailed;
  AddKeys(1, &key, &result, options);
  return result;
}

void SharedBloomFilter::BeginCall() {
  state_->error.clear();
  state_->router->BeginCall();
}

bool SharedBloomFilter::AddGroup(size_t n, const std::string_view* keys, AddResult* results,
                                 const AddOptions& options) {
  if (results != nullptr) std::fill(results, results + n, AddResult::kFailed);
  if (support::IsRefused(options.Validate(), &state_->error)) return false;
  const redis::Filter& filter = state_->filter;
  redis::Router* const router = state_->router.get();
  if (n > 0 && options.min_replicas > state_->filter_replicas) {
    if (!redis::ConfirmFilter(router, filter, options, &state_->error)) return false;
    state_->filter_replicas = options.min_replicas;
  }
  bool ok = true;
  for (size_t first = 0; first < n; first += redis::kWindowKeys) {
    redis::AddBatch batch(filter, std::min(n - first, redis::kWindowKeys), keys + first,
                          options.min_replicas > 0);
    router->Run(batch.commands(), options);
    std::set<uint32_t> lost;
    ok &= batch.ReadReplies(results == nullptr ? nullptr : results + first, &lost, &state_->error);
    if (!lost.empty()) redis::RemoveRemnants(router, filter, lost);
  }
  return ok;
}

Answer SharedBloomFilter::MayMatch(std::string_view key) {
  Answer answer = state_->unavailable;
  MayMatch(1, &key, &answer);
  return answer;
}

bool SharedBloomFilter::QueryGroup(size_t n, const std::string_view* keys, Answer* answers) {
  std::fill(answers, answers + n, state_->unavailable);
  bool ok = true;
  for (size_t first = 0; first < n; first += redis::kWindowKeys) {
    redis::QueryBatch batch(state_->filter, std::min(n - first, redis::kWindowKeys), keys + first);
    state_->router->Run(batch.commands());
    ok &= batch.ReadReplies(answers + first, &state_->error);
  }
  return ok;
}

const std::string& SharedBloomFilter::error() const { return state_->error; }
const std::string& SharedBloomFilter::name() const { return state_->filter.name; }
uint64_t SharedBloomFilter::capacity() const { return state_->filter.layout.capacity; }
double SharedBloomFilter::false_positive_rate() const {
  return state_->filter.layout.false_positive_rate;
}
uint64_t SharedBloomFilter::num_bytes() const {
  return state_->filter.layout.shard_bytes() * state_->filter.layout.num_shards;
}
uint32_t SharedBloomFilter::num_shards() const { return state_->filter.layout.num_shards; }
int SharedBloomFilter::num_probes() const { return state_->filter.layout.num_probes; }

}  // namespace bloomline

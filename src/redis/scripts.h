// The scripts that change the state of a filter's keys. docs/redis_protocol.md, "Creation", has
// the state diagrams and the argument why none of these scripts, run late or twice, causes a wrong
// "no".
//
//   shard:  AllocateShard FillShard+ RenewShard* KeepShard+   later: AddIfPresent*, RemoveRemnant*
//   hash:   TakeTicket Publish (Finish | GiveUp Forget)   later: Touch* Forget
//
// Each script has one key, so that a cluster can run it while the key's slot moves.
#ifndef BLOOMLINE_REDIS_SCRIPTS_H_
#define BLOOMLINE_REDIS_SCRIPTS_H_

namespace bloomline::redis {

// Redis 4 by default sends scripts, not their writes, to replicas, and then refuses writes after
// TIME or PTTL. This selects writes. Later versions always send writes.
#define BLOOMLINE_REPLICATE_WRITES \
  "if redis.replicate_commands then redis.replicate_commands() end\n"

// ARGV: length, marker of block 0 (its bit), seconds. Creates the shard, without markers, if the
// key does not exist. Returns the token if the shard is allocated, "" if the key is in another
// state. Full length at once: Redis gives a growing string more memory than it needs.
inline constexpr char kAllocateShard[] = BLOOMLINE_REPLICATE_WRITES R"lua(
local key = KEYS[1]
if redis.call('EXISTS', key) == 0 then
  local now = redis.call('TIME')
  redis.call('SETRANGE', key, ARGV[1] - 1, '\0')
  redis.call('SETRANGE', key, 0, string.format('%012d%06d', now[1], now[2]))
  redis.call('EXPIRE', key, ARGV[3])
end
local token = redis.call('GETRANGE', key, 0, 17)
local is_token = string.find(token, '^' .. string.rep('%d', 18) .. '$')
if is_token and redis.call('GETBIT', key, ARGV[2]) == 0 then return token end
return '')lua";

// ARGV: token, marker of block 0, first byte, blocks, bytes of a block, seconds. Writes empty
// blocks with markers into a shard that is allocated with this token. Block 0 overwrites the token,
// so after the call that writes it no call has an effect. 1: done, now or earlier. 0: refused.
//
// Writes pieces of 8 KiB: larger Lua strings cost more to make, smaller ones cost more calls.
inline constexpr char kFillShard[] = R"lua(
local key, token = KEYS[1], ARGV[1]
if redis.call('GETBIT', key, ARGV[2]) == 1 then return 1 end
if redis.call('GETRANGE', key, 0, #token - 1) ~= token then return 0 end
local piece = string.rep('\0', ARGV[5] - 1) .. '\1'
while #piece < 8192 do piece = piece .. piece end
local at, left = tonumber(ARGV[3]), ARGV[4] * ARGV[5]
while left > 0 do
  if left < #piece then piece = string.sub(piece, 1, left) end
  redis.call('SETRANGE', key, at, piece)
  at, left = at + #piece, left - #piece
end
redis.call('EXPIRE', key, ARGV[6])
return 1)lua";

// ARGV: seconds. Renews the expiry of a key that has one. 0: no expiry, or no such key.
inline constexpr char kRenewShard[] = BLOOMLINE_REPLICATE_WRITES R"lua(
if redis.call('PTTL', KEYS[1]) > 0 then return redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return 0)lua";

// ARGV: length, marker of block 0. Makes a filled shard permanent. 0: there is none. Writes a byte
// unchanged, which Redis propagates all the same. So a WAIT after it waits until replicas have the
// shard, permanent.
inline constexpr char kKeepShard[] = R"lua(
if redis.call('STRLEN', KEYS[1]) ~= tonumber(ARGV[1]) or redis.call('GETBIT', KEYS[1], ARGV[2]) == 0
then return 0 end
redis.call('PERSIST', KEYS[1])
redis.call('SETRANGE', KEYS[1], 0, redis.call('GETRANGE', KEYS[1], 0, 0))
return 1)lua";

// ARGV: marker of the last block, arguments of BITFIELD. An addition to a node that may lack the
// key. 0: it does, or the string has no marker; nothing has changed.
inline constexpr char kAddIfPresent[] = R"lua(
if redis.call('GETBIT', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('BITFIELD', KEYS[1], unpack(ARGV, 2)))lua";

// ARGV: marker of the last block. Removes a string that BITFIELD created in place of a lost shard.
inline constexpr char kRemoveRemnant[] = R"lua(
if redis.call('GETBIT', KEYS[1], ARGV[1]) == 0 then return redis.call('UNLINK', KEYS[1]) end
return 0)lua";

// ARGV: the ticket's field, seconds. Returns the token of the ticket; nil if there is a filter.
inline constexpr char kTakeTicket[] = BLOOMLINE_REPLICATE_WRITES R"lua(
local key = KEYS[1]
if redis.call('HEXISTS', key, 'metadata') == 1 then return false end
local expires = redis.call('PTTL', key) ~= -1
local now = redis.call('TIME')
redis.call('HSETNX', key, ARGV[1], string.format('%012d%06d', now[1], now[2]))
if expires then redis.call('EXPIRE', key, ARGV[2]) end
return redis.call('HGET', key, ARGV[1]))lua";

// ARGV: the ticket's field, its token, metadata. Publishes the filter if the ticket still exists,
// and removes all tickets. Returns the metadata of the filter that exists now; nil: none. The key
// exists throughout: while a slot moves, a cluster refuses scripts on a missing key, and the ticket
// would be gone by then.
inline constexpr char kPublish[] = R"lua(
local key = KEYS[1]
if redis.call('HGET', key, ARGV[1]) == ARGV[2] then
  local fields = redis.call('HKEYS', key)
  redis.call('HSET', key, 'metadata', ARGV[3], 'unfinished', '1')
  for _, field in ipairs(fields) do
    if string.sub(field, 1, 7) == 'ticket:' then redis.call('HDEL', key, field) end
  end
  redis.call('PERSIST', key)
end
return redis.call('HGET', key, 'metadata'))lua";

// ARGV: metadata. Marks the filter as finished. 0: it was deleted or given up.
inline constexpr char kFinish[] = R"lua(
if redis.call('HGET', KEYS[1], 'metadata') ~= ARGV[1] or
   redis.call('HGET', KEYS[1], 'unfinished') == 'lost' then return 0 end
redis.call('HDEL', KEYS[1], 'unfinished')
return 1)lua";

// ARGV: metadata. From now on nobody can finish the filter, so it can be removed although other
// clients may be finishing it right now. 0: it was deleted, or is finished.
inline constexpr char kGiveUp[] = R"lua(
if redis.call('HGET', KEYS[1], 'metadata') ~= ARGV[1] or
   redis.call('HEXISTS', KEYS[1], 'unfinished') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'unfinished', 'lost')
return 1)lua";

// ARGV: metadata. Removes the hash, unless another client has created a new filter meanwhile.
inline constexpr char kForget[] = R"lua(
if redis.call('HGET', KEYS[1], 'metadata') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0)lua";

// ARGV: metadata. A write that changes nothing and is propagated all the same. So a WAIT after it
// waits until replicas have the metadata. 0: the filter was deleted.
inline constexpr char kTouch[] = R"lua(
if redis.call('HGET', KEYS[1], 'metadata') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'metadata', ARGV[1])
return 1)lua";

#undef BLOOMLINE_REPLICATE_WRITES

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_SCRIPTS_H_

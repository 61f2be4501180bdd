// The scripts that make, check and remove the keys of a filter. docs/redis.md, "Creation
// and deletion", has their order and the argument why none of them causes a wrong "no".
//
// Each script has one key, so that a cluster can run it while the key's slot moves. ARGV[1] is the
// filter's header. Each replies 1 if it did its work, otherwise 0.
#ifndef BLOOMLINE_REDIS_SCRIPTS_H_
#define BLOOMLINE_REDIS_SCRIPTS_H_

namespace bloomline::redis {

// ARGV: header, number of blocks, bytes of a block. Makes a shard, or, with 0 blocks, a filter's
// entry, if the key does not exist. 1: the key has this header, now or already. Full length at
// once: Redis gives a growing string more memory than it needs. The header comes last, so a string
// that the script could not finish lacks it. Writes pieces of 8 KiB: larger Lua strings cost more
// to make, smaller ones cost more calls.
inline constexpr char kMake[] = R"lua(
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
inline constexpr char kTouch[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
return 1)lua";

// ARGV: header. Removes the entry, unless another client has created a new filter meanwhile.
inline constexpr char kForget[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1]))lua";

// ARGV: header. Removes a string that BITFIELD created in place of a lost shard.
inline constexpr char kRemoveRemnant[] = R"lua(
if redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) == ARGV[1] then return 0 end
return redis.call('UNLINK', KEYS[1]))lua";

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_SCRIPTS_H_

// Runs queries in a database: checks every answer, takes the time of each, counts block reads.
#include <chrono>

#include "db_bench_ext/disk/disk.h"
#include "rocksdb/perf_context.h"

namespace bloomline::bench::disk {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool IsWrong(const Query& query, bool found, const rocksdb::PinnableSlice& value) {
  if (found != query.stored) return true;
  return found && value.ToStringView() != AsText(ValueOf(query.number));
}

}  // namespace

RunResult RunQueries(const DiskDatabase& database, const std::vector<Query>& queries,
                     const RunLimits& limits) {
  RunResult result;
  rocksdb::PinnableSlice value;
  StartCounting();
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  for (const Query& query : queries) {
    if (SecondsBetween(start, last) >= limits.seconds || perf.block_read_byte >= limits.bytes_read)
      break;
    const bool found = database.Get(query.key, &value);
    result.counts.wrong_answers += IsWrong(query, found, value) ? 1 : 0;
    ++result.counts.gets;
    const Clock::time_point now = Clock::now();
    result.us.push_back(static_cast<float>(1e6 * SecondsBetween(last, now)));
    last = now;
  }
  result.seconds = SecondsBetween(start, last);
  result.counts.blocks = StopCounting();
  return result;
}

}  // namespace bloomline::bench::disk

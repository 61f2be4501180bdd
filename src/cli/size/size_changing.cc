// Rows of `bloomline size` for filters that change. Each class chooses its size from capacity and
// false-positive rate, so whatever the request has is turned into these two.
#include <algorithm>
#include <cmath>
#include <functional>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/redis_bloom_filter.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/cli/shared/quantity.h"
#include "src/cli/size/size.h"
#include "src/filter/layouts/block_rate.h"
#include "src/redis/layout.h"
#include "src/sets/bloom_shape.h"

namespace bloomline::cli {
namespace {

struct Plan {
  std::string problem;  // if not empty: why there is no such filter
  uint64_t bytes = 0;
  std::optional<int> num_probes;
  std::optional<int> lines_per_query;
  // Cells are bits or counters. Without cells, the rate with other numbers of keys is not computed.
  uint64_t num_cells = 0;
  uint32_t cells_per_block = 0, usable_cells = 0;
  std::optional<redis::Layout> in_redis;
};

using Planner = std::function<Plan(uint64_t num_keys, double rate)>;

// A filter with a bit, or a counter of `cell_bits` bits, for each bit of the shape.
Plan PlanCells(BloomLayout layout, uint64_t cell_bits, uint64_t num_keys, double rate) {
  BloomFilterOptions options;
  options.capacity = num_keys;
  options.false_positive_rate = rate;
  options.layout = layout;
  sets::BloomShape shape;
  Plan plan;
  plan.problem = sets::ShapeOf(options, &shape, cell_bits == 1 ? "bits" : "counters").str();
  if (!plan.problem.empty()) return plan;
  plan.bytes = shape.num_lines * kernels::kBlockBytes * cell_bits;
  plan.num_probes = shape.num_probes;
  plan.lines_per_query = 1;
  plan.num_cells = shape.num_lines * kernels::kBlockBits;
  plan.cells_per_block = plan.usable_cells = static_cast<uint32_t>(sets::BlockBits(layout));
  return plan;
}

// All stages that it has grown to when it holds the keys.
Plan PlanScalable(uint64_t num_keys, double rate) {
  const ScalableBloomFilterOptions options;
  Plan sum;
  sum.lines_per_query = 0;
  uint64_t capacity = options.initial_capacity;
  double stage_rate = rate * (1 - options.tightening);
  for (uint64_t held = 0; held < num_keys;) {
    const Plan stage = PlanCells(options.layout, 1, capacity, stage_rate);
    if (!stage.problem.empty()) {
      sum.problem = "stage " + std::to_string(*sum.lines_per_query) + ": " + stage.problem;
      return sum;
    }
    sum.bytes += stage.bytes;
    ++*sum.lines_per_query;
    held += capacity;
    capacity *= static_cast<uint64_t>(options.growth);
    stage_rate *= options.tightening;
  }
  return sum;
}

Plan PlanShared(uint64_t num_keys, double rate) {
  SharedBloomFilterOptions options;
  options.capacity = num_keys;
  options.false_positive_rate = rate;
  Plan plan;
  plan.problem = options.Validate();
  if (!plan.problem.empty()) return plan;
  const redis::Layout layout = redis::PlanLayout(options);
  plan.bytes = layout.shard_bytes() * layout.num_shards;
  plan.num_probes = layout.num_probes;
  plan.num_cells = 8 * plan.bytes;
  plan.cells_per_block = 8 * layout.block_bytes;
  plan.usable_cells = layout.marker_bit();
  plan.in_redis = layout;
  return plan;
}

uint64_t BytesOf(const Planner& planner, uint64_t num_keys, double rate) {
  const Plan plan = planner(num_keys, rate);
  return plan.problem.empty() ? plan.bytes : UINT64_MAX;
}

// The lowest rate, to 0.01 %, at which the filter takes at most `bytes`; none if there is no such.
std::optional<double> LowestRate(const Planner& planner, uint64_t num_keys, uint64_t bytes) {
  constexpr double kHighest = 0.5;
  const auto fits = [&](double rate) { return BytesOf(planner, num_keys, rate) <= bytes; };
  if (!fits(kHighest)) return std::nullopt;
  double low = std::log(1e-15);
  double high = std::log(kHighest);
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (fits(std::exp(middle)) ? high : low) = middle;
  }
  return std::exp(high);
}

// The number of keys and the rate that the request comes to. False, with the reason in
// row->problem, if there is no such filter.
bool ChooseKeysAndRate(const SizeRequest& request, const Planner& planner, SizeRow* row,
                       double* rate) {
  std::optional<uint64_t> memory = request.memory_bytes;
  if (request.capacity || request.num_keys) {
    row->num_keys = request.capacity ? *request.capacity : *request.num_keys;
  } else if (request.bits_per_key) {
    row->num_keys = static_cast<uint64_t>(8 * static_cast<double>(*memory) / *request.bits_per_key);
  } else {
    row->num_keys = MostKeys(
        *memory, [&](uint64_t num_keys) { return BytesOf(planner, num_keys, *request.rate); });
  }
  if (row->num_keys == 0) {
    row->problem = planner(1, request.rate.value_or(0.5)).problem;
    if (row->problem.empty()) row->problem = BytesText(*memory) + " is too little for one key";
    return false;
  }
  if (request.rate) {
    *rate = *request.rate;
    return true;
  }
  if (!memory) {
    memory = static_cast<uint64_t>(static_cast<double>(row->num_keys) * *request.bits_per_key / 8);
  }
  const std::optional<double> lowest = LowestRate(planner, row->num_keys, *memory);
  if (!lowest) {
    const Plan least = planner(row->num_keys, 0.5);
    row->problem = !least.problem.empty()
                       ? least.problem
                       : BytesText(*memory) + " is too little; even at an FPR of 50 % it needs " +
                             BytesText(least.bytes);
    return false;
  }
  *rate = *lowest;
  return true;
}

SizeRow RowOf(const std::string& name, const SizeRequest& request, const Planner& planner) {
  SizeRow row;
  row.name = name;
  double rate = 0;
  if (!ChooseKeysAndRate(request, planner, &row, &rate)) return row;
  const Plan plan = planner(row.num_keys, rate);
  row.problem = plan.problem;
  if (!row.problem.empty()) return row;
  row.bytes = plan.bytes;
  row.bits_per_key = 8 * static_cast<double>(row.bytes) / static_cast<double>(row.num_keys);
  if (plan.num_probes) row.num_probes = *plan.num_probes;
  row.max_lines_per_query = plan.lines_per_query;
  row.rate = rate;
  if (request.capacity && plan.num_cells != 0) {
    row.overfilled_rate = filter::BlockFalsePositiveRate(
        static_cast<double>(plan.num_cells) / static_cast<double>(*request.num_keys),
        *plan.num_probes, plan.cells_per_block, plan.usable_cells);
  }
  if (plan.in_redis) {
    row.num_shards = plan.in_redis->num_shards;
    row.shard_bytes = plan.in_redis->shard_bytes();
    row.block_bytes = plan.in_redis->block_bytes;
    row.note = CountText(*row.num_shards) + (*row.num_shards == 1 ? " shard" : " shards") + " of " +
               CountText(*row.shard_bytes) + " bytes, in blocks of " +
               std::to_string(*row.block_bytes);
  }
  return row;
}

}  // namespace

std::vector<SizeRow> ChangingRows(const SizeRequest& request) {
  const auto cells = [](BloomLayout layout, uint64_t cell_bits) {
    return [=](uint64_t num_keys, double rate) {
      return PlanCells(layout, cell_bits, num_keys, rate);
    };
  };
  return {RowOf("BloomFilter", request, cells(BloomLayout::kBlocked, 1)),
          RowOf("ScalableBloomFilter, from 1,000 keys", request, PlanScalable),
          RowOf("CountingBloomFilter, 4 bits", request, cells(BloomLayout::kBlocked128, 4)),
          RowOf("CountingBloomFilter, 8 bits", request, cells(BloomLayout::kBlocked64, 8)),
          RowOf("SharedBloomFilter, in Redis", request, PlanShared)};
}

}  // namespace bloomline::cli

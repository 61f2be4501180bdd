#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/scaling/scaling.h"
#include "db_bench_ext/support/machine.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/rates/rates.h"
#include "src/support/aligned_memory.h"
#include "src/support/file_io.h"

namespace bloomline::bench {
namespace {

Format FormatOf(const std::string& subject) {
  return subject == "blocked" || subject == "bloom" || subject == "atomic" ? Format::kBlocked
                                                                           : Format::kCompact;
}

FilterOptions StaticOptions(const Case& c) {
  return FilterOptions::ForFalsePositiveRate(FormatOf(c.subject), kRate);
}

BloomFilterOptions MutableOptions(const Case& c) {
  BloomFilterOptions options;
  options.capacity = c.num_keys;
  options.false_positive_rate = kRate;
  return options;
}

// On all threads at once.
template <typename Filter>
void MeasureQueries(const Case& c, const Flags& flags, const Filter& filter, Progress* progress,
                    Row* row) {
  struct alignas(64) Answers {
    bool may_match[kBatchKeys];
    bool is_stored[kBatchKeys];
    uint64_t num_true = 0;
    uint64_t num_lost = 0;  // stored keys whose answer is "no"
  };
  const auto answer = [&](const KeyRange& range, const auto& fill, NsPerKey* ns) {
    std::vector<Answers> answers(c.num_threads);
    std::vector<KeyBatch> batches;
    for (size_t t = 0; t < c.num_threads; ++t) batches.emplace_back(kBatchKeys);
    // Counted while the next batch is made, when the clock stands still.
    std::vector<size_t> uncounted(c.num_threads, 0);
    const auto count = [&](size_t t) {
      Answers& mine = answers[t];
      for (size_t i = 0; i < uncounted[t]; ++i) {
        mine.num_true += mine.may_match[i] ? 1 : 0;
        mine.num_lost += mine.is_stored[i] && !mine.may_match[i] ? 1 : 0;
      }
    };
    *ns = TimeBatches(
        c.num_threads, range, progress, 1,
        [&](size_t t, const KeyRange& mine, uint64_t done, size_t n) {
          count(t);
          fill(mine.first + done * mine.stride, mine.stride, n, &batches[t], answers[t].is_stored);
          uncounted[t] = n;
        },
        [&](size_t t, size_t n) {
          filter.MayMatch(n, batches[t].views.data(), answers[t].may_match);
        });
    uint64_t num_true = 0;
    for (size_t t = 0; t < c.num_threads; ++t) {
      count(t);
      num_true += answers[t].num_true;
      row->num_lost += answers[t].num_lost;
    }
    return num_true;
  };
  row->num_checked = std::min(c.num_keys, flags.max_checked);
  const auto in_order = [](uint64_t first, uint64_t stride, size_t n, KeyBatch* batch,
                           bool* is_stored) {
    batch->Fill(first, stride, n);
    std::fill_n(is_stored, n, first < kFirstMissingIndex);
  };
  // No branch predictor learns which keys are stored.
  const auto by_chance = [&](uint64_t first, uint64_t, size_t n, KeyBatch* batch, bool* is_stored) {
    batch->size = n;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t random = Mix(first + i);
      is_stored[i] = random % 2 != 0;
      const uint64_t index = is_stored[i] ? (random >> 1) % c.num_keys : first + i;
      WriteKey(index, &batch->bytes[i * kKeyBytes]);
    }
  };
  answer({0, row->num_checked, c.num_keys / row->num_checked}, in_order, &row->hit);
  row->false_positive_rate = static_cast<double>(answer({kFirstMissingIndex, flags.num_missing, 1},
                                                        in_order, &row->miss)) /
                             static_cast<double>(flags.num_missing);
  answer({kFirstMissingIndex, flags.num_missing, 1}, by_chance, &row->mixed);
}

template <typename Filter>
void MeasureMutable(const Case& c, const Flags& flags, Progress* progress, Row* row) {
  std::string error;
  const std::unique_ptr<Filter> filter = Filter::Create(MutableOptions(c), &error);
  if (filter == nullptr) throw std::runtime_error(error);
  row->add = TimeKeys(
      c.num_threads, {0, c.num_keys, 1}, progress,
      [&](size_t, const KeyBatch& batch) { filter->AddKeys(batch.size, batch.views.data()); });
  row->filter_bytes = filter->num_bits() / 8;
  row->theory = ExactBlockedFalsePositiveRate(c.num_keys, row->filter_bytes / kernels::kBlockBytes,
                                              filter->num_probes());
  MeasureQueries(c, flags, *filter, progress, row);
}

double TheoryOf(uint64_t num_keys, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeTrailer(bytes);
  return filter::ExactRateOf(payload, num_keys);
}

void MeasureView(const Case& c, const Flags& flags, std::string_view bytes, Progress* progress,
                 Row* row) {
  row->filter_bytes = bytes.size();
  row->theory = TheoryOf(c.num_keys, bytes);
  const FilterView view = FilterView::Open(bytes);
  if (view.AlwaysMatches()) throw std::runtime_error("the filter matches everything");
  MeasureQueries(c, flags, view, progress, row);
}

// About the cost of Finish in ns per key, for the progress.
uint64_t FinishWork(const std::string& subject) {
  if (subject == "blocked") return 5;
  return subject == "compact" ? 50 : 0;
}

void MeasureStatic(const Case& c, const Flags& flags, Progress* progress, Row* row) {
  FilterBuilder builder(StaticOptions(c));
  row->add = TimeKeys(1, {0, c.num_keys, 1}, progress, [&](size_t, const KeyBatch& batch) {
    for (size_t i = 0; i < batch.size; ++i) builder.AddKey(batch.views[i]);
  });
  if (!builder.error().empty()) throw std::runtime_error(builder.error());
  std::string bytes;
  const double seconds =
      SecondsOf([&] { bytes = builder.Finish(static_cast<int>(c.num_threads)); });
  row->finish_ns = seconds * 1e9 / static_cast<double>(c.num_keys);
  progress->Add(c.num_keys * FinishWork(c.subject));
  MeasureView(c, flags, bytes, progress, row);
}

RawLimits Lower(const RawLimits& a, const RawLimits& b) {
  return {std::min(a.load_ns, b.load_ns), std::min(a.modify_ns, b.modify_ns)};
}

}  // namespace

uint64_t Case::FilterBytes() const {
  return bloomline::FilterBytes(FormatOf(subject), num_keys, StaticOptions(*this).bits_per_key);
}

uint64_t Case::MemoryBytes() const {
  const uint64_t filter = FilterBytes();
  // While Finish runs: include/bloomline/filter.h.
  if (subject == "blocked") return filter + num_keys * 73 / 8;
  if (subject == "compact") return filter + num_keys * 92 / 8;
  return filter;
}

uint64_t Case::Work(const Flags& flags) const {
  return 2 * kRawProgress + num_keys * (1 + FinishWork(subject)) +
         std::min(num_keys, flags.max_checked) + 2 * flags.num_missing;
}

Row Measure(const Case& c, const Flags& flags, Progress* progress) {
  Row row;
  row.of = c;
  progress->Start(c.subject + ", " + std::to_string(c.num_keys) + " keys, " +
                  std::to_string(c.num_threads) + " threads");
  const uint64_t raw_bytes = c.FilterBytes();
  row.raw = MeasureRaw(raw_bytes, c.num_threads, progress);
  ResetPeakMemory();
  if (c.subject == "bloom") {
    MeasureMutable<BloomFilter>(c, flags, progress, &row);
  } else if (c.subject == "atomic") {
    MeasureMutable<AtomicBloomFilter>(c, flags, progress, &row);
  } else {
    MeasureStatic(c, flags, progress, &row);
  }
  row.peak_bytes = PeakMemory();
  row.raw = Lower(row.raw, MeasureRaw(raw_bytes, c.num_threads, progress));
  return row;
}

}  // namespace bloomline::bench

#include "db_bench_ext/scale_subjects.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/partitioned_filter_builder.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/machine.h"
#include "src/format/layout.h"
#include "src/format/trailer.h"
#include "src/kernels/probe_sequence.h"
#include "src/memory/file_io.h"
#include "src/memory/filter_memory.h"

namespace bloomline::bench {
namespace {

Format FormatOf(const std::string& subject) {
  return subject == "blocked" || subject == "bloom" || subject == "atomic" ? Format::kBlocked
                                                                           : Format::kCompact;
}

FilterOptions StaticOptions(const ScaleCase& scale_case, const ScaleFlags& flags) {
  return FilterOptions::ForFalsePositiveRate(FormatOf(scale_case.subject), flags.rate);
}

BloomFilterOptions MutableOptions(const ScaleCase& scale_case, const ScaleFlags& flags) {
  BloomFilterOptions options;
  options.capacity = scale_case.num_keys;
  options.false_positive_rate = flags.rate;
  return options;
}

// ask(n, keys, bool* answers) on all threads at once.
template <typename Ask>
void MeasureQueries(const ScaleCase& scale_case, const ScaleFlags& flags, Ask ask,
                    Progress* progress, ScaleRow* row) {
  struct alignas(64) Answers {
    bool may_match[kScaleBatch];
    uint64_t num_true = 0;
  };
  const auto answer = [&](const KeyRange& range, NsPerKey* ns) {
    std::vector<Answers> answers(scale_case.num_threads);
    std::vector<KeyBatch> batches(scale_case.num_threads);
    // Counted when the next batch is made: the clock does not run then.
    std::vector<size_t> uncounted(scale_case.num_threads, 0);
    const auto count = [&](size_t t) {
      Answers& mine = answers[t];
      for (size_t i = 0; i < uncounted[t]; ++i) mine.num_true += mine.may_match[i] ? 1 : 0;
    };
    *ns = TimeBatches(
        scale_case.num_threads, range, progress, 1,
        [&](size_t t, const KeyRange& mine, uint64_t done, size_t n) {
          count(t);
          batches[t].Fill(mine, done, n);
          uncounted[t] = n;
        },
        [&](size_t t, size_t n) { ask(n, batches[t].views.data(), answers[t].may_match); });
    uint64_t num_true = 0;
    for (size_t t = 0; t < scale_case.num_threads; ++t) {
      count(t);
      num_true += answers[t].num_true;
    }
    return num_true;
  };
  row->num_checked = std::min(scale_case.num_keys, flags.max_checked);
  row->num_lost = row->num_checked -
                  answer({0, row->num_checked, scale_case.num_keys / row->num_checked}, &row->hit);
  row->false_positive_rate =
      static_cast<double>(answer({kFirstAbsentIndex, flags.num_absent, 1}, &row->miss)) /
      static_cast<double>(flags.num_absent);
}

template <typename Filter, typename Add>
void MeasureMutable(const ScaleCase& scale_case, const ScaleFlags& flags, Add add,
                    Progress* progress, ScaleRow* row) {
  std::string error;
  const std::unique_ptr<Filter> filter = Filter::Create(MutableOptions(scale_case, flags), &error);
  if (filter == nullptr) throw std::runtime_error(error);
  row->add = TimeKeys(scale_case.num_threads, {0, scale_case.num_keys, 1}, progress,
                      [&](size_t, const KeyBatch& batch) { add(filter.get(), batch); });
  row->filter_bytes = filter->num_bits() / 8;
  row->theory = ExactBlockedFalsePositiveRate(
      scale_case.num_keys, row->filter_bytes / kernels::kBlockBytes, filter->num_probes());
  MeasureQueries(
      scale_case, flags,
      [&](size_t n, const std::string_view* keys, bool* answers) {
        filter->MayMatch(n, keys, answers);
      },
      progress, row);
}

double TheoryOf(uint64_t num_keys, std::string_view bytes) {
  const core::Payload payload = core::DecodeStandalone(bytes);
  if (core::IsCompact(payload.layout)) {
    return ExactCompactFalsePositiveRate(num_keys, payload.num_blocks, payload.block_bytes,
                                    payload.base_slots);
  }
  return ExactBlockedFalsePositiveRate(num_keys, payload.num_blocks, payload.num_probes);
}

void MeasureView(const ScaleCase& scale_case, const ScaleFlags& flags, std::string_view bytes,
                 Progress* progress, ScaleRow* row) {
  row->filter_bytes = bytes.size();
  row->theory = TheoryOf(scale_case.num_keys, bytes);
  const FilterView view = FilterView::Open(bytes);
  if (view.AlwaysMatches()) throw std::runtime_error("the filter matches everything");
  MeasureQueries(
      scale_case, flags,
      [&](size_t n, const std::string_view* keys, bool* answers) {
        view.MayMatch(n, keys, answers);
      },
      progress, row);
}

// About what Finish costs, in ns per key: for the progress.
uint64_t FinishWork(const std::string& subject) {
  if (subject == "blocked") return 5;
  return subject == "compact" ? 50 : subject == "partitioned" ? 60 : 0;
}

void MeasureStatic(const ScaleCase& scale_case, const ScaleFlags& flags, Progress* progress,
                   ScaleRow* row) {
  FilterBuilder builder(StaticOptions(scale_case, flags));
  row->add = TimeKeys(1, {0, scale_case.num_keys, 1}, progress, [&](size_t, const KeyBatch& batch) {
    for (size_t i = 0; i < batch.size; ++i) builder.AddKey(batch.views[i]);
  });
  if (!builder.error().empty()) throw std::runtime_error(builder.error());
  std::string bytes;
  const double seconds =
      SecondsOf([&] { bytes = builder.Finish(static_cast<int>(scale_case.num_threads)); });
  row->finish_ns = seconds * 1e9 / static_cast<double>(scale_case.num_keys);
  progress->Add(scale_case.num_keys * FinishWork(scale_case.subject));
  MeasureView(scale_case, flags, bytes, progress, row);
}

// A file that is gone with this.
struct FilterFile {
  ~FilterFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  std::string path;
};

void MeasurePartitioned(const ScaleCase& scale_case, const ScaleFlags& flags, Progress* progress,
                        ScaleRow* row) {
  const FilterFile file = {flags.temp_directory + "/bloomline_scale." + std::to_string(getpid())};
  std::string error;
  const auto check = [&](bool ok) {
    if (!ok) throw std::runtime_error(error);
  };
  {
    PartitionedFilterOptions options;
    options.filter = StaticOptions(scale_case, flags);
    options.temp_directory = flags.temp_directory;
    options.memory_bytes = flags.build_memory;
    options.num_threads = static_cast<int>(scale_case.num_threads);
    const auto builder = PartitionedFilterBuilder::Create(options, &error);
    check(builder != nullptr);
    row->add =
        TimeKeys(1, {0, scale_case.num_keys, 1}, progress, [&](size_t, const KeyBatch& batch) {
          for (size_t i = 0; i < batch.size; ++i) check(builder->AddKey(batch.views[i], &error));
        });
    const double seconds = SecondsOf([&] { check(builder->Finish(file.path, &error)); });
    row->finish_ns = seconds * 1e9 / static_cast<double>(scale_case.num_keys);
  }
  row->peak_bytes = PeakMemory();  // without the pages of the file
  progress->Add(scale_case.num_keys * FinishWork(scale_case.subject));
  filters::InputFile input;
  check(input.Open(file.path, &error));
  const auto memory = filters::LineMemory::OfFile(input.descriptor(), input.size());
  error = file.path + ": cannot be mapped";
  check(memory.data() != nullptr);
  const std::string_view bytes(memory.data(), input.size());
  volatile char first_byte = 0;
  for (size_t i = 0; i < bytes.size(); i += 4096) first_byte = bytes[i];  // queries find its pages
  (void)first_byte;
  MeasureView(scale_case, flags, bytes, progress, row);
}

RawLimits Lower(const RawLimits& a, const RawLimits& b) {
  return {std::min(a.load_ns, b.load_ns), std::min(a.modify_ns, b.modify_ns)};
}

}  // namespace

uint64_t ScaleCase::FilterBytes(const ScaleFlags& flags) const {
  return bloomline::FilterBytes(FormatOf(subject), num_keys,
                                StaticOptions(*this, flags).bits_per_key);
}

uint64_t ScaleCase::MemoryBytes(const ScaleFlags& flags) const {
  const uint64_t filter = FilterBytes(flags);
  // While Finish runs: include/bloomline/filter.h.
  if (subject == "blocked") return filter + num_keys * 73 / 8;
  if (subject == "compact") return filter + num_keys * 92 / 8;
  if (subject == "partitioned") return filter + flags.build_memory;
  return filter;
}

uint64_t ScaleCase::DiskBytes(const ScaleFlags& flags) const {
  return subject == "partitioned" ? num_keys * 8 + FilterBytes(flags) : 0;
}

uint64_t ScaleCase::Work(const ScaleFlags& flags) const {
  return 2 * kRawProgress + num_keys * (1 + FinishWork(subject)) +
         std::min(num_keys, flags.max_checked) + flags.num_absent;
}

ScaleRow Measure(const ScaleCase& scale_case, const ScaleFlags& flags, Progress* progress) {
  ScaleRow row;
  row.subject = scale_case.subject;
  row.num_keys = scale_case.num_keys;
  row.num_threads = scale_case.num_threads;
  progress->Start(scale_case.subject + ", " + std::to_string(scale_case.num_keys) + " keys, " +
                  std::to_string(scale_case.num_threads) + " threads");
  const uint64_t raw_bytes = scale_case.FilterBytes(flags);
  row.raw = MeasureRaw(raw_bytes, scale_case.num_threads, progress);
  ResetPeakMemory();
  if (scale_case.subject == "bloom") {
    MeasureMutable<BloomFilter>(
        scale_case, flags,
        [](BloomFilter* filter, const KeyBatch& batch) {
          filter->AddKeys(batch.size, batch.views.data());
        },
        progress, &row);
  } else if (scale_case.subject == "atomic") {
    MeasureMutable<AtomicBloomFilter>(
        scale_case, flags,
        [](AtomicBloomFilter* filter, const KeyBatch& batch) {
          filter->AddKeys(batch.size, batch.views.data());
        },
        progress, &row);
  } else if (scale_case.subject == "partitioned") {
    MeasurePartitioned(scale_case, flags, progress, &row);
  } else {
    MeasureStatic(scale_case, flags, progress, &row);
  }
  if (row.peak_bytes == 0) row.peak_bytes = PeakMemory();
  row.raw = Lower(row.raw, MeasureRaw(raw_bytes, scale_case.num_threads, progress));
  return row;
}

}  // namespace bloomline::bench

// The counts in Prometheus' text format.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/c_metrics.h"
#include "bloomline/cpu.h"
#include "bloomline/metrics.h"
#include "bloomline/version.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/filter/sizing/engine_sizing.h"
#include "src/support/c_error.h"
#include "src/support/hex.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using filter::Answers;
using filter::Count;
using filter::FilterCounts;
using filter::FilterLimit;
using filter::OpenedKind;
using filter::UselessReason;

// A column family's name may contain any bytes, and a label must be UTF-8. So bytes that are not
// printable ASCII are written as in URLs.
std::string LabelText(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f || c == '%') {
      text += '%' + support::Hex({&c, 1});
    } else {
      text += c;
    }
  }
  return text;
}

void AddLabel(std::string_view name, std::string_view value, std::string* labels) {
  if (value.empty()) return;
  if (!labels->empty()) *labels += ',';
  labels->append(name).append("=\"").append(LabelText(value)) += '"';
}

std::string LabelsText(const FilterCounts& counts) {
  const filter::CountsLabels& from = counts.labels();
  std::string labels;
  AddLabel("engine", from.engine, &labels);
  AddLabel("policy", from.policy, &labels);
  AddLabel("column_family", from.column_family, &labels);
  AddLabel("level", from.level < 0 ? "" : std::to_string(from.level), &labels);
  return labels;
}

class MetricsText {
 public:
  void Metric(const char* name, const char* type, const char* help) {
    name_ = name;
    head_ = std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }

  void Sample(std::string labels, std::string_view label, std::string_view label_value,
              const std::string& value) {
    AddLabel(label, label_value, &labels);
    text_ += head_;
    head_.clear();  // a metric without samples is left out
    text_ += name_;
    if (!labels.empty()) text_ += "{" + labels + "}";
    text_ += " " + value + "\n";
  }

  std::string Take() { return std::move(text_); }

 private:
  const char* name_ = "";
  std::string head_;
  std::string text_;
};

// An unused policy, such as that of default options that others replace, has no filters.
bool HasFilters(const FilterCounts& counts) {
  uint64_t sum = counts.Get(Count::kBuilt) + counts.Get(Answers::kKeys, false) +
                 counts.Get(Answers::kKeys, true);  // LevelDB does not count what it opens
  for (size_t kind = 0; kind < static_cast<size_t>(OpenedKind::kEnd); ++kind) {
    sum += counts.Get(Count::kOpened, kind);
  }
  return sum != 0;
}

// ---- The value of a sample, by the index of its label's value; empty: there is no sample.

template <Count kCount>
std::string Counted(const FilterCounts& counts, size_t index) {
  const uint64_t n = counts.Get(kCount, index);
  return n == 0 ? std::string() : std::to_string(n);
}

// If one answer is printed, so is the other, because a rate needs both.
template <Answers kAnswers>
std::string Answered(const FilterCounts& counts, size_t may_match) {
  const uint64_t n = counts.Get(kAnswers, may_match != 0);
  return n + counts.Get(kAnswers, may_match == 0) == 0 ? std::string() : std::to_string(n);
}

std::string ExpectedRate(const FilterCounts& counts, size_t /* no label */) {
  const auto [format, flush_format, bits_per_key] = counts.expected();
  if (bits_per_key == 0 || !HasFilters(counts)) return "";
  return support::DoubleText(std::max(filter::EngineRate(format, bits_per_key),
                                      filter::EngineRate(flush_format, bits_per_key)));
}

std::string BuildSeconds(const FilterCounts& counts, size_t /* no label */) {
  const uint64_t nanoseconds = counts.Get(Count::kNanosecondsBuilt);
  return nanoseconds == 0 ? std::string()
                          : support::DoubleText(1e-9 * static_cast<double>(nanoseconds));
}

// ---- The metrics.

struct Label {
  const char* name;
  const char* values[5];
  size_t num_values;
};
constexpr Label kNoLabel = {"", {""}, 1};
constexpr Label kAnswer = {"answer", {"no", "may_match"}, 2};
constexpr Label kKind = {
    "kind", {"bloomline", "rocksdb", "matches_everything"}, static_cast<size_t>(OpenedKind::kEnd)};
constexpr Label kLimit = {
    "limit", {"memory", "max_filter_bytes"}, static_cast<size_t>(FilterLimit::kEnd)};
constexpr Label kReason = {
    "reason",
    {"options", "damaged", "said_by_writer", "random_seed", "former_compact"},
    static_cast<size_t>(UselessReason::kEnd)};
static_assert(kKind.num_values == 3 && kLimit.num_values == 2 && kReason.num_values == 5);

// When a text is made. At the end of the process, nothing is open any more.
enum class Moment { kNow, kEnd };

struct MetricRow {
  const char* name;
  const char* type;
  const char* help;
  const Label& label;
  std::string (*value)(const FilterCounts& counts, size_t index);
  bool is_of_now = false;
};

constexpr MetricRow kMetrics[] = {
    {"bloomline_filter_queries_total", "counter",
     "Queries for keys and prefixes, by answer. Sampled: about one in 256 is counted, and stands "
     "for all since the last.",
     kAnswer, Answered<Answers::kKeys>},
    {"bloomline_filter_random_queries_total", "counter",
     "Queries that the policy adds, one per 1024: for random hashes that no key has. The share of "
     "may_match is the false-positive rate.",
     kAnswer, Answered<Answers::kRandomHashes>},
    {"bloomline_filter_expected_false_positive_rate", "gauge",
     "The false-positive rate of the filters that the policy writes.", kNoLabel, ExpectedRate},
    {"bloomline_filters_opened_total", "counter",
     "Filters of RocksDB opened, by who wrote them. With filters in the block cache, a filter may "
     "be opened often.",
     kKind, Counted<Count::kOpened>},
    {"bloomline_filters_open", "gauge",
     "Filters that are open now. A block cache keeps those of deleted files and of closed "
     "databases, too.",
     kKind, Counted<Count::kOpen>, true},
    {"bloomline_filter_open_bytes", "gauge",
     "Bytes of bloomline_filters_open, with those of deleted files. For live files, see RocksDB's "
     "property rocksdb.aggregated-table-properties.",
     kKind, Counted<Count::kOpenBytes>, true},
    {"bloomline_filter_memory_bytes", "gauge",
     "Bytes of the live filters that share a limit, open or not.", kNoLabel,
     Counted<Count::kMemoryBytes>, true},
    {"bloomline_filter_memory_limit_bytes", "gauge", "Limit of bloomline_filter_memory_bytes.",
     kNoLabel, Counted<Count::kMemoryLimitBytes>, true},
    {"bloomline_filters_limited_total", "counter",
     "Filters that got fewer bits per key than the options say, by the limit: memory, by file; "
     "max_filter_bytes, by filter or partition.",
     kLimit, Counted<Count::kLimited>},
    {"bloomline_range_filter_tables_total", "counter",
     "Tables of RocksDB that iterators with a RangeScan asked about, by answer: no, and the table "
     "is skipped.",
     kAnswer, Counted<Count::kTablesAsked>},
    {"bloomline_filters_opened_matching_everything_total", "counter",
     "Filters opened that exclude no key, by reason: former_compact, of bloomline before 0.4.0, "
     "until their file is rewritten. In LevelDB, queries of such filters.",
     kReason, Counted<Count::kOpenedUseless>},
    {"bloomline_filters_built_matching_everything_total", "counter",
     "Filters built that exclude no key, by reason. The database's LOG has a line for each.",
     kReason, Counted<Count::kBuiltUseless>},
    {"bloomline_files_without_filter_total", "counter",
     "Files that were written without a filter, by reason: options, which is intended.", kReason,
     Counted<Count::kNotBuilt>},
    {"bloomline_filters_built_total", "counter", "Filters built.", kNoLabel,
     Counted<Count::kBuilt>},
    {"bloomline_filter_built_keys_total", "counter", "Keys and prefixes in the filters built.",
     kNoLabel, Counted<Count::kKeysBuilt>},
    {"bloomline_filter_built_bytes_total", "counter", "Bytes of the filters built.", kNoLabel,
     Counted<Count::kBytesBuilt>},
    {"bloomline_filter_build_seconds_total", "counter",
     "Time to build filters from collected hashes, without the hashing of keys.", kNoLabel,
     BuildSeconds},
};

std::string TextAt(Moment moment) {
  MetricsText text;
  text.Metric("bloomline_info", "gauge", "Version and kernel of bloomline.");
  std::string labels;
  AddLabel("version", BLOOMLINE_VERSION_STRING, &labels);
  text.Sample(std::move(labels), "kernel", ActiveKernelName(), "1");
  if (const int wrong = filter::SettingsWrong(); wrong >= 0) {
    text.Metric("bloomline_settings_wrong", "gauge",
                "1: new files get the engine's own filters, because the preload library's settings "
                "are wrong. 0: they are right.");
    text.Sample("", "", "", std::to_string(wrong));
  }
  for (const MetricRow& metric : kMetrics) {
    if (metric.is_of_now && moment == Moment::kEnd) continue;
    text.Metric(metric.name, metric.type, metric.help);
    for (size_t i = 0; i < metric.label.num_values; ++i) {
      const FilterCounts* counts;
      for (size_t j = 0; (counts = filter::CountsAt(j)) != nullptr; ++j) {
        const std::string value = metric.value(*counts, i);
        if (value.empty()) continue;
        text.Sample(LabelsText(*counts), metric.label.name, metric.label.values[i], value);
      }
    }
  }
  return text.Take();
}

}  // namespace

std::string MetricsText() { return TextAt(Moment::kNow); }

std::string filter::MetricsTextAtEnd() { return TextAt(Moment::kEnd); }

}  // namespace bloomline

extern "C" char* bloomline_metrics_text(char** errptr) {
  return bloomline::support::OrSetError(
      errptr, [](std::string*) { return strdup(bloomline::MetricsText().c_str()); });
}

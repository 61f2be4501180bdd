// The counts in Prometheus' text format.
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/c_metrics.h"
#include "bloomline/cpu.h"
#include "bloomline/metrics.h"
#include "bloomline/version.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/support/c_error.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

using filter::Answers;
using filter::Count;
using filter::FilterCounts;
using filter::FilterLimit;
using filter::OpenedKind;
using filter::UselessReason;

// At the end of the process, nothing is open any more.
enum class Moment { kNow, kEnd };

// A column family's name may have any bytes, and a label must be UTF-8. So bytes that are not
// printable ASCII are written as in URLs.
std::string LabelText(std::string_view value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == '"') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte >= 0x7f || c == '%') {
      text += '%';
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
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

std::string LabelsOf(const FilterCounts& counts) {
  const filter::CountsLabels& from = counts.labels();
  std::string labels;
  AddLabel("engine", from.engine, &labels);
  AddLabel("policy", from.policy, &labels);
  AddLabel("column_family", from.column_family, &labels);
  AddLabel("level", from.level < 0 ? "" : std::to_string(from.level), &labels);
  return labels;
}

class Text {
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

// A sample of each policy, column family and level for which value(counts) is not empty.
template <typename Value>
void AddSamples(Text* text, std::string_view label, std::string_view label_value, Value value) {
  const FilterCounts* counts;
  for (size_t i = 0; (counts = filter::CountsAt(i)) != nullptr; ++i) {
    const std::string printed = value(*counts);
    if (!printed.empty()) text->Sample(LabelsOf(*counts), label, label_value, printed);
  }
}

// Both answers are there if one is, because a rate needs both.
void AddAnswers(Text* text, const char* name, const char* help, Answers answers) {
  text->Metric(name, "counter", help);
  for (const bool may_match : {false, true}) {
    AddSamples(text, "answer", may_match ? "may_match" : "no", [=](const FilterCounts& counts) {
      const uint64_t n = counts.Get(answers, may_match);
      return n + counts.Get(answers, !may_match) == 0 ? std::string() : std::to_string(n);
    });
  }
}

// One sample for each value of the label; those that are 0 are left out.
void AddCounts(Text* text, const char* name, const char* type, const char* help, Count first,
               std::string_view label, std::initializer_list<std::string_view> label_values) {
  text->Metric(name, type, help);
  size_t index = 0;
  for (const std::string_view label_value : label_values) {
    AddSamples(text, label, label_value, [=](const FilterCounts& counts) {
      const uint64_t n = counts.Get(first, index);
      return n == 0 ? std::string() : std::to_string(n);
    });
    ++index;
  }
}

// A policy that is not used, such as one of default options that others replace, has no filters.
bool HasFilters(const FilterCounts& counts) {
  uint64_t sum = counts.Get(Count::kBuilt) + counts.Get(Answers::kKeys, false) +
                 counts.Get(Answers::kKeys, true);  // LevelDB does not count what it opens
  for (size_t kind = 0; kind < static_cast<size_t>(OpenedKind::kEnd); ++kind) {
    sum += counts.Get(Count::kOpened, kind);
  }
  return sum != 0;
}

void AddQueries(Text* text) {
  AddAnswers(text, "bloomline_filter_queries_total",
             "Queries for keys and prefixes, by answer. Sampled: about one in 256 is counted, and "
             "stands for all since the last.",
             Answers::kKeys);
  AddAnswers(text, "bloomline_filter_range_queries_total",
             "Queries for ranges, by answer. Sampled as the queries for keys.", Answers::kRanges);
  AddAnswers(text, "bloomline_filter_random_queries_total",
             "Queries that the policy adds, one per 1024: for random hashes that no key has. The "
             "share of may_match is the false-positive rate.",
             Answers::kRandomHashes);
  text->Metric("bloomline_filter_expected_false_positive_rate", "gauge",
               "The false-positive rate of the filters that the policy writes.");
  AddSamples(text, "", "", [](const FilterCounts& counts) {
    const double rate = counts.expected_rate();
    return rate > 0 && HasFilters(counts) ? support::DoubleText(rate) : std::string();
  });
}

void AddOpened(Text* text, Moment moment) {
  const auto kinds = {std::string_view("bloomline"), std::string_view("rocksdb"),
                      std::string_view("other"), std::string_view("matches_everything")};
  static_assert(static_cast<int>(OpenedKind::kEnd) == 4);
  AddCounts(
      text, "bloomline_filters_opened_total", "counter",
      "Filters of RocksDB opened, by who wrote them. With filters in the block cache, a filter "
      "may be opened often.",
      Count::kOpened, "kind", kinds);
  if (moment == Moment::kEnd) return;
  AddCounts(text, "bloomline_filters_open", "gauge", "Filters that are open now.", Count::kOpen,
            "kind", kinds);
  AddCounts(text, "bloomline_filter_open_bytes", "gauge", "Bytes of the filters that are open now.",
            Count::kOpenBytes, "kind", kinds);
}

void AddMemory(Text* text) {
  AddCounts(text, "bloomline_filter_memory_bytes", "gauge",
            "Bytes of the live filters that share a limit, open or not.", Count::kMemoryBytes, "",
            {""});
  AddCounts(text, "bloomline_filter_memory_limit_bytes", "gauge",
            "Limit of bloomline_filter_memory_bytes.", Count::kMemoryLimitBytes, "", {""});
}

void AddLimited(Text* text) {
  static_assert(static_cast<int>(FilterLimit::kEnd) == 2);
  AddCounts(text, "bloomline_filters_limited_total", "counter",
            "Filters that got fewer bits per key than the options say, by the limit: memory, by "
            "file; max_filter_bytes, by filter or partition.",
            Count::kLimited, "limit", {"memory", "max_filter_bytes"});
}

void AddUseless(Text* text) {
  const auto reasons = {std::string_view("options"), std::string_view("damaged"),
                        std::string_view("said_by_writer"), std::string_view("random_seed")};
  static_assert(static_cast<int>(UselessReason::kEnd) == 4);
  AddCounts(text, "bloomline_filters_opened_matching_everything_total", "counter",
            "Filters opened that exclude no key, by reason. In LevelDB, queries of such filters.",
            Count::kOpenedUseless, "reason", reasons);
  AddCounts(text, "bloomline_filters_built_matching_everything_total", "counter",
            "Filters built that exclude no key, by reason. The database's LOG has a line for each.",
            Count::kBuiltUseless, "reason", reasons);
  AddCounts(text, "bloomline_files_without_filter_total", "counter",
            "Files that were written without a filter, by reason: options, which is intended.",
            Count::kNotBuilt, "reason", reasons);
}

void AddBuilt(Text* text) {
  const auto add = [text](const char* name, const char* help, Count count) {
    AddCounts(text, name, "counter", help, count, "", {""});
  };
  add("bloomline_filters_built_total", "Filters built.", Count::kBuilt);
  add("bloomline_filter_built_keys_total", "Keys and prefixes in the filters built.",
      Count::kKeysBuilt);
  add("bloomline_filter_built_bytes_total", "Bytes of the filters built.", Count::kBytesBuilt);
  text->Metric("bloomline_filter_build_seconds_total", "counter",
               "Time to build filters from collected hashes, without the hashing of keys.");
  AddSamples(text, "", "", [](const FilterCounts& counts) {
    const uint64_t nanoseconds = counts.Get(Count::kNanosecondsBuilt);
    return nanoseconds == 0 ? std::string()
                            : support::DoubleText(1e-9 * static_cast<double>(nanoseconds));
  });
}

std::string TextAt(Moment moment) {
  Text text;
  text.Metric("bloomline_info", "gauge", "Version and kernel of bloomline.");
  std::string labels;
  AddLabel("version", BLOOMLINE_VERSION_STRING, &labels);
  text.Sample(std::move(labels), "kernel", ActiveKernelName(), "1");
  AddQueries(&text);
  AddOpened(&text, moment);
  if (moment == Moment::kNow) AddMemory(&text);
  AddLimited(&text);
  AddUseless(&text);
  AddBuilt(&text);
  return text.Take();
}

}  // namespace

std::string MetricsText() { return TextAt(Moment::kNow); }

std::string filter::MetricsTextAtEnd() { return TextAt(Moment::kEnd); }

}  // namespace bloomline

extern "C" char* bloomline_metrics_text(char** errptr) {
  char* copy = nullptr;
  bloomline::support::OrSetError(errptr, [&copy](std::string*) {
    const std::string text = bloomline::MetricsText();
    copy = text.empty() ? nullptr : strdup(text.c_str());
    return copy != nullptr;
  });
  return copy;
}

#include "src/db/measure/scan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "src/cli/shared/quantity.h"
#include "src/db/measure/file_scan.h"
#include "src/db/measure/key_shape.h"
#include "src/db/sstable/comparator.h"
#include "src/db/table_filters.h"

namespace bloomline::db {
namespace {

double Mean(uint64_t sum, uint64_t n) {
  return n == 0 ? std::numeric_limits<double>::quiet_NaN()
                : static_cast<double>(sum) / static_cast<double>(n);
}

// ---- Ranges beside keys.

// The shape of most keys, if all have the same length.
std::optional<KeyShape> CommonShape(const std::vector<std::string>& keys) {
  std::map<KeyShape, uint64_t> counts;
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    if (keys[i].size() != keys[i + 1].size()) return std::nullopt;
    ++counts[ShapeOf(keys[i], keys[i + 1])];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

// The keys that begin with the next prefix up to delimiter number `depth`, as after "user:17:" with
// "user:18:". For kMaxDepth up to the last delimiter, if there are so many.
bool NextDelimited(const std::string& key, unsigned char delimiter, unsigned depth, Range* range) {
  const char byte = static_cast<char>(delimiter);
  size_t at = key.find(byte);
  for (unsigned i = 1; i < depth && at != key.npos; ++i) at = key.find(byte, at + 1);
  if (depth == filter::kMaxDepth && at != key.npos) at = key.rfind(byte);
  if (at == key.npos || at == 0 || delimiter == UINT8_MAX) return false;
  std::string& next = range->begin;
  next = key.substr(0, at);
  KeyShape shape;
  const bool is_number = next.back() >= '0' && next.back() <= '9';
  shape.kind = is_number ? ShapeKind::kTextDecimal : ShapeKind::kText;
  if (!Increment(shape, &next) || next.back() == byte) return false;
  range->end = next + static_cast<char>(delimiter + 1);
  next += byte;
  return true;
}

class RangeMaker {
 public:
  RangeMaker(const std::vector<std::string>& keys, FamilyScan* scan) : keys_(keys), scan_(*scan) {}

  std::vector<Range> Make(const cli::RangeKinds& kinds) {
    const std::optional<KeyShape> shape = CommonShape(keys_);
    for (const int numbers : {1, 16}) {
      if (!shape) break;
      Add(std::to_string(numbers) + (numbers == 1 ? " number" : " numbers"),
          [&](size_t i, Range* range) {
            range->begin = keys_[i];
            if (!Increment(*shape, &range->begin)) return false;
            range->end = range->begin;
            for (int n = 0; n < numbers; ++n) {
              if (!Increment(*shape, &range->end)) return false;
            }
            return true;
          });
    }
    Add("up to the next key", [&](size_t i, Range* range) {
      if (i + 1 == keys_.size()) return false;
      range->begin = keys_[i] + '\0';
      range->end = keys_[i + 1];
      return true;
    });
    for (auto bits = kinds.cell_bits.rbegin(); bits != kinds.cell_bits.rend(); ++bits) {
      const auto next = std::next(bits);
      if (next != kinds.cell_bits.rend() && filter::CellBytes(*next) == filter::CellBytes(*bits)) {
        continue;  // of those that differ by less than a byte the shortest
      }
      Add("the next beginning of " + cli::BitsAsBytes(*bits) + (*bits == 8 ? " byte" : " bytes"),
          [&](size_t i, Range* range) {
            std::string unused;
            std::string next_cell;
            return RangeOfCell(keys_[i], *bits, &unused, &next_cell) &&
                   RangeOfCell(next_cell, *bits, &range->begin, &range->end);
          });
    }
    for (const auto& [delimiter, depths] : kinds.depths) {
      for (unsigned depth = filter::kMaxDepth; depth > 0; --depth) {
        if ((depths >> (depth - 1) & 1) == 0) continue;
        Add("the next beginning up to " + cli::DelimiterText(delimiter) + " " +
                cli::DepthText(depth),
            [&, byte = delimiter](size_t i, Range* range) {
              return NextDelimited(keys_[i], byte, depth, range);
            });
      }
    }
    std::sort(ranges_.begin(), ranges_.end());
    ranges_.erase(std::unique(ranges_.begin(), ranges_.end()), ranges_.end());
    SetReaches(&ranges_);
    for (const Range& range : ranges_) ++scan_.widths[range.width].made;
    return std::move(ranges_);
  }

 private:
  template <typename MakeRange>
  void Add(std::string name, MakeRange make) {
    Range range;
    range.width = scan_.widths.size();
    scan_.widths.push_back({std::move(name)});
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (make(i, &range) && range.begin < range.end) ranges_.push_back(range);
    }
  }

  const std::vector<std::string>& keys_;
  FamilyScan& scan_;
  std::vector<Range> ranges_;
};

}  // namespace

std::string WhyNoScans(const Inspection& inspection, const FamilyGroups& family) {
  for (const size_t i : family.files) {
    const FileFacts& facts = inspection.files[i].facts;
    if (facts.engine == sstable::Engine::kLevelDB) return "LevelDB asks no filter for a scan";
    const sstable::KeyOrder order = sstable::OrderOf(facts.comparator);
    if (!order.is_known || order.is_reversed) {
      return "comparator '" + facts.comparator +
             "' has another order than that of bytes, in which no filter answers for ranges";
    }
  }
  return family.all.files == 0 ? "there are no tables" : "";
}

double ScanWidth::rejected_share() const { return Mean(rejected, files); }
double ScanWidth::reads_without() const { return Mean(files, empty); }
double ScanWidth::reads() const { return Mean(files - rejected, empty); }

std::vector<FamilyScan> Scan(Inputs* inputs, const CommonOptions& common,
                             const MeasureOptions& options, const Inspection& inspection) {
  const size_t num_families = inspection.groups.size();
  std::vector<FamilyScan> scans(num_families);
  std::vector<std::vector<std::string>> keys(num_families);
  std::vector<std::vector<Range>> ranges(num_families);
  std::vector<bool> is_measured(num_families);
  for (size_t f = 0; f < num_families; ++f) {
    scans[f].not_measured = WhyNoScans(inspection, inspection.groups[f]);
    is_measured[f] = scans[f].not_measured.empty();
  }
  const auto for_each_file = [&](const std::string& name, auto work) {
    ForEachFile(inputs, common, name,
                [&](size_t i, const sstable::Table& table, cli::FileProgress* progress,
                    std::string* error) {
                  const size_t f = inspection.files[i].family;
                  const bool done = !is_measured[f] || work(i, f, table, error);
                  progress->AddBytes(table.file_bytes());
                  return done;
                });
  };

  std::mutex mutex;
  for_each_file("", [&](size_t, size_t f, const sstable::Table& table, std::string* error) {
    std::vector<std::string> of_file;
    const sstable::Properties& properties = table.properties();
    const uint64_t key_bytes =
        properties.raw_key_bytes / std::max<uint64_t>(1, properties.num_entries);
    const uint64_t num_keys = std::min(options.samples / inspection.groups[f].all.files,
                                       kMostSampleBytes / (key_bytes + sizeof(std::string)));
    if (!SampleKeys(table, num_keys, &of_file, error)) return false;
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::string& key : of_file) {
      if (key.size() < filter::kMaxBoundBytes) keys[f].push_back(std::move(key));
    }
    return true;
  });
  for (size_t f = 0; f < num_families; ++f) {
    FamilyScan& scan = scans[f];
    if (!scan.not_measured.empty()) continue;
    std::sort(keys[f].begin(), keys[f].end());
    keys[f].erase(std::unique(keys[f].begin(), keys[f].end()), keys[f].end());
    scan.num_keys = keys[f].size();
    if (keys[f].empty()) {
      scan.not_measured = "its keys have " + cli::CountText(filter::kMaxBoundBytes) +
                          " bytes or more, and no filter answers for such ranges";
    }
    ranges[f] = RangeMaker(keys[f], &scan).Make(inspection.groups[f].all.ranges.kinds);
    keys[f] = {};
  }
  for_each_file("measure",
                [&](size_t i, size_t f, const sstable::Table& table, std::string* error) {
                  std::vector<RangeAnswer> answers;
                  const directory::TableFile& file = inputs->file(inputs->files[i]);
                  if (!FileScan(table).Run(file, ranges[f], &answers, error)) return false;
                  const std::lock_guard<std::mutex> lock(mutex);
                  for (const RangeAnswer& answer : answers) {
                    Range& range = ranges[f][answer.range];
                    range.has_key |= answer.has_key;
                    ++range.files;
                    range.rejected += answer.is_rejected;
                    if (!answer.has_key || !answer.is_rejected) continue;
                    std::string example = file.path + ": keys from " + KeyText(range.begin) +
                                          " to before " + KeyText(range.end);
                    if (scans[f].lost++ == 0 || example < scans[f].lost_example) {
                      scans[f].lost_example = std::move(example);
                    }
                  }
                  return true;
                });
  for (size_t f = 0; f < num_families; ++f) {
    for (const Range& range : ranges[f]) {
      if (range.has_key || range.files == 0) continue;
      ScanWidth& width = scans[f].widths[range.width];
      ++width.empty;
      width.files += range.files;
      width.rejected += range.rejected;
    }
  }
  return scans;
}

}  // namespace bloomline::db

#include "src/cli/size/size.h"

#include <algorithm>
#include <cmath>

#include "bloomline/filter_options.h"
#include "bloomline/sizing.h"
#include "src/cli/shared/quantity.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::cli {
namespace {

// The number of keys that the filter is sized for, if the request has one.
std::optional<uint64_t> SizedFor(const SizeRequest& request) {
  return request.capacity ? request.capacity : request.num_keys;
}

double BitsPerKey(uint64_t bytes, uint64_t num_keys) {
  return 8 * static_cast<double>(bytes) / static_cast<double>(num_keys);
}

// Returns the option bits_per_key of a filter of this format that meets the request, or nothing,
// with the reason in row->problem.
std::optional<double> ChooseBitsPerKey(Format format, const SizeRequest& request, SizeRow* row) {
  if (request.rate) {
    row->problem = ValidateFalsePositiveRate(format, *request.rate);
    if (!row->problem.empty()) return std::nullopt;
    return BitsPerKeyForFalsePositiveRate(format, *request.rate);
  }
  FilterOptions options;
  options.format = format;
  if (request.bits_per_key) {
    options.bits_per_key = *request.bits_per_key;
  } else {
    options.bits_per_key =
        BitsPerKeyForFilterBytes(format, *request.num_keys, *request.memory_bytes);
    const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
    if (std::isnan(options.bits_per_key)) {
      row->problem = BytesText(*request.memory_bytes) + " for " + CountText(*request.num_keys) +
                     " keys is too little; a " + FormatName(format) + " filter needs at least " +
                     BytesText(FilterBytes(format, *request.num_keys, allowed.min)) + ", at " +
                     NumberText(allowed.min, 0) + " bits per key";
      return std::nullopt;
    }
    if (options.bits_per_key == allowed.max) row->note = "cannot use more memory";
  }
  row->problem = options.Validate();
  if (!row->problem.empty()) return std::nullopt;
  return request.bits_per_key ? filter::BitsOfMemory(format, options.bits_per_key)
                              : options.bits_per_key;
}

// RocksDB describes a Ribbon filter by the bits of a Bloom filter with the same rate.
std::string RibbonNote(double bits_per_key) {
  const std::string bits = NumberText(bits_per_key, 2);
  return "set bits_per_key=" + bits + ", as in RocksDB's ribbonfilter:" + bits;
}

SizeRow FormatRow(Format format, const SizeRequest& request) {
  SizeRow row;
  row.name = FormatName(format);
  const std::optional<double> bits_per_key = ChooseBitsPerKey(format, request, &row);
  if (!bits_per_key) return row;
  row.num_keys = SizedFor(request) ? *SizedFor(request)
                                   : Capacity(format, *request.memory_bytes, *bits_per_key);
  if (row.num_keys == 0) {
    row.problem = "memory is " + BytesText(*request.memory_bytes) + "; the smallest filter takes " +
                  BytesText(FilterBytes(format, 1, *bits_per_key));
    return row;
  }
  row.bytes = FilterBytes(format, row.num_keys, *bits_per_key);
  row.bits_per_key = BitsPerKey(row.bytes, row.num_keys);
  const int num_probes = OptimalNumProbes(format, *bits_per_key);
  if (num_probes != 0) row.num_probes = num_probes;
  // LevelDB has a filter for each 2 KiB of data, so its 32-bit hash has enough values.
  constexpr uint64_t kManyKeys = 1000;
  const uint64_t of_filter =
      format == Format::kClassic ? std::min(row.num_keys, kManyKeys) : row.num_keys;
  row.rate = FalsePositiveRateWithKeys(format, *bits_per_key, of_filter, of_filter);
  if (request.capacity && format != Format::kRibbon) {  // Ribbon filters fit the actual keys
    const double load = static_cast<double>(*request.num_keys) / static_cast<double>(row.num_keys);
    const uint64_t held = of_filter == row.num_keys
                              ? *request.num_keys
                              : static_cast<uint64_t>(load * static_cast<double>(of_filter));
    row.overfilled_rate = FalsePositiveRateWithKeys(format, *bits_per_key, of_filter, held);
  }
  if (format == Format::kRibbon) row.note = RibbonNote(*bits_per_key);
  return row;
}

}  // namespace

std::string TitleOf(const std::string& format_name) {
  if (format_name == FormatName(Format::kClassic)) return format_name + " (LevelDB's)";
  const bool is_stock =
      format_name == FormatName(Format::kBloom) || format_name == FormatName(Format::kRibbon);
  return format_name + (is_stock ? " (RocksDB's)" : "");
}

std::string Validate(const SizeRequest& request) {
  const bool sized_by_keys = request.num_keys.has_value();
  const int given = sized_by_keys + request.rate.has_value() + request.bits_per_key.has_value() +
                    request.memory_bytes.has_value();
  if (given != 2 || (request.rate && request.bits_per_key)) {
    return std::string(
               "give two of --keys, --memory and --fpr (or --bits-per-key instead of --fpr), for "
               "example --keys 5e9 --fpr 1%") +
           kSeeHelp;
  }
  if (request.capacity && (!sized_by_keys || request.memory_bytes)) {
    return "--capacity is the number of keys that filters are sized for: give --keys, the number "
           "that they hold, and --fpr or --bits-per-key with it";
  }
  return "";
}

std::vector<SizeRow> FormatRows(const SizeRequest& request) {
  std::vector<SizeRow> rows;
  for (const Format format :
       {Format::kClassic, Format::kBloom, Format::kRibbon, Format::kBlocked, Format::kCompact}) {
    rows.push_back(FormatRow(format, request));
  }
  return rows;
}

}  // namespace bloomline::cli

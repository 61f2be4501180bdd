#include "src/db/advise/rewrite_remark.h"

#include <cmath>
#include <cstdint>

#include "src/cli/shared/quantity.h"

namespace bloomline::db {
namespace {

// At which docs/rewriting.md measures Gets beside the rewrite.
constexpr double kBytesPerSecond = 20e6;

std::string DurationText(double seconds) {
  const auto text = [](double number, const char* unit) {
    return cli::CountText(static_cast<uint64_t>(std::ceil(number))) + unit;
  };
  if (seconds < 120) return text(seconds, " s");
  return seconds < 7200 ? text(seconds / 60, " minutes") : text(seconds / 3600, " hours");
}

}  // namespace

std::string RewriteRemark(sstable::Engine engine, const Group& all) {
  if (engine != sstable::Engine::kRocksDB) return "";
  return "RewriteFilters (docs/rewriting.md) gives the other files new filters, each in its place, "
         "while the database is in use: it reads and writes " +
         cli::BytesText(all.bytes) + ", which takes " +
         DurationText(static_cast<double>(all.bytes) / kBytesPerSecond) +
         " with bytes_per_second=20000000.";
}

}  // namespace bloomline::db

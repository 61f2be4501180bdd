#include "src/db/advise/range_filter.h"

#include <algorithm>
#include <string_view>

#include "src/db/sstable/comparator.h"
#include "src/db/table_filters.h"
#include "src/filter/container/shapes.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::db {

bool CanHaveRanges(const FileFacts& facts) {
  const sstable::KeyOrder order = sstable::OrderOf(facts.comparator);
  return facts.engine == sstable::Engine::kRocksDB && order.is_known && !order.is_reversed &&
         facts.canonicalizer.empty();
}

FilterOptions OptionsForRanges(const Group& group) {
  FilterOptions options;
  options.format = Format::kCompact;
  const BitsPerKeyRange allowed = AllowedBitsPerKey(options.format);
  const double bits = group.bits_per_key();
  if (bits > 0) options.bits_per_key = std::clamp(bits, allowed.min, allowed.max);
  return options;
}

bool MakeRangeFilter(const sstable::Table& table, const FilterOptions& options,
                     const RangeFilterRequest& request, RangeFilter* made, std::string* error) {
  const FilterKeys keys(table);
  const auto reader = table.NewKeyReader(error);
  if (reader == nullptr) return false;
  filter::FilterWriter writer(options);
  filter::RangeEntryOptions entry_options;
  entry_options.is_auto = true;
  entry_options.num_levels_below = request.num_levels_below;
  entry_options.sample = request.sample;
  filter::RangeEntries entries(entry_options);
  entries.Add("", &writer);  // the empty prefix
  std::string last;
  while (made->num_keys < request.max_keys && reader->Next()) {
    const std::string_view key = keys.Key(reader->user_key());
    if (made->num_keys != 0 && key == last) continue;
    entries.Add(key, &writer);
    if (request.with_bytes) writer.AddKey(key);
    last.assign(key);
    ++made->num_keys;
  }
  *error = reader->error();
  if (!error->empty()) return false;
  if (made->num_keys == 0) return true;
  entries.Finish(false, &writer);
  made->kinds = entries.chosen();
  made->entry_bytes = writer.extension().second.payload_bytes();
  if (!request.with_bytes) return true;
  const filter::FilterShape shape = filter::TableShape(options.format, writer.num_keys(),
                                                       options.bits_per_key, writer.end_bytes());
  made->bytes.resize(static_cast<size_t>(shape.payload_bytes() + writer.tail_bytes()));
  writer.FinishTo(shape, made->bytes.data());
  return true;
}

}  // namespace bloomline::db

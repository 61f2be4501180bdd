#include "src/tool/keys/key_filter.h"

#include <utility>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/key_canonicalizer.h"
#include "bloomline/scalable_bloom_filter.h"
#include "src/tool/inspect/foreign_file.h"

namespace bloomline::tool {

template <typename Filter>
bool KeyFilter::Use(std::unique_ptr<Filter> filter) {
  if (filter == nullptr) return false;
  // A std::function can be copied, so it shares the filter.
  query_ = [shared = std::shared_ptr<const Filter>(std::move(filter))](
               size_t n, const std::string_view* keys, bool* may_match) {
    shared->MayMatch(n, keys, may_match);
  };
  return true;
}

bool KeyFilter::OpenSaved(std::string* error) {
  switch (SavedKindOf(file_.bytes())) {
    case SavedKind::kBloom:
      if (file_.path().empty()) return Use(LoadSaved<BloomFilter>(file_, error));
      return Use(MappedBloomFilter::Open(file_.path(), MappedBloomFilter::Verify::kPayload, error));
    case SavedKind::kScalable:
      return Use(LoadSaved<ScalableBloomFilter>(file_, error));
    case SavedKind::kCounting:
      return Use(LoadSaved<CountingBloomFilter>(file_, error));
    case SavedKind::kNone:
      break;
  }
  return false;
}

bool KeyFilter::OpenBytes(const std::string& canonicalizer, std::string* error) {
  const std::string recorded(RecordedCanonicalizer(file_.bytes()));
  std::string why;
  const FilterKind kind = FilterKindOf(file_.bytes(), recorded, &why);
  if (kind == FilterKind::kNone) {
    const std::string foreign = DescribeForeignFile(file_.name(), file_.bytes());
    *error = file_.name() + ": not a bloomline filter: " + (foreign.empty() ? why : foreign);
    return false;
  }
  if (recorded != canonicalizer) {
    *error = file_.name() + ": " +
             (recorded.empty()
                  ? "records no canonicalizer, but --canonicalizer is '" + canonicalizer + "'"
                  : "its keys are canonical forms of '" + recorded +
                        "'; give such forms, and --canonicalizer " + recorded);
    return false;
  }
  always_matches_ = kind == FilterKind::kAlwaysMatch;
  query_ = [view = FilterView::Open(file_.bytes(), recorded)](
               size_t n, const std::string_view* keys, bool* may_match) {
    view.MayMatch(n, keys, may_match);
  };
  return true;
}

std::unique_ptr<KeyFilter> KeyFilter::Open(const std::string& path, uint64_t max_pipe_bytes,
                                           const std::string& canonicalizer, std::string* error) {
  auto filter = std::make_unique<KeyFilter>();
  if (!filter->file_.Open(path, max_pipe_bytes, error)) {
    const std::string database = DescribeDirectory(path);
    if (!database.empty()) *error = path + ": not a bloomline filter: " + database;
    return nullptr;
  }
  const bool saved = SavedKindOf(filter->file_.bytes()) != SavedKind::kNone;
  if (saved && !canonicalizer.empty()) {
    *error = filter->file_.name() +
             ": saved filters record no canonicalizer, but "
             "--canonicalizer is '" +
             canonicalizer + "'";
    return nullptr;
  }
  const bool opened = saved ? filter->OpenSaved(error) : filter->OpenBytes(canonicalizer, error);
  return opened ? std::move(filter) : nullptr;
}

}  // namespace bloomline::tool

#include "src/cli/keys/key_filter.h"

#include <utility>

#include "bloomline/filter.h"
#include "bloomline/key_canonicalizer.h"
#include "src/cli/inspect/foreign_file.h"
#include "src/support/quoted.h"

namespace bloomline::cli {

bool KeyFilter::OpenSaved(std::string* error) {
  return UseSaved(file_, error, [&](auto filter) {
    // A std::function can be copied, so it shares the filter.
    query_ = [shared = std::shared_ptr(std::move(filter))](size_t n, const std::string_view* keys,
                                                           bool* may_match) {
      shared->MayMatch(n, keys, may_match);
    };
    return error->empty();
  });
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
             (recorded.empty() ? "records no canonicalizer, but --canonicalizer is " +
                                     support::Quoted(canonicalizer)
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
  const bool saved = IsSaved(filter->file_.bytes());
  if (saved && !canonicalizer.empty()) {
    *error = filter->file_.name() +
             ": saved filters record no canonicalizer, but "
             "--canonicalizer is " +
             support::Quoted(canonicalizer);
    return nullptr;
  }
  const bool opened = saved ? filter->OpenSaved(error) : filter->OpenBytes(canonicalizer, error);
  return opened ? std::move(filter) : nullptr;
}

}  // namespace bloomline::cli

// A filter that was read from a file, to be queried: of FilterBuilder, or a saved one.
#ifndef BLOOMLINE_CLI_KEYS_KEY_FILTER_H_
#define BLOOMLINE_CLI_KEYS_KEY_FILTER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/cli/shared/whole_input.h"

namespace bloomline::cli {

class KeyFilter {
 public:
  // Null, with *error, for what is no filter. `canonicalizer` is that whose canonical forms the
  // keys will be; empty: none. A filter with another one would match every key, and is refused.
  static std::unique_ptr<KeyFilter> Open(const std::string& path, uint64_t max_pipe_bytes,
                                         const std::string& canonicalizer, std::string* error);

  // may_match[i] for keys[i].
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
    query_(n, keys, may_match);
  }

  // Every key matches, because the filter was written so.
  bool always_matches() const { return always_matches_; }

 private:
  bool OpenSaved(std::string* error);
  bool OpenBytes(const std::string& canonicalizer, std::string* error);

  WholeInput file_;
  std::function<void(size_t, const std::string_view*, bool*)> query_;
  bool always_matches_ = false;
};

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_KEYS_KEY_FILTER_H_

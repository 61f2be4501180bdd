// A request to rewrite the filters of a database: a file in the database's directory
// (docs/rewriting.md).
#ifndef BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_
#define BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "bloomline/rewrite_filters.h"

namespace bloomline::preload {

// The files, each in the directory of one database, which only one process has open:
//   bloomline_rewrite          the request; somebody writes it. Its text has RewriteOptions
//   bloomline_rewrite.running  the same file while it is carried out, with a line on the progress
//   bloomline_rewrite.done     the report
// Functions that are not noexcept may throw bad_alloc.
class RewriteRequest {
 public:
  // `directory` is that of the database.
  explicit RewriteRequest(const std::string& directory);

  // True if there is a request, which then is at running_path(). A new one must look the same in
  // two calls: whoever writes it may not have finished. The first call also finds a request that an
  // earlier process did not finish. False with *error if the file cannot be renamed.
  bool Take(std::string* error);

  // The next call of Take finds a request that was taken and not finished.
  void LookAgain() noexcept { looks_for_running_ = true; }

  // Reads the request that Take found. *text has the options alone. False with *error if the file
  // cannot be read, or has no valid options.
  bool Read(RewriteOptions* options, std::string* text, std::string* error);

  // Nobody has removed the request since Take.
  bool IsWanted() const noexcept;

  // Replaces the line on the progress. Does nothing if the request was removed, or on errors.
  void ShowProgress(const std::string& line) const;

  // Replaces the last report, and removes the request. False with *error if the report cannot be
  // written.
  bool Finish(const std::string& report, std::string* error);

  const std::string& path() const { return path_; }
  const std::string& running_path() const { return running_path_; }
  const std::string& done_path() const { return done_path_; }

 private:
  using Looks = std::tuple<int64_t, int64_t, int64_t>;  // size and time

  static constexpr Looks kNone{-1, 0, 0};

  const std::string path_;
  const std::string running_path_;
  const std::string done_path_;
  bool looks_for_running_ = true;
  Looks last_look_ = kNone;
  uint64_t text_bytes_ = 0;  // of the request, before the line on the progress
};

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_

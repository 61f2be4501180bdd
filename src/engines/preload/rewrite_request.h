// A request to rewrite the filters of a database: a file in the database's directory
// (docs/rewriting.md).
#ifndef BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_
#define BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "bloomline/rewrite_filters.h"

namespace bloomline::preload {

// The files, each in the directory of one database, which only one process has open:
//   bloomline_rewrite          the request; somebody writes it. Its text has RewriteOptions
//   bloomline_rewrite.running  the same file while it is carried out, with a line on the progress
//   bloomline_rewrite.done     the report
// The functions may throw bad_alloc.
class RewriteRequest {
 public:
  // `directory` is that of the database.
  explicit RewriteRequest(const std::string& directory);

  // True if there is a request, which then is at running_path(). A new one must look the same in
  // two calls: whoever writes it may not have finished. The first call also finds a request that an
  // earlier process did not finish. False with *error if the file cannot be renamed.
  bool Take(std::string* error);

  // Reads the request that Take found. *text has the options alone. False with *error if the file
  // cannot be read, or has no valid options.
  bool Read(RewriteOptions* options, std::string* text, std::string* error);

  // Nobody has removed the request since Take.
  bool IsWanted() const;

  // Replaces the line on the progress. Does nothing if the request was removed, or on errors.
  void ShowProgress(const std::string& line) const;

  // Replaces the last report, and removes the request. False with *error if the report cannot be
  // written.
  bool Finish(const std::string& report, std::string* error);

  const std::string& path() const { return path_; }
  const std::string& running_path() const { return running_path_; }
  const std::string& done_path() const { return done_path_; }

 private:
  using Looks = std::pair<uintmax_t, std::filesystem::file_time_type>;  // size and time

  const std::string path_;
  const std::string running_path_;
  const std::string done_path_;
  bool is_first_look_ = true;
  Looks last_look_{UINTMAX_MAX, {}};
  uint64_t text_bytes_ = 0;  // of the request, before the line on the progress
};

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_REWRITE_REQUEST_H_

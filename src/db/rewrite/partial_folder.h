// The folder that a rewritten database is written to: "NEWDIR.partial", renamed to NEWDIR last.
#ifndef BLOOMLINE_DB_REWRITE_PARTIAL_FOLDER_H_
#define BLOOMLINE_DB_REWRITE_PARTIAL_FOLDER_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/support/file_io.h"
#include "src/support/folder_io.h"

namespace bloomline::db {

// In errors of files whose writing a signal ended.
constexpr char kInterrupted[] = "ended by a signal";

// Limits the bytes that are written per second, on average since it began.
class Pace {
 public:
  explicit Pace(uint64_t bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  // Waits until so many bytes more may be written. Returns false if a signal came.
  bool Wait(uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;
  const uint64_t bytes_per_second_;  // 0: no limit
  const Clock::time_point start_ = Clock::now();
  uint64_t bytes_ = 0;
};

class PacedFile final : public support::OutputFile {
 public:
  explicit PacedFile(Pace* pace) : pace_(*pace) {}

  bool Append(const char* data, uint64_t n, std::string* error) override;

 private:
  Pace& pace_;
};

// How files come into the folder that are not written anew.
struct Copied {
  uint64_t linked = 0;
  uint64_t cloned = 0;
  uint64_t copied = 0;
  uint64_t copied_bytes = 0;
};

class PartialFolder {
 public:
  // The database's folder and the new one, both absolute.
  PartialFolder(std::string from, std::string target, bool clones, uint64_t bytes_per_second)
      : from_(std::move(from)),
        target_(std::move(target)),
        clones_(clones),
        pace_(bytes_per_second) {}
  // Removes the folder unless Commit has renamed it.
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::string& path() const { return path_; }
  const Copied& copied() const { return copied_; }

  bool Create(std::string* error);
  // Files of the old folder, by name. Where links cannot be had, Link copies.
  bool Link(const std::string& name, std::string* error);
  bool Copy(const std::string& name, std::string* error);
  // Writes a new file with the owner and mode of the old folder's file `like`. write(sink, error)
  // returns false if it failed.
  template <typename Write>
  bool Add(const std::string& name, const std::string& like, const Write& write,
           std::string* error) {
    PacedFile file(&pace_);
    return file.Create(path_ + "/" + name, /*is_private=*/true, error) && write(&file, error) &&
           support::TakeOwnerAndMode(file.path(), from_ + "/" + like, error) &&
           file.Close(support::DiskSync::kDone, error);
  }
  bool AddText(const std::string& name, std::string_view text, std::string* error);
  // Commit gives it the owner and mode of the old folder's.
  bool AddFolder(const std::string& name, std::string* error);
  // Returns when the disk has the folder under its name.
  bool Commit(std::string* error);

 private:
  const std::string from_;
  const std::string target_;
  const bool clones_;  // instead of linking and copying
  Pace pace_;
  std::vector<std::string> folders_;
  std::string path_;  // empty if there is no folder
  Copied copied_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_PARTIAL_FOLDER_H_

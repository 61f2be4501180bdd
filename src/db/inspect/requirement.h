// The requirement of `bloomline db inspect --require` for each file: filters of a format, also with
// a number of bits per key.
#ifndef BLOOMLINE_DB_INSPECT_REQUIREMENT_H_
#define BLOOMLINE_DB_INSPECT_REQUIREMENT_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

class Requirement {
 public:
  // Parses "compact" or "compact:10". Returns null, with *error, for other texts.
  static std::optional<Requirement> Parse(const std::string& text, std::string* error);

  // "compact filters with 10 bits per key".
  std::string Text() const;
  Format format() const { return format_; }
  std::optional<double> bits_per_key() const { return bits_per_key_; }

  // The bits may differ by 15 %, and by what each filter is rounded up to. A file without keys
  // meets any requirement.
  bool IsMetBy(const FileFacts& facts) const;

 private:
  Requirement(Format format, std::optional<double> bits_per_key);

  bool HasKind(const FileFacts& facts) const;
  bool HasBits(const FileFacts& facts) const;

  Format format_;
  std::optional<double> bits_per_key_;
  std::set<engine_filters::Kind> leveldb_kinds_;
  std::set<engine_filters::Kind> rocksdb_kinds_;
};

// Returns the done files of Inputs::files that do not meet it.
std::vector<size_t> FilesThatMiss(const Requirement& requirement, const Inputs& inputs,
                                  const std::vector<InspectedFile>& files);

void PrintMisses(const Requirement& requirement, const Inputs& inputs,
                 const std::vector<InspectedFile>& files, const std::vector<size_t>& misses,
                 bool with_all);
cli::Json MissesJson(const Requirement& requirement, const Inputs& inputs,
                     const std::vector<size_t>& misses);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_INSPECT_REQUIREMENT_H_

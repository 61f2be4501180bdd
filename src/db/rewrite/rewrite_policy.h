// The filters that `bloomline db rewrite` writes: what --policy says, and what that means for a
// column family and a file of it.
#ifndef BLOOMLINE_DB_REWRITE_REWRITE_POLICY_H_
#define BLOOMLINE_DB_REWRITE_REWRITE_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomline/filter_options.h"
#include "src/db/model/advice.h"
#include "src/db/survey/inspection.h"
#include "src/db/tables/table.h"
#include "src/filter/options/formats.h"

namespace bloomline::db {

struct RewritePolicy {
  Format format = filter::kRocksDBDefault;
  std::optional<double> bits_per_key;  // none: as much memory as the filters have now, or should
  bool by_level = false;
  bool without_filter = false;  // the others then mean nothing
};

// Parses the value of --policy. Returns false with *error, which names what is allowed, or
// the word that was probably meant.
bool ParseRewritePolicy(const std::string& text, tables::Engine engine, RewritePolicy* policy,
                        std::string* error);

// The bits per key of a column family's new filters.
class FamilyBits {
 public:
  // Without `policy`, takes the first of RocksDB's own filters that advise would choose. Returns
  // false with *error if there is none, or if the policy cannot be used in this family.
  bool Choose(const RewritePolicy* policy, const Inputs& inputs, const FamilyGroups& groups,
              std::string* error);

  Format format() const { return format_; }
  bool without_filter() const { return without_filter_; }
  double BitsOf(int level) const;
  // "RocksDB Bloom, 16.2 bits per key by level"; "RocksDB Ribbon, bits_per_key=10 (memory: 7.1)"
  std::string Text() const;
  // What files without filters, which count as wanted, add to the memory; 0: none, or not decided
  // here.
  uint64_t missing_bytes() const { return missing_bytes_; }
  // What RocksDB's program sets to get the same filters in new files.
  std::string OptionString() const;

 private:
  bool ChooseByAdvice(const model::Situation& situation, const Group& all, std::string* error);
  // `bytes_now` is the memory of the filters, missing ones included.
  bool ChooseAsked(const RewritePolicy& policy, uint64_t bytes_now, model::Situation situation,
                   std::string* error);
  // Takes the first choice of advise for which is_fit(choice) is true. Returns false if there is
  // none.
  template <typename IsFit>
  bool TakeAdvice(const model::Situation& situation, const model::Request& request,
                  std::string* error, IsFit is_fit);

  Format format_ = filter::kRocksDBDefault;
  double bits_per_key_ = 0;
  bool by_level_ = false;
  uint64_t missing_bytes_ = 0;
  bool without_filter_ = false;
  std::vector<double> bits_of_level_;  // by level, if they differ
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REWRITE_POLICY_H_

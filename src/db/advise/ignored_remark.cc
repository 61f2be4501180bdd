#include "src/db/advise/ignored_remark.h"

#include "src/cli/shared/printable.h"
#include "src/cli/shared/quantity.h"

namespace bloomline::db {

std::string IgnoredRemark(const Inspection& inspection, size_t group) {
  const Group& all = inspection.groups[group].all;
  if (all.ignored_files == 0) return "";
  const RunningPolicy& policy = inspection.policies[group];
  return "The running policy (" + policy.from + ": " + cli::Printable(policy.name) +
         ") ignores the filters of " + cli::CountText(all.ignored_files) + " of " +
         cli::CountText(all.files) +
         " files. A Get of a missing key reads these files as if they had no filter, and the row "
         "\"now\" counts these reads. The policy that wrote the filters would use them.";
}

}  // namespace bloomline::db

#include "src/db/verify/remedies.h"

#include <cerrno>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace bloomline::db {
namespace {

// The worst first, as they are printed.
enum Remedy { kDamage, kSystem, kUnknownForm, kPermission, kResources, kNone };
constexpr const char* kTexts[] = {
    "Restore damaged and missing files from a backup: their keys are at risk, and a compaction "
    "that reads such a file can stop all writes.",
    "If the system reports its error again, look at its log and the disk, and restore the file "
    "from a backup if it cannot be read: its keys are at risk.",
    "A file in a form that bloomline does not know need not be damaged: the program that wrote it "
    "can tell.",
    "Run the command again as a user who may read the files. Nothing is known of their keys, and "
    "nothing says that they are at risk.",
    "The system lacked memory or open files: run the command again with fewer --threads, or raise "
    "the limit (ulimit)."};

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Returns the errno whose meaning ends the text, as in support::SystemFailure; 0: none.
int SystemCode(std::string_view error) {
  constexpr int kMostCodes = 200;
  for (int code = 1; code < kMostCodes; ++code) {
    if (EndsWith(error, ": " + std::generic_category().message(code))) return code;
  }
  return 0;
}

bool IsUnknownForm(std::string_view error) {
  // Error texts of src/db/sstable about unsupported tables contain these words.
  for (const std::string_view part :
       {" are known", "; LevelDB's are ", "not RocksDB's own", "this program was built without it",
        "do not tell their size", ", and is no whole ", " has more than ", "newer than"}) {
    if (error.find(part) != error.npos) return true;
  }
  return false;
}

// Returns kNone if the error itself says what to do.
Remedy RemedyOf(std::string_view error, bool is_of_table) {
  switch (const int code = EndsWith(error, ": out of memory") ? ENOMEM : SystemCode(error); code) {
    case 0:
      break;
    case EACCES:
    case EPERM:
      return kPermission;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return kResources;
    default:
      return is_of_table ? kSystem : kNone;
  }
  const bool is_gone = error.find(kNoLongerExists) != error.npos;
  if (!is_of_table || is_gone) return kNone;
  return IsUnknownForm(error) ? kUnknownForm : kDamage;
}

}  // namespace

std::vector<const char*> Remedies(const Inputs& inputs) {
  std::set<Remedy> remedies;
  for (const std::string& error : inputs.errors) remedies.insert(RemedyOf(error, false));
  for (const InputFile& file : inputs.files) {
    if (file.state == FileState::kFailed) remedies.insert(RemedyOf(file.error, true));
  }
  remedies.erase(kNone);
  std::vector<const char*> texts;
  for (const Remedy remedy : remedies) texts.push_back(kTexts[remedy]);
  return texts;
}

}  // namespace bloomline::db

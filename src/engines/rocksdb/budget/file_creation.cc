#include "src/engines/rocksdb/budget/file_creation.h"

namespace bloomline {
namespace {

thread_local uint64_t account_of_creation = 0;

}  // namespace

void BeginFileCreation(uint64_t account_id) { account_of_creation = account_id; }

void EndFileCreation() { account_of_creation = 0; }

std::shared_ptr<FileAccount> TakeAccountOfCreation() {
  const uint64_t id = account_of_creation;
  account_of_creation = 0;
  return FileAccount::WithId(id);
}

}  // namespace bloomline

#include "src/engines/rocksdb/budget/file_creation.h"

#include <utility>

namespace bloomline {
namespace {

thread_local std::shared_ptr<FileAccount> account_of_creation;

}  // namespace

void BeginFileCreation(std::shared_ptr<FileAccount> account) {
  account_of_creation = std::move(account);
}

void EndFileCreation() { account_of_creation = nullptr; }

FileAccount* AccountOfCreation() { return account_of_creation.get(); }

}  // namespace bloomline

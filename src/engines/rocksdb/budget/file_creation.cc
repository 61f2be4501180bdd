#include "src/engines/rocksdb/budget/file_creation.h"

#include <utility>

namespace bloomline::engine {
namespace {

struct CreationOfThread {
  FileCreation creation;
  bool awaits_policy = false;
  bool awaits_collector = false;
};

CreationOfThread& OfThread() {
  thread_local CreationOfThread of_thread;
  return of_thread;
}

FileCreation TakeIf(bool* awaited) {
  return std::exchange(*awaited, false) ? OfThread().creation : FileCreation();
}

}  // namespace

void BeginFileCreation(FileCreation creation) { OfThread() = {std::move(creation), true, true}; }

FileCreation EndFileCreation() { return std::exchange(OfThread(), {}).creation; }

FileCreation TakeFileCreation(int level) {
  CreationOfThread& of_thread = OfThread();
  if (of_thread.awaits_policy) of_thread.creation.level = level;
  return TakeIf(&of_thread.awaits_policy);
}

FileCreation TakeFileCreationForCollector() { return TakeIf(&OfThread().awaits_collector); }

}  // namespace bloomline::engine

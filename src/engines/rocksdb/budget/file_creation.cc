#include "src/engines/rocksdb/budget/file_creation.h"

#include <utility>

namespace bloomline::engine {
namespace {

struct CreationOfThread {
  FileCreation creation;
  bool awaits_policy = false;
  bool awaits_collector = false;
};

// On the heap: the libraries of a process share little room for thread_local variables. A pointer
// needs no destructor, so that files that a thread writes while it ends have it, too.
thread_local CreationOfThread* of_thread = nullptr;

struct Deleter {
  ~Deleter() { delete std::exchange(of_thread, nullptr); }
};

CreationOfThread& OfThread() {
  if (of_thread == nullptr) {
    thread_local const Deleter deleter;
    of_thread = new CreationOfThread;
  }
  return *of_thread;
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

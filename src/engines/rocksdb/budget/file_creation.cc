#include "src/engines/rocksdb/budget/file_creation.h"

#include <utility>

namespace bloomline::engine {
namespace {

struct CreationOfThread {
  FileCreation creation;
  bool awaits_policy = false;
  bool awaits_collector = false;
};

// On the heap: the libraries of a process share little room for thread_local variables. These two
// need no destructor, so that a thread may write files until its very end.
thread_local CreationOfThread* of_thread = nullptr;
thread_local bool has_ended = false;

struct Deleter {
  ~Deleter() {
    delete std::exchange(of_thread, nullptr);
    has_ended = true;
  }
};

// Null: the thread ends, and its last files count as those of a database without an account.
CreationOfThread* OfThread() {
  if (of_thread == nullptr && !has_ended) {
    thread_local const Deleter deleter;
    of_thread = new CreationOfThread;
  }
  return of_thread;
}

FileCreation TakeIf(bool CreationOfThread::*awaited) {
  CreationOfThread* const thread = OfThread();
  if (thread == nullptr || !std::exchange(thread->*awaited, false)) return {};
  return thread->creation;
}

}  // namespace

void BeginFileCreation(FileCreation creation) {
  if (CreationOfThread* const thread = OfThread()) *thread = {std::move(creation), true, true};
}

FileCreation EndFileCreation() {
  CreationOfThread* const thread = OfThread();
  return thread == nullptr ? FileCreation() : std::exchange(*thread, {}).creation;
}

FileCreation TakeFileCreation(int level) {
  CreationOfThread* const thread = OfThread();
  if (thread != nullptr && thread->awaits_policy) thread->creation.level = level;
  return TakeIf(&CreationOfThread::awaits_policy);
}

FileCreation TakeFileCreationForCollector() { return TakeIf(&CreationOfThread::awaits_collector); }

}  // namespace bloomline::engine

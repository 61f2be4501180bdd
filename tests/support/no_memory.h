// An operator new that can be told to fail, for tests that link no_memory.cc.
#ifndef BLOOMLINE_TESTS_SUPPORT_NO_MEMORY_H_
#define BLOOMLINE_TESTS_SUPPORT_NO_MEMORY_H_

namespace bloomline::tests {

// While true, operator new fails in this thread.
extern thread_local bool no_memory;

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_NO_MEMORY_H_

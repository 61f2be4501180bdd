// Shows tests the memory in which builders keep hashes: it comes from operator new(std::nothrow),
// which nothrow_new.cc replaces.
#ifndef BLOOMLINE_TESTS_SUPPORT_NOTHROW_NEW_H_
#define BLOOMLINE_TESTS_SUPPORT_NOTHROW_NEW_H_

namespace bloomline::tests {

// Called with the memory of each such allocation of this thread, unless it is null.
extern thread_local void (*observe_nothrow_new)(char* memory);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_NOTHROW_NEW_H_

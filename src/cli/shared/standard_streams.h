// Handles a standard output that is full, closed or no longer read.
#ifndef BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_
#define BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

namespace bloomline::cli {

// Call this first. It gives each closed descriptor of 0, 1 and 2 a file
// (support::PrepareStandardDescriptors).
void PrepareStandardStreams();

// Hands the content of std::cout to the system. Returns false if the system does not take it, now
// or before.
bool FlushOutput();

// Call this last. Returns false if the system did not take all of it, with a message on stderr,
// unless the reader has just gone away (EPIPE), which is not an error.
bool CloseOutput();

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

// Standard output that is full, closed or no longer read.
#ifndef BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_
#define BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

namespace bloomline::cli {

// To be called first. A descriptor of 0, 1 and 2 that is closed gets a file of its own
// (support::PrepareStandardDescriptors).
void PrepareStandardStreams();

// Hands to the system what std::cout has. False if the system does not take it, now or before.
bool FlushOutput();

// To be called last. False if the system did not take all of it, with a message on stderr, unless
// the reader has gone away just now (EPIPE), which is no error.
bool CloseOutput();

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

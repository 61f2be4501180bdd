// Standard output that is full, closed or no longer read.
#ifndef BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_
#define BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

namespace bloomline::cli {

// To be called first. From then on std::cout keeps the reason of the first write that fails, and
// writes nothing more.
//
// Where descriptor 0, 1 or 2 is closed, the next file that is opened would get its number: keys
// would be read from the file that `build` is writing, or messages go there. So each gets a file of
// its own, in a mode in which its use fails.
void PrepareStandardStreams();

// Hands to the system what std::cout has. False if the system does not take it, now or before.
bool FlushOutput();

// To be called last. False if the system did not take all of it, with a message on stderr, unless
// the reader has gone away (EPIPE): then nobody wants to know.
bool CloseOutput();

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_STANDARD_STREAMS_H_

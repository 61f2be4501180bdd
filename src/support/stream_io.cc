#include "src/support/stream_io.h"

#include <algorithm>
#include <istream>
#include <limits>
#include <ostream>

namespace bloomline::support {
namespace {

// Runs `transfer` on a stream that has not failed. False if it has then.
template <typename Stream, typename Transfer>
bool Succeeds(Stream* stream, Transfer transfer) {
  if (!stream->good()) return false;
  try {
    transfer();
  } catch (...) {  // anything: the stream may have a buffer of the user's
    return false;
  }
  return stream->good();
}

constexpr uint64_t kMaxStreamTransfer = std::numeric_limits<std::streamsize>::max();

std::string InStream(const char* what, uint64_t n, uint64_t offset) {
  return std::string("stream: ") + what + " " + std::to_string(n) + " bytes at offset " +
         std::to_string(offset) + ": ";
}

}  // namespace

bool InputStream::ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const {
  const bool was_good = stream_->good();
  uint64_t read = 0;
  const bool readable = n <= kMaxStreamTransfer && Succeeds(stream_, [&] {
                          stream_->read(dst, static_cast<std::streamsize>(n));
                        });
  if (readable) return true;
  if (was_good) read = static_cast<uint64_t>(std::max<std::streamsize>(stream_->gcount(), 0));
  *error = InStream("cannot read", n, offset);
  if (!was_good) {
    *error += "it had failed or ended before";
  } else if (stream_->bad()) {
    *error += "it failed";
  } else {
    *error += "it ended after " + std::to_string(read) + " of them";
  }
  return false;
}

bool OutputStream::Append(const char* data, uint64_t n, std::string* error) {
  const bool was_good = stream_->good();
  if (n <= kMaxStreamTransfer &&
      Succeeds(stream_, [&] { stream_->write(data, static_cast<std::streamsize>(n)); })) {
    size_ += n;
    return true;
  }
  *error = InStream("cannot write", n, size_) + (was_good ? "it failed" : "it had failed before");
  return false;
}

bool OutputStream::Flush(std::string* error) {
  if (Succeeds(stream_, [&] { stream_->flush(); })) return true;
  *error = InStream("cannot flush", size_, 0) + "it failed";
  return false;
}

}  // namespace bloomline::support

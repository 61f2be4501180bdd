// Streams of the user's, which saved filters are read from and written to in one pass. No exception
// leaves these functions, also if the stream was told to throw.
#ifndef BLOOMLINE_SUPPORT_STREAM_IO_H_
#define BLOOMLINE_SUPPORT_STREAM_IO_H_

#include <cstdint>
#include <iosfwd>
#include <string>

#include "src/support/byte_io.h"

namespace bloomline::support {

class InputStream : public ByteSource {
 public:
  explicit InputStream(std::istream* stream) : stream_(stream) {}

  // `offset`, from where the stream was at first, is the end of the previous call. Reads no further
  // than n bytes, so the stream is then behind them.
  bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const override;

  uint64_t size() const override { return kUnknownSize; }
  const std::string& name() const override { return name_; }

 private:
  std::istream* const stream_;
  const std::string name_ = "stream";
};

class OutputStream : public ByteSink {
 public:
  explicit OutputStream(std::ostream* stream) : stream_(stream) {}

  bool Append(const char* data, uint64_t n, std::string* error) override;

  // A file stream learns only now that a disk is full.
  bool Flush(std::string* error);

 private:
  std::ostream* const stream_;
  uint64_t size_ = 0;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_STREAM_IO_H_

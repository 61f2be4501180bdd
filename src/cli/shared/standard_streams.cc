#include "src/cli/shared/standard_streams.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <streambuf>

#include "src/support/file_calls.h"
#include "src/support/process.h"
#include "src/support/system_error.h"

namespace bloomline::cli {
namespace {

// In place of the buffer of stdout: when that fails within a long output, it drops what it has, and
// errno is another call's by the time that anybody looks.
class OutputBuffer : public std::streambuf {
 public:
  OutputBuffer() { setp(bytes_, bytes_ + sizeof(bytes_)); }

  bool Flush() {
    for (const char* from = pbase(); error_ == 0 && from < pptr();) {
      const int64_t count = support::Uninterrupted([&] {
        return support::WriteSome(support::kStandardOutput, static_cast<size_t>(pptr() - from),
                                  from);
      });
      if (count < 0) error_ = errno;
      from += std::max<int64_t>(count, 0);
    }
    setp(bytes_, bytes_ + sizeof(bytes_));
    return error_ == 0;
  }

  void Close() {
    if (std::fflush(stdout) != 0 && error_ == 0) error_ = errno;  // should anybody use printf
    // Some file systems report only now that a disk or a quota is full.
    if (Flush() && support::CloseFile(support::kStandardOutput) != 0) error_ = errno;
  }

  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (!Flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override { return Flush() ? 0 : -1; }

 private:
  char bytes_[16 << 10];
  int error_ = 0;
};

// Never destroyed: std::cout is flushed after everything else.
OutputBuffer& Output() {
  static auto* const buffer = new OutputBuffer;
  return *buffer;
}

}  // namespace

void PrepareStandardStreams() {
  if (!support::PrepareStandardDescriptors()) std::_Exit(1);
  std::cout.rdbuf(&Output());
}

bool FlushOutput() { return Output().Flush(); }

bool CloseOutput() {
  Output().Close();
  const int error = Output().error();
  if (error != 0 && error != EPIPE) {
    std::fprintf(stderr, "bloomline: standard output: cannot be written: %s\n",
                 std::strerror(error));
  }
  return error == 0;
}

}  // namespace bloomline::cli

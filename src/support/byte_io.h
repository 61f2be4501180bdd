// Sources and targets of saved filters. The same reader and writer work on files (file_io.h) and on
// bytes in memory, which are here.
#ifndef BLOOMLINE_SUPPORT_BYTE_IO_H_
#define BLOOMLINE_SUPPORT_BYTE_IO_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bloomline::support {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads exactly n bytes from `offset` on. Returns false, with *error, if there are fewer.
  virtual bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const = 0;

  virtual uint64_t size() const = 0;
  virtual const std::string& name() const = 0;  // what errors begin with
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual bool Append(const char* data, uint64_t n, std::string* error) = 0;
};

// The bytes belong to the caller and must not change.
class InputBytes : public ByteSource {
 public:
  explicit InputBytes(std::string_view bytes) : bytes_(bytes) {}

  bool ReadAt(uint64_t offset, uint64_t n, char* dst, std::string* error) const override {
    const uint64_t available = offset < size() ? size() - offset : 0;
    if (n > available) {
      *error = name_ + ": cannot read " + std::to_string(n) + " bytes at offset " +
               std::to_string(offset) + ": only " + std::to_string(available) +
               (available == 1 ? " byte follows" : " bytes follow");
      return false;
    }
    std::memcpy(dst, bytes_.data() + offset, static_cast<size_t>(n));
    return true;
  }

  uint64_t size() const override { return bytes_.size(); }
  const std::string& name() const override { return name_; }

 private:
  const std::string_view bytes_;
  const std::string name_ = "bytes";
};

class OutputBytes : public ByteSink {
 public:
  // Takes memory for num_bytes at once, so that no byte is copied twice.
  explicit OutputBytes(uint64_t num_bytes) {
    bytes_.reserve(static_cast<size_t>(std::min<uint64_t>(num_bytes, SIZE_MAX)));
  }

  bool Append(const char* data, uint64_t n, std::string* /*error*/) override {
    bytes_.append(data, static_cast<size_t>(n));
    return true;
  }

  std::string* bytes() { return &bytes_; }

 private:
  std::string bytes_;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_BYTE_IO_H_

// Saves and loads filters, in files or bytes in memory. The filter says once for both what is
// written and read; this header opens, replaces and reports errors.
#ifndef BLOOMLINE_SETS_SAVE_AND_LOAD_H_
#define BLOOMLINE_SETS_SAVE_AND_LOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/support/byte_io.h"
#include "src/support/file_io.h"
#include "src/support/set_error.h"

namespace bloomline::sets {

// `saved` has AppendTo, which appends the whole filter, and SavedBytes, its length. If the filter
// cannot be written, this returns false, with *error unless that is null, and leaves the old file,
// or *bytes, alone.
template <typename Saved>
bool SaveToFile(const std::string& path, std::string* error, const Saved& saved) {
  return support::OrError(error, [&](std::string* reason) {
    support::ReplacementFile file;
    return file.Open(path, reason) && saved.AppendTo(&file, reason) && file.Commit(reason);
  });
}

template <typename Saved>
bool SaveToBytes(std::string* bytes, std::string* error, const Saved& saved) {
  return support::OrError(error, [&](std::string* reason) {
    support::OutputBytes output(saved.SavedBytes());
    if (!saved.AppendTo(&output, reason)) return false;
    bytes->swap(*output.bytes());
    return true;
  });
}

// `read` returns the filter that the source holds, or null, with *error. Returns null, with *error
// unless that is null, if it cannot be read.
template <typename Filter>
using Reader = std::unique_ptr<Filter> (*)(const support::ByteSource& source, std::string* error);

template <typename Filter>
std::unique_ptr<Filter> LoadFromFile(const std::string& path, std::string* error,
                                     Reader<Filter> read) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<Filter> {
    support::InputFile file;
    return file.Open(path, reason) ? read(file, reason) : nullptr;
  });
}

template <typename Filter>
std::unique_ptr<Filter> LoadFromBytes(std::string_view bytes, std::string* error,
                                      Reader<Filter> read) {
  return support::OrError(
      error, [&](std::string* reason) { return read(support::InputBytes(bytes), reason); });
}

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_SAVE_AND_LOAD_H_

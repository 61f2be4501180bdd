// Keys from files, pipes and standard input, as a stream.
#ifndef BLOOMLINE_TOOL_KEY_READER_H_
#define BLOOMLINE_TOOL_KEY_READER_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::tool {

// The form of keys in a file. In the first two, the last key may lack its end.
enum class KeyForm {
  kLines,          // each ends with a newline; a carriage return before it belongs to the key
  kNull,           // each ends with a zero byte
  kLengthPrefixed  // each follows its length: 4 bytes, little-endian
};

// Appends the key in the given form, with its end or length.
void AppendKey(KeyForm form, std::string_view key, std::string* output);

// Reads all keys of some files, one file after the other. No key is dropped, and no key spans two
// files. Memory: a buffer of some 100 KiB, and twice the longest key.
class KeyReader {
 public:
  // "-" means standard input, and so does an empty list.
  KeyReader(KeyForm form, std::vector<std::string> paths);
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // Sets *keys to the keys that one read completed, so that their answers need not wait for more
  // input. They are valid until the next call. Returns false at the end, and with *error on errors.
  bool Next(std::vector<std::string_view>* keys, std::string* error);

  uint64_t num_keys() const { return num_keys_; }
  uint64_t bytes_read() const { return bytes_read_; }
  // The size of all files; 0 if one of them is not a regular file.
  uint64_t total_bytes() const { return total_bytes_; }

  // Returns the name, for errors, of the input that is the same file as `path`; empty if none is.
  std::string Reads(const std::string& path) const;

 private:
  bool OpenNext(std::string* error);
  bool Fill(bool* at_end, std::string* error);
  void Split(bool at_end, std::vector<std::string_view>* keys);
  bool SplitLengthPrefixed(bool at_end, std::vector<std::string_view>* keys, std::string* error);

  const KeyForm form_;
  const std::vector<std::string> paths_;
  size_t next_path_ = 0;
  int descriptor_ = -1;
  std::string name_;          // of the open file, for errors
  uint64_t keys_before_ = 0;  // keys in the files before the open one
  uint64_t file_bytes_ = 0;   // bytes read so far from the open file
  std::string buffer_;        // [begin_, end_) has been read but not returned
  size_t begin_ = 0, end_ = 0;
  size_t searched_ = 0;  // no key ends in [begin_, searched_)
  uint64_t num_keys_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t total_bytes_ = 0;
};

// The options --null and --length-prefixed. *form must live until the command has run.
void AddKeyFormOptions(CLI::App* command, KeyForm* form);

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_KEY_READER_H_

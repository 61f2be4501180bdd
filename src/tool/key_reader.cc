#include "src/tool/key_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/filter/bits/bytes.h"
#include "src/support/file_io.h"
#include "src/support/set_error.h"

namespace bloomline::tool {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kReadBytes = 128 << 10;
// Without a limit, the first line of an endless file such as /dev/zero would take all memory.
constexpr size_t kMaxKeyBytes = 64 << 20;

bool IsStandardInput(const std::string& path) { return path == "-"; }

bool StatusOf(const std::string& path, support::FileStatus* status) {
  return IsStandardInput(path) ? support::Examine(support::kStandardInput, status)
                               : support::Examine(path, status);
}

}  // namespace

void AppendKey(KeyForm form, std::string_view key, std::string* output) {
  if (form == KeyForm::kLengthPrefixed) {
    for (size_t i = 0; i < kLengthBytes; ++i) {
      output->push_back(static_cast<char>(key.size() >> 8 * i & 0xff));
    }
  }
  *output += key;
  if (form != KeyForm::kLengthPrefixed) output->push_back(form == KeyForm::kNull ? '\0' : '\n');
}

KeyReader::KeyReader(KeyForm form, std::vector<std::string> paths)
    : form_(form), paths_(paths.empty() ? std::vector<std::string>{"-"} : std::move(paths)) {
  for (const std::string& path : paths_) {
    support::FileStatus status;
    if (!StatusOf(path, &status) || status.kind != support::FileKind::kRegular) {
      total_bytes_ = 0;
      break;
    }
    total_bytes_ += status.size;
  }
}

KeyReader::~KeyReader() {
  if (descriptor_ > support::kStandardInput) support::CloseFile(descriptor_);
}

std::string KeyReader::Reads(const std::string& path) const {
  support::FileStatus wanted;
  if (!StatusOf(path, &wanted)) return "";
  for (const std::string& mine : paths_) {
    support::FileStatus status;
    if (StatusOf(mine, &status) && status.device == wanted.device &&
        status.number == wanted.number) {
      return IsStandardInput(mine) ? "standard input" : "'" + mine + "'";
    }
  }
  return "";
}

bool KeyReader::OpenNext(std::string* error) {
  const std::string& path = paths_[next_path_++];
  name_ = IsStandardInput(path) ? "standard input" : path;
  keys_before_ = num_keys_;
  file_bytes_ = 0;
  begin_ = end_ = searched_ = 0;
  if (support::HasZeroByte(path, error)) return false;
  descriptor_ = IsStandardInput(path) ? support::kStandardInput : support::Uninterrupted([&] {
    return support::OpenFile(path, support::NoWriter::kWait);
  });
  return descriptor_ >= 0 || support::SystemFailure(name_, "cannot be opened", error);
}

// Reads once. First moves the unread rest of the buffer to its front; if that leaves too little
// room, the buffer doubles. So a long key that takes many reads is moved only a few times.
bool KeyReader::Fill(bool* at_end, std::string* error) {
  if (begin_ != 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  searched_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < kReadBytes / 2) buffer_.resize(std::max(kReadBytes, 2 * end_));
  const int64_t count = support::Uninterrupted(
      [&] { return support::ReadSome(descriptor_, buffer_.size() - end_, buffer_.data() + end_); });
  if (count < 0) return support::SystemFailure(name_, "cannot be read", error);
  end_ += static_cast<size_t>(count);
  bytes_read_ += static_cast<uint64_t>(count);
  file_bytes_ += static_cast<uint64_t>(count);
  *at_end = count == 0;
  return true;
}

bool KeyReader::SplitLengthPrefixed(bool at_end, std::vector<std::string_view>* keys,
                                    std::string* error) {
  while (end_ - begin_ >= kLengthBytes) {
    const size_t length = kernels::LoadLittleEndian32(buffer_.data() + begin_);
    if (end_ - begin_ - kLengthBytes < length) break;
    keys->emplace_back(buffer_.data() + begin_ + kLengthBytes, length);
    begin_ += kLengthBytes + length;
  }
  searched_ = begin_;
  if (!at_end || begin_ == end_) return true;
  const bool has_length = end_ - begin_ >= kLengthBytes;
  *error = name_ + ": ends within a key: " + std::to_string(end_ - begin_) +
           " bytes follow offset " + std::to_string(file_bytes_ - (end_ - begin_)) +
           (has_length ? ", where a key of " +
                             std::to_string(kernels::LoadLittleEndian32(buffer_.data() + begin_)) +
                             " bytes and its length begin"
                       : "; a length has 4");
  return false;
}

void KeyReader::Split(bool at_end, std::vector<std::string_view>* keys) {
  const char end_byte = form_ == KeyForm::kNull ? '\0' : '\n';
  const char* const data = buffer_.data();
  while (searched_ < end_) {
    const void* const found = std::memchr(data + searched_, end_byte, end_ - searched_);
    if (found == nullptr) break;
    const auto key_end = static_cast<size_t>(static_cast<const char*>(found) - data);
    keys->emplace_back(data + begin_, key_end - begin_);
    begin_ = searched_ = key_end + 1;
  }
  searched_ = end_;
  if (!at_end || begin_ == end_) return;
  keys->emplace_back(data + begin_, end_ - begin_);
  begin_ = end_;
}

bool KeyReader::Next(std::vector<std::string_view>* keys, std::string* error) {
  keys->clear();
  while (keys->empty()) {
    if (descriptor_ < 0) {
      if (next_path_ == paths_.size()) return false;
      if (!OpenNext(error)) return false;
    }
    bool at_end = false;
    if (!Fill(&at_end, error)) return false;
    if (form_ != KeyForm::kLengthPrefixed) {
      Split(at_end, keys);
    } else if (!SplitLengthPrefixed(at_end, keys, error)) {
      return false;
    }
    num_keys_ += keys->size();
    if (end_ - begin_ > kMaxKeyBytes) {
      *error = name_ + ": key " + std::to_string(num_keys_ - keys_before_ + 1) +
               " is longer than " + std::to_string(kMaxKeyBytes) + " bytes, the most that is read";
      return false;
    }
    if (!at_end) continue;
    if (descriptor_ != support::kStandardInput) support::CloseFile(descriptor_);
    descriptor_ = -1;
  }
  return true;
}

void AddKeyFormOptions(CLI::App* command, KeyForm* form) {
  *form = KeyForm::kLines;
  const auto add = [&](const std::string& name, KeyForm named, const std::string& help) {
    return command->add_flag_callback(
        name, [form, named] { *form = named; }, help);
  };
  add("-0,--null", KeyForm::kNull, "Keys end with a zero byte, not a newline")
      ->excludes(add("--length-prefixed", KeyForm::kLengthPrefixed,
                     "Each key follows its length: 4 bytes, little-endian"));
}

}  // namespace bloomline::tool

// The records of a MANIFEST: LevelDB's log format (doc/log_format.md) with RocksDB's additions
// (db/log_format.h). Reads what the file has when it is opened, block by block.
//
//   block:  32 KiB of fragments; fewer than 7 bytes at its end are filled with zeros
//   fragment:  masked CRC-32C (4) length (2) type (1) [log number (4)] payload
#ifndef BLOOMLINE_DB_DIRECTORY_RECORD_LOG_H_
#define BLOOMLINE_DB_DIRECTORY_RECORD_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/support/file_io.h"

namespace bloomline::directory {

class RecordLog {
 public:
  bool Open(const std::string& path, std::string* error) { return file_.Open(path, error); }

  // The next whole record; it lives until the next call. False at the end, and if the rest cannot
  // be read: then error() is not empty.
  //
  // A fragment that its file does not hold in full is the end: its owner is writing it, or died
  // then. So are zeros up to the end of the file. Everything else that is wrong is damage.
  bool Next(std::string_view* record);

  const std::string& error() const { return error_; }
  uint64_t record_offset() const { return record_offset_; }  // of the last record
  uint64_t size() const { return file_.size(); }             // of the file when it was opened

 private:
  struct Fragment {
    int type;
    std::string_view payload;
    uint64_t offset;
  };
  enum class Header { kGood, kZeros, kTooLong, kBadChecksum };

  bool ReadBlock();
  bool NextFragment(Fragment* fragment);
  Header ParseAt(size_t position, Fragment* fragment) const;
  bool HasFragmentBehind() const;
  bool Damaged(uint64_t offset, const std::string& what);  // false

  support::InputFile file_;
  std::string block_;
  uint64_t block_offset_ = 0;
  size_t position_ = 0;  // in the block
  std::string record_;
  uint64_t record_offset_ = 0;
  bool in_record_ = false;
  std::string error_;
};

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_RECORD_LOG_H_

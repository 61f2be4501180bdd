#include "src/db/rewrite/partial_folder.h"

#include <filesystem>
#include <system_error>
#include <thread>

#include "src/support/number_text.h"

namespace bloomline::db {

namespace fs = std::filesystem;

bool Pace::Wait(uint64_t bytes) {
  constexpr std::chrono::milliseconds kNap(20);  // then a signal is noticed
  bytes_ += bytes;
  while (support::EndingSignal() == 0) {
    if (bytes_per_second_ == 0) return true;
    const std::chrono::duration<double> since = Clock::now() - start_;
    const double due = static_cast<double>(bytes_) / static_cast<double>(bytes_per_second_);
    if (since.count() >= due) return true;
    std::this_thread::sleep_for(kNap);
  }
  return false;
}

bool PacedFile::Append(const char* data, uint64_t n, std::string* error) {
  return pace_.Wait(n) ? OutputFile::Append(data, n, error) : support::Refuse(error, kInterrupted);
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

bool PartialFolder::Create(std::string* error) {
  const std::string path = target_ + ".partial";
  std::error_code code;
  const bool is_new = fs::create_directory(path, code);
  if (code || !is_new) {
    return support::Refuse(error, path,
                           ": cannot be created: ", code ? code.message() : "it now exists");
  }
  path_ = path;
  fs::permissions(path_, fs::perms::owner_all, code);  // nobody else looks at half a database
  return !code || support::Refuse(error, path_, ": cannot be made private: ", code.message());
}

bool PartialFolder::Link(const std::string& name, std::string* error) {
  std::error_code code;
  if (clones_) return Copy(name, error);
  fs::create_hard_link(from_ + "/" + name, path_ + "/" + name, code);
  copied_.linked += !code;
  return !code || Copy(name, error);
}

bool PartialFolder::Copy(const std::string& name, std::string* error) {
  const auto write = [&](PacedFile* out, std::string* why) {
    const std::string from = from_ + "/" + name;
    const bool is_cloned = clones_ && support::CloneBytes(from, out->descriptor());
    ++(is_cloned ? copied_.cloned : copied_.copied);
    if (is_cloned) return true;
    support::InputFile file;
    if (!file.Open(from, why)) return false;
    copied_.copied_bytes += file.size();
    return support::AppendPart(file, 0, file.size(), out, why);
  };
  return Add(name, name, write, error);
}

bool PartialFolder::AddText(const std::string& name, std::string_view text, std::string* error) {
  const auto write = [&](PacedFile* out, std::string* why) {
    return out->Append(text.data(), text.size(), why);
  };
  return Add(name, name, write, error);
}

bool PartialFolder::AddFolder(const std::string& name, std::string* error) {
  std::error_code code;
  fs::create_directory(path_ + "/" + name, code);
  folders_.push_back(name);
  return !code || support::Refuse(error, path_, "/", name, ": cannot be created: ", code.message());
}

bool PartialFolder::Commit(std::string* error) {
  folders_.emplace_back();  // the folder itself
  for (const std::string& name : folders_) {
    const std::string path = path_ + "/" + name;
    if (!support::TakeOwnerAndMode(path, from_ + "/" + name, error) ||
        !support::SyncFolder(path, error)) {
      return false;
    }
  }
  if (support::EndingSignal() != 0) return support::Refuse(error, kInterrupted);
  if (!support::RenameNew(path_, target_, error)) return false;
  if (support::SyncFolder(fs::path(target_).parent_path(), error)) {
    path_.clear();
    return true;
  }
  std::string ignored;
  if (!support::RenameNew(target_, path_, &ignored)) {
    *error += "; " + target_ + " is there, but a power failure may remove it";
    path_.clear();
  }
  return false;  // path_ is removed
}

}  // namespace bloomline::db

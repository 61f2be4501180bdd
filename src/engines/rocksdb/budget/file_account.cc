#include "src/engines/rocksdb/budget/file_account.h"

#include <algorithm>

namespace bloomline::engine {

using filter::Count;

FileAccount::~FileAccount() { Show(nullptr, 0); }

FileAccount::DatabaseFiles* FileAccount::Find(const std::string& database) {
  const auto found = databases_.find(database);
  return found == databases_.end() ? nullptr : &found->second;
}

void FileAccount::Count(const File& file, uint64_t times) {
  num_awaited_ += file.is_awaited ? times : 0;
  sums_.unfiltered_keys += times * file.unfiltered_keys;
  if (file.job != kNoJob) return;
  if (shown_in_ != nullptr) shown_in_->Add(Count::kMemoryBytes, times * file.filter.bytes);
  sums_.bytes += times * file.filter.bytes;
  sums_.keys += times * file.filter.keys;
  if (file.share == 0) return;
  sums_.dated_keys += times * file.filter.keys;
  sums_.dated_shares += times * file.share;
}

void FileAccount::AddPending(DatabaseFiles* database, int job, uint64_t keys_read,
                             uint64_t keys_written) {
  const auto found = database->jobs.find(job);
  if (found == database->jobs.end()) return;
  sums_.pending_keys -= found->second.pending_keys();
  found->second.keys_read += keys_read;
  found->second.keys_written += keys_written;
  sums_.pending_keys += found->second.pending_keys();
}

void FileAccount::Erase(DatabaseFiles* database, std::map<uint64_t, File>::iterator file) {
  Discount(file->second);
  database->files.erase(file);
}

void FileAccount::BeginDatabase(const std::string& database) {
  const std::lock_guard lock(mutex_);
  if (databases_.try_emplace(database).second) ++num_awaited_;
}

void FileAccount::EndDatabase(const std::string& database) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  if (!found->second.is_listed) --num_awaited_;
  for (const auto& [number, file] : found->second.files) Discount(file);
  for (const auto& [id, job] : found->second.jobs) sums_.pending_keys -= job.pending_keys();
  databases_.erase(found);
  if (databases_.empty()) Show(nullptr, 0);
}

void FileAccount::Create(const std::string& database, uint64_t number, int job,
                         const FilterSize& filter) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto [file, is_new] = changed->files.try_emplace(number);
  if (!is_new) Discount(file->second);
  const auto keys = static_cast<double>(filter.keys);
  const auto live_keys = static_cast<double>(sums_.keys + sums_.pending_keys);
  File created;
  created.filter = filter;
  if (filter.keys != 0) {
    const double share = keys / std::max(live_keys, keys);
    created.share = static_cast<uint64_t>(share * FileSums::kAllKeys);
  }
  file->second = created;
  Count(created);
  AddPending(changed, job, 0, filter.keys);
}

void FileAccount::Find(const std::string& database, uint64_t number, const FilterSize& filter) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  File found;
  found.filter = filter;
  if (changed->files.try_emplace(number, found).second) Count(found);
}

void FileAccount::Remove(const std::string& database, uint64_t number) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto file = changed->files.find(number);
  if (file != changed->files.end()) Erase(changed, file);
}

void FileAccount::BeginCompaction(const std::string& database, int job, const FileNumbers& inputs) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  changed->jobs.try_emplace(job);
  for (const uint64_t number : inputs) {
    const auto file = changed->files.find(number);
    if (file == changed->files.end() || file->second.job == job) continue;
    Discount(file->second);
    file->second.job = job;
    Count(file->second);
    AddPending(changed, job, file->second.filter.keys, 0);
  }
}

void FileAccount::EndCompaction(const std::string& database, int job, bool succeeded,
                                const FileNumbers& inputs, const FileNumbers& outputs) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto ended = changed->jobs.find(job);
  if (ended != changed->jobs.end()) {
    sums_.pending_keys -= ended->second.pending_keys();
    changed->jobs.erase(ended);
  }
  for (const uint64_t number : inputs) {
    const auto file = changed->files.find(number);
    if (file == changed->files.end()) continue;
    if (succeeded && std::find(outputs.begin(), outputs.end(), number) == outputs.end()) {
      Erase(changed, file);
    } else if (file->second.job == job) {  // not of a compaction that began before this ended
      Discount(file->second);
      file->second.job = kNoJob;
      Count(file->second);
    }
  }
}

FileAccount::FileNumbers FileAccount::Await(const std::string& database, const FileNumbers& live) {
  const std::lock_guard lock(mutex_);
  FileNumbers awaited;
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return awaited;
  if (!changed->is_listed) --num_awaited_;
  changed->is_listed = true;
  File file;
  file.is_awaited = true;
  for (const uint64_t number : live) {
    if (!changed->files.try_emplace(number, file).second) continue;
    Count(file);
    awaited.push_back(number);
  }
  return awaited;
}

void FileAccount::Read(const std::string& database, uint64_t number, const FilterSize& filter) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto file = changed->files.find(number);
  if (file == changed->files.end() || !file->second.is_awaited) return;
  Discount(file->second);
  file->second.is_awaited = false;
  if (filter.bytes == 0) {
    file->second.unfiltered_keys = filter.keys;
  } else {
    file->second.filter = filter;
  }
  Count(file->second);
  AddPending(changed, file->second.job, file->second.filter.keys, 0);
}

bool FileAccount::is_complete() const {
  const std::lock_guard lock(mutex_);
  return num_awaited_ == 0;
}

FileSums FileAccount::sums() const {
  const std::lock_guard lock(mutex_);
  return sums_;
}

bool FileAccount::Describe(const FileCreation&, int, double, bool, filter::TreeFill*,
                           filter::NewFilter*) const {
  return false;
}

void FileAccount::SetBits(const FileCreation&, double) {}

bool FileAccount::MergesFlushes(const FileCreation&) const { return false; }

void FileAccount::ShowIn(filter::FilterCounts* counts, uint64_t limit_bytes) {
  const std::lock_guard lock(mutex_);
  Show(shown_in_ == nullptr ? counts : shown_in_, limit_bytes);
}

void FileAccount::Show(filter::FilterCounts* counts, uint64_t limit_bytes) {
  if (counts == shown_in_ && limit_bytes == shown_limit_bytes_) return;
  // The new values are shown before the old ones go, so a reader of the metrics never finds none.
  if (counts != nullptr) {
    counts->Add(Count::kMemoryLimitBytes, limit_bytes);
    if (counts != shown_in_) counts->Add(Count::kMemoryBytes, sums_.bytes);
  }
  if (shown_in_ != nullptr) {
    shown_in_->Lower(Count::kMemoryLimitBytes, shown_limit_bytes_);
    if (counts != shown_in_) shown_in_->Lower(Count::kMemoryBytes, sums_.bytes);
  }
  shown_in_ = counts;
  shown_limit_bytes_ = limit_bytes;
}

}  // namespace bloomline::engine

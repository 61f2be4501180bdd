#include "src/engines/rocksdb/budget/file_account.h"

#include <algorithm>
#include <exception>
#include <iterator>

namespace bloomline {
namespace {

void Add(const FilterSums& filter, FilterSums* sums) {
  sums->bytes += filter.bytes;
  sums->keys += filter.keys;
}

void Subtract(const FilterSums& filter, FilterSums* sums) {
  sums->bytes -= filter.bytes;
  sums->keys -= filter.keys;
}

}  // namespace

std::mutex FileAccount::all_mutex_;
FileAccount* FileAccount::all_ = nullptr;
uint64_t FileAccount::last_id_ = 0;

FileAccount::FileAccount() {
  const std::lock_guard lock(all_mutex_);
  id_ = ++last_id_;
  next_ = all_;
  all_ = this;
}

FileAccount::~FileAccount() {
  Show(nullptr, kNoFamily, 0);
  const std::lock_guard lock(all_mutex_);
  FileAccount** link = &all_;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

std::shared_ptr<FileAccount> FileAccount::WithId(uint64_t id) {
  if (id == 0) return nullptr;  // before the mutex, which all threads share
  const std::lock_guard lock(all_mutex_);
  for (FileAccount* account = all_; account != nullptr; account = account->next_) {
    if (account->id_ == id) return account->weak_from_this().lock();
  }
  return nullptr;
}

void FileAccount::Count(const File& file) {
  if (file.is_live && shown_in_ != nullptr) {
    shown_in_->Raise(filter::Count::kMemoryBytes, file.filter.bytes);
  }
  for (const View view : {kAllFiles, kFilteredFiles}) {
    FileSums& sums = sums_[view];
    const FilterSums filter = file.In(view);
    if (file.is_live) Add(filter, &sums.live);
    if (file.num_compactions != 0) continue;
    Add(filter, &sums.settled);
    if (file.shares[view] == 0) continue;
    sums.dated_keys += filter.keys;
    sums.dated_shares += file.shares[view];
  }
}

void FileAccount::Discount(const File& file) {
  if (file.is_live && shown_in_ != nullptr) {
    shown_in_->Lower(filter::Count::kMemoryBytes, file.filter.bytes);
  }
  for (const View view : {kAllFiles, kFilteredFiles}) {
    FileSums& sums = sums_[view];
    const FilterSums filter = file.In(view);
    if (file.is_live) Subtract(filter, &sums.live);
    if (file.num_compactions != 0) continue;
    Subtract(filter, &sums.settled);
    if (file.shares[view] == 0) continue;
    sums.dated_keys -= filter.keys;
    sums.dated_shares -= file.shares[view];
  }
}

template <typename F>
void FileAccount::Change(Database* database, uint64_t number, F change) {
  const auto found = database->files.find(number);
  if (found == database->files.end()) return;
  Discount(found->second);
  change(&found->second);
  Count(found->second);
}

void FileAccount::Erase(Database* database, Files::iterator file) {
  Discount(file->second);
  database->files.erase(file);
}

// Needs no memory to subtract the file, only to remember that it was removed.
void FileAccount::RemoveFrom(Database* database, uint64_t number) {
  const auto found = database->files.find(number);
  if (found != database->files.end()) Erase(database, found);
  Removed& removed = database->removed;
  try {
    if (removed.numbers.insert(number).second) removed.order.push_back(number);
  } catch (const std::exception&) {  // bad_alloc: a late event of this file would count it again
    return;
  }
  while (database->num_counts == 0 && removed.order.size() > Removed::kMaxNumbers) {
    removed.numbers.erase(removed.order.front());
    removed.order.pop_front();
  }
}

void FileAccount::Create(const std::string& database, uint64_t number, int job, bool is_flush,
                         const FilterSums& filter) {
  const std::lock_guard lock(mutex_);
  Database& changed = databases_[database];
  if (changed.removed.numbers.count(number) != 0) return;
  const auto [file, is_new] = changed.files.try_emplace(number);
  const bool was_live = !is_new && file->second.is_live;
  if (!is_new) Discount(file->second);
  File created{filter};
  for (const View view : {kAllFiles, kFilteredFiles}) {
    const uint64_t keys = created.In(view).keys;
    const uint64_t live_keys = std::max(sums_[view].live.keys, keys);
    const double share =
        live_keys == 0 ? 0 : static_cast<double>(keys) / static_cast<double>(live_keys);
    created.shares[view] = static_cast<uint64_t>(share * FileSums::kAllKeys);
  }
  created.is_live = was_live || (!is_flush && changed.inputs_of_jobs.count(job) == 0);
  file->second = created;
  Count(file->second);
}

void FileAccount::EndFlush(const std::string& database, uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  Change(&found->second, number, [](File* file) { file->is_live = true; });
}

void FileAccount::Find(const std::string& database, uint64_t number, const FilterSums& filter) {
  const std::lock_guard lock(mutex_);
  Database& changed = databases_[database];
  if (changed.removed.numbers.count(number) != 0) return;
  const auto [file, is_new] = changed.files.try_emplace(number, File{filter});
  if (is_new) Count(file->second);
}

void FileAccount::Remove(const std::string& database, uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found != databases_.end()) RemoveFrom(&found->second, number);
}

void FileAccount::Release(Database* database, int job) {
  const auto found = database->inputs_of_jobs.find(job);
  if (found == database->inputs_of_jobs.end()) return;
  for (const uint64_t number : found->second) {
    Change(database, number, [](File* file) {
      if (file->num_compactions > 0) --file->num_compactions;
    });
  }
  database->inputs_of_jobs.erase(found);
}

void FileAccount::BeginCompaction(const std::string& database, int job, const Numbers& inputs) {
  const std::lock_guard lock(mutex_);
  Database& changed = databases_[database];
  Release(&changed, job);
  Numbers& known = changed.inputs_of_jobs[job];
  known.reserve(inputs.size());
  for (const uint64_t number : inputs) {
    // An input that is not known yet is found later, and then counts as settled.
    if (changed.files.count(number) == 0) continue;
    known.push_back(number);
    Change(&changed, number, [](File* file) {
      file->is_live = true;  // the end of the compaction that wrote it is late
      ++file->num_compactions;
    });
  }
}

void FileAccount::EndCompaction(const std::string& database, int job, bool succeeded,
                                const Numbers& inputs, Numbers outputs) {
  const std::lock_guard lock(mutex_);
  Database& changed = databases_[database];
  Release(&changed, job);
  if (!succeeded) return;  // RocksDB deletes the outputs
  for (const uint64_t number : outputs) {
    Change(&changed, number, [](File* file) { file->is_live = true; });
  }
  std::sort(outputs.begin(), outputs.end());
  for (const uint64_t number : inputs) {
    if (!std::binary_search(outputs.begin(), outputs.end(), number)) RemoveFrom(&changed, number);
  }
}

void FileAccount::BeginCount(const std::string& database) {
  const std::lock_guard lock(mutex_);
  ++databases_[database].num_counts;
}

FileAccount::Numbers FileAccount::NotKnown(const std::string& database, const Numbers& live,
                                           bool others_are_gone) {
  const std::lock_guard lock(mutex_);
  Database& changed = databases_[database];
  if (others_are_gone) {
    const std::set<uint64_t> all(live.begin(), live.end());
    for (auto file = changed.files.begin(); file != changed.files.end();) {
      const auto next = std::next(file);
      if (all.count(file->first) == 0) Erase(&changed, file);
      file = next;
    }
  }
  Numbers unknown;
  for (const uint64_t number : live) {
    if (changed.files.count(number) != 0) {
      Change(&changed, number, [](File* file) { file->is_live = true; });
    } else if (changed.removed.numbers.count(number) == 0) {
      unknown.push_back(number);
    }
  }
  return unknown;
}

void FileAccount::EndCount(const std::string& database) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found != databases_.end() && found->second.num_counts > 0) --found->second.num_counts;
}

void FileAccount::Forget(const std::string& database) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  Files& files = found->second.files;
  while (!files.empty()) Erase(&found->second, files.begin());
  databases_.erase(found);
  shown_family_ = kNoFamily;  // it may have been of this database
}

FileSums FileAccount::sums() const {
  const std::lock_guard lock(mutex_);
  return sums_[kAllFiles];
}

FileSums FileAccount::sums_of_filters() const {
  const std::lock_guard lock(mutex_);
  return sums_[kFilteredFiles];
}

uint64_t FileAccount::BytesOf(const std::string& database) const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  const auto found = databases_.find(database);
  if (found == databases_.end()) return bytes;
  for (const auto& [number, file] : found->second.files) {
    if (file.is_live) bytes += file.filter.bytes;
  }
  return bytes;
}

void FileAccount::ShowIn(filter::FilterCounts* counts, uint64_t family, uint64_t limit_bytes) {
  const std::lock_guard lock(mutex_);
  if (shown_in_ == nullptr || shown_family_ == family) {
    Show(limit_bytes == 0 ? nullptr : counts, family, limit_bytes);
  } else if (limit_bytes != 0) {
    const bool has_ended = shown_family_ == kNoFamily;
    Show(has_ended ? counts : shown_in_, has_ended ? family : shown_family_, limit_bytes);
  }
}

void FileAccount::Show(filter::FilterCounts* counts, uint64_t family, uint64_t limit_bytes) {
  using filter::Count;
  shown_family_ = family;
  if (counts == shown_in_ && limit_bytes == shown_limit_bytes_) return;
  // The new values before the old ones go, so that a reader of the metrics never finds none.
  if (counts != nullptr) {
    counts->Raise(Count::kMemoryLimitBytes, limit_bytes);
    if (counts != shown_in_) counts->Raise(Count::kMemoryBytes, live_bytes());
  }
  if (shown_in_ != nullptr) {
    shown_in_->Lower(Count::kMemoryLimitBytes, shown_limit_bytes_);
    if (counts != shown_in_) shown_in_->Lower(Count::kMemoryBytes, live_bytes());
  }
  shown_in_ = counts;
  shown_limit_bytes_ = limit_bytes;
}

}  // namespace bloomline

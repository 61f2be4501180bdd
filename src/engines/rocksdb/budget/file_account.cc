#include "src/engines/rocksdb/budget/file_account.h"

#include <algorithm>
#include <iterator>

namespace bloomline::engine {
namespace {

using filter::Count;

// Where nothing is known: a key of 20 bytes, and a small value.
constexpr double kBytesOfKey = 100;

// A job may write another file though it has written about as many keys as it has read.
constexpr double kLeastPendingKeys = 500;

// Adds what is not written yet: in level 0, a file.
void AddFill(const filter::LevelFill& added, int level, filter::TreeFill* tree) {
  if (level < 0) return;
  const auto number = static_cast<size_t>(level);
  tree->levels.resize(std::max(tree->levels.size(), number + 1));
  tree->levels[number].keys += added.keys;
  tree->levels[number].memory_bits += added.memory_bits;
  tree->levels[number].assumed_keys += added.assumed_keys;
  if (level == 0) tree->top_keys.push_back(added.keys);
}

}  // namespace

FileAccount::~FileAccount() { Show(nullptr, 0); }

FileAccount::DatabaseFiles* FileAccount::Find(const std::string& database) {
  const auto found = databases_.find(database);
  return found == databases_.end() ? nullptr : &found->second;
}

const FileAccount::Family* FileAccount::Find(const FileCreation& creation) const {
  const auto database = databases_.find(creation.database);
  if (database == databases_.end()) return nullptr;
  const auto family = database->second.families.find(creation.family);
  return family == database->second.families.end() ? nullptr : &family->second;
}

double FileAccount::BytesOfKey(const Family& family) {
  uint64_t keys = family.known_keys;
  uint64_t bytes = family.known_bytes;
  if (keys == 0) {
    for (const auto& [name, other] : family.database->families) {
      keys += other.known_keys;
      bytes += other.known_bytes;
    }
  }
  if (keys == 0 || bytes == 0) return kBytesOfKey;
  return static_cast<double>(bytes) / static_cast<double>(keys);
}

filter::LevelFill FileAccount::FillOf(const Sums& sums, double bytes_of_key, double mean_bits) {
  const double guessed_keys = static_cast<double>(sums.unknown_bytes) / bytes_of_key;
  filter::LevelFill fill;
  fill.keys = static_cast<double>(sums.keys) + guessed_keys;
  fill.assumed_keys = static_cast<double>(sums.assumed_keys) + guessed_keys;
  fill.memory_bits = 8 * static_cast<double>(sums.filter_bytes) + fill.assumed_keys * mean_bits;
  return fill;
}

double FileAccount::PendingKeys(const Job& job, double bytes_of_key) {
  const double read = FillOf(job.read, bytes_of_key, 0).keys;
  const auto unfiltered = static_cast<double>(job.read.unfiltered_keys);
  return std::max(0.0, read + unfiltered - static_cast<double>(job.keys_written));
}

void FileAccount::AddJob(const Job& job, double bytes_of_key, double mean_bits,
                         filter::TreeFill* tree) {
  const filter::LevelFill read = FillOf(job.read, bytes_of_key, mean_bits);
  const double bits_read = read.keys > 0 ? read.memory_bits / read.keys : mean_bits;
  filter::LevelFill pending;
  pending.keys = PendingKeys(job, bytes_of_key);
  pending.memory_bits = pending.keys * job.bits.value_or(bits_read);
  // Until the job has ended: what it reads is live.
  const double all_keys = pending.keys + static_cast<double>(job.keys_written);
  pending.assumed_keys = std::min(read.assumed_keys, all_keys);
  const double output_bits = 8 * static_cast<double>(job.bytes_written) + pending.memory_bits;
  tree->replaced_bits += std::max(0.0, read.memory_bits - output_bits);
  if (pending.keys > 0 || pending.assumed_keys > 0) AddFill(pending, job.output_level, tree);
}

void FileAccount::Count(const Files::value_type& numbered, uint64_t times) {
  const auto& [number, file] = numbered;
  Family& family = *file.family;
  sums_.unfiltered_keys += times * file.unfiltered_keys;
  if (file.filter.keys != 0) {
    family.known_keys += times * file.filter.keys;
    family.known_bytes += times * file.file_bytes;
  }
  if (file.job != kNoJob) {
    Job& job = family.jobs[file.job];
    sums_.pending_keys -= job.pending_keys();
    CountIn(&job.read, file, times);
    sums_.pending_keys += job.pending_keys();
    return;
  }
  if (file.level >= 0) {
    const auto level = static_cast<size_t>(file.level);
    family.levels.resize(std::max(family.levels.size(), level + 1));
    CountIn(&family.levels[level], file, times);
    if (level == 0 && times == 1) family.top.emplace(number, &file);
    if (level == 0 && times != 1) family.top.erase(number);
  }
  if (shown_in_ != nullptr) shown_in_->Add(Count::kMemoryBytes, times * file.filter.bytes);
  sums_.bytes += times * file.filter.bytes;
  sums_.keys += times * file.filter.keys;
  if (file.share == 0) return;
  sums_.dated_keys += times * file.filter.keys;
  sums_.dated_shares += times * file.share;
}

void FileAccount::CountIn(Sums* sums, const File& file, uint64_t times) {
  sums->files += times;
  sums->keys += times * file.filter.keys;
  sums->filter_bytes += times * file.filter.bytes;
  sums->unfiltered_keys += times * file.unfiltered_keys;
  if (!file.is_assumed) return;
  sums->assumed_keys += times * file.filter.keys;
  if (file.filter.keys == 0) sums->unknown_bytes += times * file.file_bytes;
}

FileAccount::Family* FileAccount::FamilyOf(DatabaseFiles* database, const std::string& name) {
  Family& family = database->families[name];
  family.name = name;
  family.database = database;
  return &family;
}

FileAccount::Files::iterator FileAccount::Add(DatabaseFiles* database, Family* family,
                                              uint64_t number, File file) {
  file.family = family;
  ++family->num_files;
  const auto added = database->files.emplace(number, file).first;
  Count(*added);
  return added;
}

void FileAccount::Erase(DatabaseFiles* database, Files::iterator file) {
  Discount(*file);
  Family* const family = file->second.family;
  --family->num_files;
  EraseIfUnused(database, family);
  database->files.erase(file);
}

void FileAccount::EraseIfUnused(DatabaseFiles* database, Family* family) {
  if (family->num_files != 0 || !family->jobs.empty()) return;
  database->families.erase(database->families.find(family->name));
}

void FileAccount::SetLevel(Files::value_type* numbered, int level) {
  Discount(*numbered);
  numbered->second.level = level;
  Count(*numbered);
}

void FileAccount::SetJob(Files::value_type* numbered, int job) {
  Discount(*numbered);
  numbered->second.job = job;
  Count(*numbered);
}

void FileAccount::SetFilter(Files::value_type* numbered, const FilterSize& filter) {
  File& file = numbered->second;
  if (!file.is_assumed) return;
  Discount(*numbered);
  file.is_assumed = false;
  file.filter = filter.bytes == 0 ? FilterSize() : filter;
  file.unfiltered_keys = filter.bytes == 0 ? filter.keys : 0;
  Count(*numbered);
}

bool FileAccount::BeginDatabase(const std::string& database, const ListFiles& list,
                                bool lists_again) {
  const std::lock_guard lock(mutex_);
  const auto [begun, is_new] = databases_.try_emplace(database);
  DatabaseFiles& files = begun->second;
  if (!is_new && !(lists_again && files.must_list)) return false;
  files.must_list = false;
  for (const ListedFile& listed : list(&files.options)) {
    const auto known = files.files.find(listed.number);
    if (known != files.files.end()) {
      if (known->second.level != listed.level) SetLevel(&*known, listed.level);
      continue;
    }
    File file;
    file.filter.keys = listed.keys;
    file.file_bytes = listed.file_bytes;
    file.level = listed.level;
    file.is_assumed = true;
    Add(&files, FamilyOf(&files, listed.family), listed.number, file);
  }
  return true;
}

void FileAccount::ListAgain(const std::string& database) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed != nullptr) changed->must_list = true;
}

void FileAccount::BeginFamily(const std::string& database, const std::string& family, uint32_t id) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const Family* const known = FamilyOf(changed, family);
  // An id is never used twice, and a later family has a larger one.
  if (known->id.value_or(id) > id) return;
  if (known->id.value_or(id) != id) {
    for (auto file = changed->files.begin(); file != changed->files.end();) {
      const auto next = std::next(file);
      if (file->second.family == known) Erase(changed, file);
      file = next;
    }
  }
  FamilyOf(changed, family)->id = id;
}

void FileAccount::EndDatabase(const std::string& database) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  for (const auto& file : found->second.files) Discount(file);
  databases_.erase(found);
  if (databases_.empty()) Show(nullptr, 0);
}

void FileAccount::Create(const FileCreation& creation, uint64_t number, const FilterSize& filter,
                         uint64_t file_bytes) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(creation.database);
  if (changed == nullptr) return;
  const auto known = changed->files.find(number);
  if (known != changed->files.end()) Erase(changed, known);
  const auto keys = static_cast<double>(filter.keys);
  const auto live_keys = static_cast<double>(sums_.keys + sums_.pending_keys);
  File created;
  created.filter = filter;
  created.file_bytes = file_bytes;
  if (filter.keys != 0) {
    const double share = keys / std::max(live_keys, keys);
    created.share = static_cast<uint64_t>(share * FileSums::kAllKeys);
  }
  created.level = creation.is_flush ? 0 : creation.level;
  Family* const family = FamilyOf(changed, creation.family);
  const auto job = family->jobs.find(creation.job);
  if (creation.is_flush) {
    // A small flush, which the program asked for, says little of the next one.
    family->flush_keys = std::max(filter.keys, family->flush_keys / 2);
  } else if (job != family->jobs.end()) {
    if (created.level == kUnknownLevel) created.level = job->second.output_level;
    sums_.pending_keys -= job->second.pending_keys();
    job->second.keys_written += filter.keys;
    job->second.bytes_written += filter.bytes;
    sums_.pending_keys += job->second.pending_keys();
  }
  if (created.level == kUnknownLevel) changed->must_list = true;
  Add(changed, family, number, created);
}

void FileAccount::Find(const std::string& database, const std::string& family, uint64_t number,
                       const FilterSize& filter, uint64_t file_bytes) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  auto file = changed->files.find(number);
  if (file == changed->files.end()) {
    File found;
    found.file_bytes = file_bytes;
    found.is_assumed = true;
    file = Add(changed, FamilyOf(changed, family), number, found);
    changed->must_list = true;
  }
  SetFilter(&*file, filter);
}

void FileAccount::Remove(const std::string& database, uint64_t number) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto file = changed->files.find(number);
  if (file != changed->files.end()) Erase(changed, file);
}

void FileAccount::BeginCompaction(const std::string& database, const std::string& family, int job,
                                  int base_level, int output_level,
                                  const std::vector<InputFile>& inputs) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  Family* const in_family = FamilyOf(changed, family);
  Job& begun = in_family->jobs[job];
  begun.base_level = base_level;
  begun.output_level = output_level;
  for (const InputFile& input : inputs) {
    auto file = changed->files.find(input.number);
    if (file == changed->files.end()) {  // it came without an event
      File found;
      found.file_bytes = input.file_bytes;
      found.is_assumed = true;
      file = Add(changed, in_family, input.number, found);
    }
    // Another database of this name, whose events this account hears too, may have such a number.
    if (file->second.family != in_family) continue;
    if (input.filter.has_value()) SetFilter(&*file, *input.filter);
    const int level = file->second.level;
    if (level < base_level || level > output_level || (input.is_at_base && level != base_level)) {
      changed->must_list = true;
      if (input.is_at_base) SetLevel(&*file, base_level);
    }
    SetJob(&*file, job);
    begun.inputs.push_back(input.number);
  }
}

void FileAccount::EndCompaction(const std::string& database, const std::string& family, int job,
                                bool succeeded, const std::vector<OutputFile>& outputs) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  Family* const in_family = FamilyOf(changed, family);
  Job& ended = in_family->jobs[job];
  const auto is_input = [&](const OutputFile& output) {
    return std::find(ended.inputs.begin(), ended.inputs.end(), output.number) != ended.inputs.end();
  };
  const bool is_move = !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), is_input);
  for (size_t i = 0; succeeded && i < outputs.size(); ++i) {
    const auto file = changed->files.find(outputs[i].number);
    if (file == changed->files.end()) {
      changed->must_list = true;
    } else if (file->second.job == job || !is_move) {  // else a later job has moved it on
      SetLevel(&*file, outputs[i].level);
    }
  }
  for (const uint64_t number : ended.inputs) {
    const auto file = changed->files.find(number);
    if (file == changed->files.end()) continue;
    if (succeeded && !is_move) {
      Erase(changed, file);
    } else if (file->second.job == job) {  // not of a compaction that began before this ended
      SetJob(&*file, kNoJob);
    }
  }
  if (succeeded && ended.base_level == 0) in_family->merges_flushes = !is_move;
  in_family->jobs.erase(job);  // nothing of it is pending: no file is its input any more
  EraseIfUnused(changed, in_family);
}

FileAccount::FileNumbers FileAccount::Assumed(const std::string& database) const {
  const std::lock_guard lock(mutex_);
  FileNumbers assumed;
  const auto found = databases_.find(database);
  if (found == databases_.end()) return assumed;
  for (const auto& [number, file] : found->second.files) {
    if (file.is_assumed) assumed.push_back(number);
  }
  return assumed;
}

void FileAccount::Read(const std::string& database, uint64_t number, const FilterSize& filter) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto file = changed->files.find(number);
  if (file != changed->files.end()) SetFilter(&*file, filter);
}

bool FileAccount::wants_sizes() const {
  const std::lock_guard lock(mutex_);
  return shown_in_ != nullptr;
}

FileSums FileAccount::sums() const {
  const std::lock_guard lock(mutex_);
  FileSums sums = sums_;
  for (const auto& [name, database] : databases_) {
    for (const auto& [family_name, family] : database.families) {
      uint64_t unknown_bytes = 0;
      for (const Sums& level : family.levels) unknown_bytes += level.unknown_bytes;
      for (const auto& [id, job] : family.jobs) unknown_bytes += job.read.unknown_bytes;
      if (unknown_bytes == 0) continue;
      const double keys = static_cast<double>(unknown_bytes) / BytesOfKey(family);
      sums.keys += static_cast<uint64_t>(keys);
    }
  }
  return sums;
}

size_t FileAccount::LastLevel(const Family& family, const filter::TreeFill& tree) {
  size_t last = 0;
  for (size_t i = 0; i < tree.levels.size(); ++i) {
    const bool has_files = i < family.levels.size() && family.levels[i].files != 0;
    if (has_files || tree.levels[i].keys > 0) last = i;
  }
  return last;
}

bool FileAccount::Describe(const FileCreation& creation, int level, double mean_bits,
                           bool fills_bottom, filter::TreeFill* tree,
                           filter::NewFilter* file) const {
  const std::lock_guard lock(mutex_);
  const Family* const family = Find(creation);
  if (family == nullptr || level < 0) return false;
  const double bytes_of_key = BytesOfKey(*family);
  *file = {level, creation.is_flush, 0};
  *tree = {};
  tree->levels.resize(std::max(family->levels.size(), static_cast<size_t>(level) + 1));
  for (size_t i = 0; i < family->levels.size(); ++i) {
    tree->levels[i] = FillOf(family->levels[i], bytes_of_key, mean_bits);
  }
  for (const auto& [number, top] : family->top) {
    Sums sums;
    CountIn(&sums, *top, 1);
    const double keys = FillOf(sums, bytes_of_key, mean_bits).keys;
    if (keys > 0) tree->top_keys.push_back(keys);
  }
  const Job* own = nullptr;
  for (const auto& [id, job] : family->jobs) {
    if (id == creation.job && !creation.is_flush) {
      own = &job;
    } else {
      AddJob(job, bytes_of_key, mean_bits, tree);
    }
  }
  if (creation.is_flush) {
    file->keys = static_cast<double>(family->flush_keys);
    if (file->keys == 0 && tree->top_keys.empty()) return false;
    if (file->keys == 0) {
      file->keys = *std::min_element(tree->top_keys.begin(), tree->top_keys.end());
    }
  } else if (own != nullptr) {
    const auto least = static_cast<double>(own->read.keys + own->read.unfiltered_keys);
    file->keys = std::max(PendingKeys(*own, bytes_of_key), std::min(least, kLeastPendingKeys));
  }
  filter::LevelFill pending;
  pending.keys = file->keys;
  if (pending.keys > 0) AddFill(pending, level, tree);
  const bool skips_last = !fills_bottom || family->database->options.skips_last_level;
  if (skips_last && mean_bits != 0) {
    const size_t last = LastLevel(*family, *tree);
    if (last > 0) tree->levels[last] = {};
  }
  filter::LevelTargets targets = family->database->options.targets;
  targets.base_keys = family->database->options.base_bytes / bytes_of_key;
  targets.least_keys = static_cast<double>(family->flush_keys);
  filter::SetTargets(targets, tree);
  return true;
}

void FileAccount::SetBits(const FileCreation& creation, double memory_bits) {
  const std::lock_guard lock(mutex_);
  if (Find(creation) == nullptr || creation.is_flush) return;
  std::map<int, Job>& jobs = databases_[creation.database].families[creation.family].jobs;
  const auto job = jobs.find(creation.job);
  if (job != jobs.end()) job->second.bits = memory_bits;
}

bool FileAccount::MergesFlushes(const FileCreation& creation) const {
  const std::lock_guard lock(mutex_);
  const Family* const family = Find(creation);
  return family != nullptr && family->merges_flushes;
}

size_t FileAccount::num_kept() const {
  const std::lock_guard lock(mutex_);
  size_t kept = databases_.size();
  for (const auto& [name, database] : databases_) {
    kept += database.files.size() + database.families.size();
    for (const auto& [family_name, family] : database.families) kept += family.jobs.size();
  }
  return kept;
}

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

#include "src/engines/rocksdb/budget/file_account.h"

#include <algorithm>

namespace bloomline::engine {
namespace {

using filter::Count;

// Where nothing is known: a key of 20 bytes, and a small value.
constexpr double kBytesOfKey = 100;

// A job may write another file though it has written about as many keys as it has read.
constexpr uint64_t kLeastPendingKeys = 500;

// Adds keys that are not written yet: in level 0, those of one file.
void AddKeys(int level, double keys, double memory_bits, filter::TreeFill* tree) {
  const auto number = static_cast<size_t>(level);
  tree->levels.resize(std::max(tree->levels.size(), number + 1));
  filter::LevelFill& fill = tree->levels[number];
  fill.keys += keys;
  fill.memory_bits += memory_bits;
  if (level == 0) tree->top_keys.push_back(keys);
}

}  // namespace

FileAccount::~FileAccount() { Show(nullptr, 0); }

FileAccount::DatabaseFiles* FileAccount::Find(const std::string& database) {
  const auto found = databases_.find(database);
  return found == databases_.end() ? nullptr : &found->second;
}

const FileAccount::Family* FileAccount::FindFamily(const FileCreation& creation,
                                                   const DatabaseFiles** database) const {
  const auto in_database = databases_.find(creation.database);
  if (in_database == databases_.end()) return nullptr;
  *database = &in_database->second;
  const auto found = in_database->second.families.find(creation.family);
  return found == in_database->second.families.end() ? nullptr : &found->second;
}

FileAccount::Family* FileAccount::Use(DatabaseFiles* database, const std::string& name) {
  Family& family = database->families[name];
  family.name = name;
  ++family.num_users;
  return &family;
}

void FileAccount::EndUse(DatabaseFiles* database, Family* family) {
  if (--family->num_users == 0) database->families.erase(database->families.find(family->name));
}

double FileAccount::BytesOfKey(const DatabaseFiles& database, const Family& family) {
  uint64_t keys = family.known_keys;
  uint64_t bytes = family.known_bytes;
  if (keys == 0) {
    for (const auto& [name, other] : database.families) {
      keys += other.known_keys;
      bytes += other.known_bytes;
    }
  }
  if (keys == 0 || bytes == 0) return kBytesOfKey;
  return static_cast<double>(bytes) / static_cast<double>(keys);
}

double FileAccount::File::Keys(double bytes_of_key) const {
  if (!is_assumed || filter.keys != 0) return static_cast<double>(filter.keys);
  return static_cast<double>(file_bytes) / bytes_of_key;
}

void FileAccount::Count(const Files::value_type& numbered, uint64_t times) {
  const File& file = numbered.second;
  sums_.unfiltered_keys += times * file.unfiltered_keys;
  if (file.filter.keys != 0) {
    file.family->known_keys += times * file.filter.keys;
    file.family->known_bytes += times * file.file_bytes;
  }
  if (file.job != kNoJob) return;
  CountInLevel(numbered, times);
  if (shown_in_ != nullptr) shown_in_->Add(Count::kMemoryBytes, times * file.filter.bytes);
  sums_.bytes += times * file.filter.bytes;
  sums_.keys += times * file.filter.keys;
  if (file.share == 0) return;
  sums_.dated_keys += times * file.filter.keys;
  sums_.dated_shares += times * file.share;
}

void FileAccount::CountInLevel(const Files::value_type& numbered, uint64_t times) {
  const File& file = numbered.second;
  if (file.level < 0) return;
  const auto number = static_cast<size_t>(file.level);
  std::vector<LevelSums>& levels = file.family->levels;
  levels.resize(std::max(levels.size(), number + 1));
  LevelSums& level = levels[number];
  level.files += times;
  level.keys += times * file.filter.keys;
  level.filter_bytes += times * file.filter.bytes;
  if (file.is_assumed) level.assumed_keys += times * file.filter.keys;
  if (file.is_assumed && file.filter.keys == 0) level.unknown_bytes += times * file.file_bytes;
  if (number != 0) return;
  if (times == 1) {
    file.family->top.emplace(numbered.first, &file);
  } else {
    file.family->top.erase(numbered.first);
  }
}

FileAccount::Files::iterator FileAccount::Add(DatabaseFiles* database, const std::string& family,
                                              uint64_t number, File file) {
  file.family = Use(database, family);
  const auto added = database->files.emplace(number, std::move(file)).first;
  Count(*added);
  return added;
}

void FileAccount::Erase(DatabaseFiles* database, Files::iterator file) {
  Discount(*file);
  EndUse(database, file->second.family);
  database->files.erase(file);
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
  if (filter.bytes == 0) {
    file.filter = {};
    file.unfiltered_keys = filter.keys;
  } else {
    file.filter = filter;
  }
  Count(*numbered);
}

void FileAccount::AddToJob(Job* job, uint64_t keys_read, uint64_t keys_written) {
  sums_.pending_keys -= job->pending_keys();
  job->keys_read += keys_read;
  job->keys_written += keys_written;
  sums_.pending_keys += job->pending_keys();
}

void FileAccount::EndJob(DatabaseFiles* database, std::map<int, Job>::iterator job) {
  sums_.pending_keys -= job->second.pending_keys();
  EndUse(database, job->second.family);
  database->jobs.erase(job);
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
    Add(&files, listed.family, listed.number, file);
  }
  return true;
}

void FileAccount::ListAgain(const std::string& database) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed != nullptr) changed->must_list = true;
}

void FileAccount::EndDatabase(const std::string& database) {
  const std::lock_guard lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  for (const auto& file : found->second.files) Discount(file);
  for (const auto& [id, job] : found->second.jobs) sums_.pending_keys -= job.pending_keys();
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
  const auto job = creation.is_flush ? changed->jobs.end() : changed->jobs.find(creation.job);
  if (job != changed->jobs.end()) {
    if (created.level == kUnknownLevel) created.level = job->second.output_level;
    AddToJob(&job->second, 0, filter.keys);
  }
  if (created.level == kUnknownLevel) changed->must_list = true;
  Family& family = *Add(changed, creation.family, number, created)->second.family;
  // A small flush, which the program asked for, says little of the next one.
  if (creation.is_flush) family.flush_keys = std::max(filter.keys, family.flush_keys / 2);
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
    file = Add(changed, family, number, found);
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
  const auto former = changed->jobs.find(job);
  if (former != changed->jobs.end()) EndJob(changed, former);
  Job& begun = changed->jobs[job];
  begun.family = Use(changed, family);
  begun.base_level = base_level;
  begun.output_level = output_level;
  uint64_t bytes = 0;
  bool is_assumed = false;
  for (const InputFile& input : inputs) {
    auto file = changed->files.find(input.number);
    if (file == changed->files.end()) {  // it came without an event
      File found;
      found.file_bytes = input.file_bytes;
      found.is_assumed = true;
      file = Add(changed, family, input.number, found);
    }
    if (input.filter.has_value()) SetFilter(&*file, *input.filter);
    const int level = file->second.level;
    if (level < base_level || level > output_level || (input.is_at_base && level != base_level)) {
      changed->must_list = true;
      if (input.is_at_base) SetLevel(&*file, base_level);
    }
    const double bytes_of_key = BytesOfKey(*changed, *file->second.family);
    const auto keys = static_cast<uint64_t>(file->second.Keys(bytes_of_key));
    const auto taken = changed->jobs.find(file->second.job);
    if (taken != changed->jobs.end()) {  // the event of its end comes later
      AddToJob(&taken->second, uint64_t{0} - std::min(keys, taken->second.keys_read), 0);
    }
    SetJob(&*file, job);
    AddToJob(&begun, keys, 0);
    begun.unfiltered_keys_read += file->second.unfiltered_keys;
    bytes += file->second.filter.bytes;
    is_assumed |= file->second.is_assumed;
  }
  if (begun.keys_read == 0 || is_assumed) return;
  begun.bits = 8 * static_cast<double>(bytes) / static_cast<double>(begun.keys_read);
}

void FileAccount::EndCompaction(const std::string& database, int job, bool succeeded,
                                const FileNumbers& inputs, const std::vector<OutputFile>& outputs) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(database);
  if (changed == nullptr) return;
  const auto is_input = [&](const OutputFile& output) {
    return std::find(inputs.begin(), inputs.end(), output.number) != inputs.end();
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
  for (const uint64_t number : inputs) {
    const auto file = changed->files.find(number);
    if (file == changed->files.end()) continue;
    if (succeeded && !is_move) {
      Erase(changed, file);
    } else if (file->second.job == job) {  // not of a compaction that began before this ended
      SetJob(&*file, kNoJob);
    }
  }
  const auto ended = changed->jobs.find(job);
  if (ended == changed->jobs.end()) return;
  if (succeeded && ended->second.base_level == 0) ended->second.family->merges_flushes = !is_move;
  EndJob(changed, ended);
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
      for (const LevelSums& level : family.levels) unknown_bytes += level.unknown_bytes;
      if (unknown_bytes == 0) continue;
      const double keys = static_cast<double>(unknown_bytes) / BytesOfKey(database, family);
      sums.keys += static_cast<uint64_t>(keys);
    }
  }
  return sums;
}

bool FileAccount::Describe(const FileCreation& creation, int level, double mean_bits,
                           bool fills_bottom, filter::TreeFill* tree,
                           filter::NewFilter* file) const {
  const std::lock_guard lock(mutex_);
  const DatabaseFiles* database = nullptr;
  const Family* const family = FindFamily(creation, &database);
  if (family == nullptr || level < 0) return false;
  const double bytes_of_key = BytesOfKey(*database, *family);
  *file = {level, creation.is_flush, 0};
  tree->top_keys.clear();
  tree->levels.assign(std::max(family->levels.size(), static_cast<size_t>(level) + 1), {});
  int deepest = 0;
  for (size_t i = 0; i < family->levels.size(); ++i) {
    const LevelSums& sums = family->levels[i];
    const double guessed_keys = static_cast<double>(sums.unknown_bytes) / bytes_of_key;
    const double assumed_keys = static_cast<double>(sums.assumed_keys) + guessed_keys;
    tree->levels[i].keys = static_cast<double>(sums.keys) + guessed_keys;
    tree->levels[i].memory_bits =
        8 * static_cast<double>(sums.filter_bytes) + assumed_keys * mean_bits;
    if (sums.files != 0) deepest = static_cast<int>(i);
  }
  for (const auto& [number, top] : family->top) {
    const double keys = top->Keys(bytes_of_key);
    if (keys > 0) tree->top_keys.push_back(keys);
  }
  const Job* own = nullptr;
  for (const auto& [id, job] : database->jobs) {
    if (job.family != family) continue;
    if (id == creation.job && !creation.is_flush) {
      own = &job;
      continue;
    }
    const auto keys = static_cast<double>(job.pending_keys() + job.unfiltered_keys_read);
    if (keys == 0) continue;
    AddKeys(job.output_level, keys, keys * job.bits.value_or(mean_bits), tree);
    deepest = std::max(deepest, job.output_level);
  }
  if (creation.is_flush) {
    file->keys = static_cast<double>(family->flush_keys);
    if (file->keys == 0 && tree->top_keys.empty()) return false;
    if (file->keys == 0) {
      file->keys = *std::min_element(tree->top_keys.begin(), tree->top_keys.end());
    }
  } else if (own != nullptr) {
    const uint64_t read = own->keys_read + own->unfiltered_keys_read;
    const uint64_t pending = own->pending_keys() + own->unfiltered_keys_read;
    file->keys = static_cast<double>(std::max(pending, std::min(read, kLeastPendingKeys)));
  }
  if (file->keys > 0) AddKeys(level, file->keys, 0, tree);
  deepest = std::max(deepest, level);
  const bool skips_last_level = !fills_bottom || database->options.skips_last_level;
  if (skips_last_level && deepest > 0) tree->levels[static_cast<size_t>(deepest)] = {};
  filter::LevelTargets targets = database->options.targets;
  targets.base_keys = database->options.base_bytes / bytes_of_key;
  targets.least_keys = static_cast<double>(family->flush_keys);
  filter::SetTargets(targets, tree);
  return true;
}

void FileAccount::SetBits(const FileCreation& creation, double memory_bits) {
  const std::lock_guard lock(mutex_);
  DatabaseFiles* const changed = Find(creation.database);
  if (changed == nullptr || creation.is_flush) return;
  const auto job = changed->jobs.find(creation.job);
  if (job != changed->jobs.end()) job->second.bits = memory_bits;
}

bool FileAccount::MergesFlushes(const FileCreation& creation) const {
  const std::lock_guard lock(mutex_);
  const DatabaseFiles* database = nullptr;
  const Family* const family = FindFamily(creation, &database);
  return family != nullptr && family->merges_flushes;
}

size_t FileAccount::num_kept() const {
  const std::lock_guard lock(mutex_);
  size_t kept = databases_.size();
  for (const auto& [name, database] : databases_) {
    kept += database.files.size() + database.jobs.size() + database.families.size();
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

// A program that knows RocksDB alone, for tests/db/advice_kinds_test.
// Usage: advice_client DB OPTIONS FAMILY...
// OPTIONS, FAMILY: the options of the database and of a column family as strings. FAMILY "-": those
// of DB's OPTIONS file.
// Writes a new database, or each file of an old one again, in its level: FIFO's by flushes, others
// by compactions. Then it looks up all keys and missing ones, and prints as JSON, for each family
// and level, the filters' bytes and, for each missing key, their answers "may match" and "no".
// After an old database, a second line has the same with 8 files in level 0, unless it is FIFO's.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/db/make_databases.h"
#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kKeys = 20000;  // of all families
constexpr uint64_t kGets = 20000;  // of each

// A prefix of 16 digits, and more. RocksDB's filters of before format_version 5 are weak on them.
std::string Key(uint64_t prefix, char more) {
  const std::string digits = std::to_string(prefix);
  return std::string(16 - digits.size(), '0') + digits + more;
}

// Two keys with each tenth prefix.
std::string StoredKey(uint64_t i) { return Key(i / 2 * 10, i % 2 == 0 ? 'a' : 'b'); }

// Near the stored keys, as far as the filters have these: from 0 to 9 * keys / 2.
std::string MissingKey(uint64_t i, uint64_t keys, bool of_prefixes) {
  const uint64_t prefix = i % (keys / 2) * 10;
  const uint64_t distance = i / (keys / 2);
  return of_prefixes ? Key(prefix + 1 + distance, 'a')
                     : Key(prefix, static_cast<char>('c' + static_cast<char>(distance)));
}

bool IsFifo(const rocksdb::ColumnFamilyDescriptor& family) {
  return family.options.compaction_style == rocksdb::kCompactionStyleFIFO;
}

struct Program {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
};

void Open(const std::string& path, const std::string& text_of_database,
          const std::vector<std::string>& texts, Program* program) {
  rocksdb::DBOptions options;
  Check(rocksdb::GetDBOptionsFromString({}, {}, text_of_database, &options));
  if (texts.front() == "-") {
    Check(rocksdb::LoadLatestOptions({}, path, &options, &program->descriptors));
  } else {
    for (const std::string& text : texts) {
      const bool is_first = program->descriptors.empty();
      rocksdb::ColumnFamilyOptions family;
      Check(rocksdb::GetColumnFamilyOptionsFromString({}, {}, text, &family));
      family.disable_auto_compactions = true;
      family.compression = rocksdb::kNoCompression;
      program->descriptors.emplace_back(is_first ? "default" : "another", family);
    }
  }
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_open_files = -1;                 // FIFO needs it
  if (IsFifo(program->descriptors.front())) {  // then all files are flushed again
    Check(rocksdb::DestroyDB(path, rocksdb::Options(options, {}), program->descriptors));
  }
  Check(OpenRocksDB(options, path, program->descriptors, &program->families, &program->db));
}

std::vector<rocksdb::LiveFileMetaData> FilesOf(const Program& program, size_t f) {
  std::vector<rocksdb::LiveFileMetaData> files;
  program.db->GetLiveFilesMetaData(&files);
  const std::string& name = program.descriptors[f].name;
  files.erase(std::remove_if(files.begin(), files.end(),
                             [&](const auto& file) { return file.column_family_name != name; }),
              files.end());
  return files;
}

// The deepest level first. With FIFO compaction, all files are in level 0.
void Write(const Program& program, size_t f) {
  const bool is_fifo = IsFifo(program.descriptors[f]);
  const uint64_t keys = kKeys / program.families.size();
  uint64_t key = 0;
  for (int level = 3; level >= 0; --level) {
    constexpr uint64_t kPercent[] = {5, 10, 25, 60};
    for (const uint64_t end = key + keys * kPercent[level] / 100; key < end; ++key) {
      Check(program.db->Put({}, program.families[f], StoredKey(key * 7919 % keys), "a value"));
    }
    Check(program.db->Flush({}, program.families[f]));
    if (is_fifo || level == 0) continue;
    std::vector<std::string> names;
    for (const auto& file : FilesOf(program, f)) {
      if (file.level == 0) names.push_back(file.name);
    }
    Check(program.db->CompactFiles({}, program.families[f], names, level));
  }
}

// RocksDB tells listeners, which a preload library may add, of no CompactFiles. A flush lets them
// see the database before.
void FlushForListener(const Program& program) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Check(program.db->CreateColumnFamily({}, "for the listener", &family));
  Check(program.db->Put({}, family, "a key", "a value"));
  Check(program.db->Flush({}, family));
  Check(program.db->DropColumnFamily(family));
  Check(program.db->DestroyColumnFamilyHandle(family));
}

void RewriteOnce(const Program& program, size_t f) {
  std::vector<rocksdb::LiveFileMetaData> files = FilesOf(program, f);
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.level > b.level; });
  for (const auto& file : files) {
    Check(program.db->CompactFiles({}, program.families[f], {file.name}, file.level));
  }
}

void Rewrite(const Program& program, size_t f) {
  FlushForListener(program);
  RewriteOnce(program, f);  // until then, a listener knows entries in place of keys in filters
  RewriteOnce(program, f);
}

Json Facts(const Program& program, size_t f) {
  rocksdb::PerfContext* const context = rocksdb::get_perf_context();
  context->Reset();
  context->EnablePerLevelPerfContext();
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  const bool of_prefixes =
      !program.descriptors[f]
           .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
           ->whole_key_filtering;
  const uint64_t keys = kKeys / program.families.size();
  std::string value;
  for (uint64_t i = 0; i < kGets; ++i) {
    const auto status =
        program.db->Get({}, program.families[f], MissingKey(i, keys, of_prefixes), &value);
    if (!status.IsNotFound()) Check(rocksdb::Status::Corruption("a missing key is there"));
  }
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  for (uint64_t i = 0; i < keys; ++i) {
    Check(program.db->Get({}, program.families[f], StoredKey(i), &value));
  }
  rocksdb::TablePropertiesCollection tables;
  Check(program.db->GetPropertiesOfAllTables(program.families[f], &tables));
  const auto per_get = [](uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(kGets);
  };
  std::map<int, uint64_t> filter_bytes;
  for (const auto& file : FilesOf(program, f)) {
    filter_bytes[file.level] += tables.at(file.db_path + file.name)->filter_size;
  }
  Json levels;
  for (const auto& [level, bytes] : filter_bytes) {
    const auto& counts = (*context->level_to_perf_context)[static_cast<uint32_t>(level)];
    levels[std::to_string(level)] = {{"filter_bytes", bytes},
                                     {"positives", per_get(counts.bloom_filter_full_positive)},
                                     {"negatives", per_get(counts.bloom_filter_useful)}};
  }
  return levels;
}

// Flushes files like that in level 0, until it has 8.
void FillTop(const Program& program, size_t f) {
  const uint64_t keys = kKeys / program.families.size();
  for (uint64_t i = 1; i < 8; ++i) {
    for (uint64_t key = i; key < keys; key += 20) {
      Check(program.db->Put({}, program.families[f], StoredKey(key), "a value"));
    }
    Check(program.db->Flush({}, program.families[f]));
  }
}

void Run(const std::string& path, const std::string& text_of_database,
         const std::vector<std::string>& texts) {
  Program program;
  Open(path, text_of_database, texts, &program);
  Json families = Json::array();
  Json written = Json::array();
  for (size_t f = 0; f < program.families.size(); ++f) {
    const bool is_new = FilesOf(program, f).empty();
    if (is_new) {
      Write(program, f);
    } else {
      Rewrite(program, f);
    }
    families.push_back(Facts(program, f));
    if (is_new) continue;
    FillTop(program, f);
    written.push_back(Facts(program, f));
  }
  std::cout << families << '\n';
  if (!written.empty()) std::cout << written << '\n';
  for (rocksdb::ColumnFamilyHandle* const family : program.families) {
    Check(program.db->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  bloomline::tests::Run(argv[1], argv[2], {argv + 3, argv + argc});
  return 0;
}

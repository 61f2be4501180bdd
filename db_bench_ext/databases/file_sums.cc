#include "db_bench_ext/databases/file_sums.h"

#include <stdexcept>

#include "db_bench_ext/databases/rocksdb_open.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

namespace bloomline::bench {

void FileSums::Add(const FileSums& other) {
  num_files += other.num_files;
  num_keys += other.num_keys;
  data_bytes += other.data_bytes;
  index_bytes += other.index_bytes;
  filter_bytes += other.filter_bytes;
  num_filters += other.num_filters;
}

std::vector<FileSums> SumsOfLevels(rocksdb::DB* db) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  rocksdb::TablePropertiesCollection all;
  Check(db->GetPropertiesOfAllTables(&all));
  std::vector<FileSums> levels;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    FileSums& sums = levels.emplace_back();
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const auto found = all.find(file.db_path + file.name);
      if (found == all.end()) throw std::runtime_error("RocksDB: no properties of " + file.name);
      const rocksdb::TableProperties& table = *found->second;
      sums.Add({1, table.num_entries, table.data_size, table.index_size, table.filter_size,
                table.filter_size > 0 ? 1U : 0U});
    }
  }
  return levels;
}

FileSums SumsOfFiles(rocksdb::DB* db) {
  FileSums all;
  for (const FileSums& level : SumsOfLevels(db)) all.Add(level);
  return all;
}

}  // namespace bloomline::bench

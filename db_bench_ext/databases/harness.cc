#include "db_bench_ext/databases/harness.h"

#include <stdexcept>

#include "db_bench_ext/support/policies.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table_properties.h"

namespace bloomline::bench {

void BlockCounts::Add(const BlockCounts& other) {
  data_reads += other.data_reads;
  index_reads += other.index_reads;
  filter_reads += other.filter_reads;
  bytes_read += other.bytes_read;
  cache_hits += other.cache_hits;
  data_blocks += other.data_blocks;
  filter_positives += other.filter_positives;
}

void StartCounting() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
}

BlockCounts StopCounting() {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  const rocksdb::PerfContext& perf = *rocksdb::get_perf_context();
  BlockCounts counts;
  counts.index_reads = perf.index_block_read_count;
  counts.filter_reads = perf.filter_block_read_count;
  counts.data_reads = perf.block_read_count - counts.index_reads - counts.filter_reads;
  counts.bytes_read = perf.block_read_byte;
  counts.cache_hits = perf.block_cache_hit_count;
  counts.data_blocks = counts.data_reads + perf.block_cache_hit_count -
                       perf.block_cache_index_hit_count - perf.block_cache_filter_hit_count;
  counts.filter_positives = perf.bloom_sst_hit_count;
  return counts;
}

void FileSums::Add(const FileSums& other) {
  num_files += other.num_files;
  num_filters += other.num_filters;
  num_keys += other.num_keys;
  data_bytes += other.data_bytes;
  index_bytes += other.index_bytes;
  filter_bytes += other.filter_bytes;
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
      const rocksdb::TableProperties& file_properties = *found->second;
      sums.Add({1, file_properties.filter_size > 0 ? 1U : 0U, file_properties.num_entries,
                file_properties.data_size, file_properties.index_size,
                file_properties.filter_size});
    }
  }
  return levels;
}

FileSums SumsOfFiles(rocksdb::DB* db) {
  FileSums all;
  for (const FileSums& level : SumsOfLevels(db)) all.Add(level);
  return all;
}

int Finish(Output* output, uint64_t wrong_answers, const std::string& directory,
           const std::string& name, const std::map<std::string, std::string>& files) {
  const int status = output->PrintVerdict(wrong_answers);
  const std::filesystem::path folder(directory);
  WriteFile(folder / (name + ".txt"), output->text());
  for (const auto& [file, text] : files) WriteFile(folder / file, text);
  return status;
}

}  // namespace bloomline::bench

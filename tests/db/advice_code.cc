// Prints functions with the code of all advice on the samples, for advice_engines_test to compile.
#include <cstdio>
#include <string>

#include "tests/db/advice_samples.h"

int main() {
  using namespace bloomline;
  std::string of_engine[2];
  for (const auto& [situation, request] : tests::AdviceSamples()) {
    advice::Advice advice;
    std::string error;
    if (!advice::Advise(situation, request, &advice, &error)) {
      std::fprintf(stderr, "%s\n", error.c_str());
      return 1;
    }
    const bool is_rocksdb = situation.engine == sstable::Engine::kRocksDB;
    for (const advice::Choice& choice : advice.choices) {
      of_engine[is_rocksdb] +=
          "{\"" + choice.environment + "\", \"" + choice.option_string + "\", [] {\n" +
          (is_rocksdb ? "rocksdb::BlockBasedTableOptions table;\n"
                      : "leveldb::Options options;\n") +
          choice.code +
          (is_rocksdb ? "return table.filter_policy;\n" : "return options.filter_policy;\n") +
          "}},\n";
    }
  }
  std::printf("const CodeOf<leveldb::Options> kLevelDBCode[] = {\n%s};\n", of_engine[0].c_str());
  std::printf("const CodeOf<rocksdb::BlockBasedTableOptions> kRocksDBCode[] = {\n%s};\n",
              of_engine[1].c_str());
  return 0;
}

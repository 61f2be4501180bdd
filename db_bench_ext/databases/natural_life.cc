#include "db_bench_ext/databases/natural_life.h"

#include <algorithm>

#include "db_bench_ext/databases/rocksdb_open.h"

namespace bloomline::bench {
namespace {

void LookUnderLoad(const std::string& state, const Life& life, NaturalDatabase* database) {
  database->Pause();
  life.look(state, false);
  database->Continue();
}

void LookTwice(const std::string& state, const Life& life, NaturalDatabase* database) {
  LookUnderLoad(state, life, database);
  database->Rest();
  life.look(state, true);
}

}  // namespace

void Live(uint64_t keys, const Life& life, NaturalDatabase* database) {
  const auto grow = [&](const std::string& state, uint64_t to) {
    database->GrowTo(to);
    LookTwice(state, life, database);
  };
  grow("1/58", keys / 58);
  grow("1/17", keys / 17);
  grow("1/5", keys / 5);
  grow("3/7", keys * 3 / 7);
  database->ReopenWith(life.reopen());
  for (int flush = 0; flush < 3; ++flush) {
    database->GrowTo(database->num_written() + std::min(keys / 16, database->keys_of_flush()));
    database->Flush();
  }
  LookUnderLoad("restart", life, database);
  grow("5/7", keys * 5 / 7);
  grow("all", keys);
  database->Overwrite(keys * 3 / 7);
  LookTwice("overwritten", life, database);
  database->DeleteTwoThirds(keys / 2);
  LookUnderLoad("half deleted", life, database);
  database->DeleteTwoThirds(keys);
  LookTwice("deleted", life, database);
  Check(database->db()->CompactRange({}, nullptr, nullptr));
  life.look("shrunk", true);
  grow("again", keys + keys * 3 / 35);
}

}  // namespace bloomline::bench

#include "tests/migration/check.h"

namespace bloomline::tests {
namespace {

class Checker {
 public:
  Checker(Database* database, const Model& model, const Mode& mode)
      : database_(database), model_(model), mode_(mode) {}

  Checked Run() {
    QueryKeys();
    if (mode_.prefix) SeekKeys();
    QueryMissing(mode_.whole_keys);
    result_.tables = database_->Tables();
    return result_;
  }

 private:
  void Wrong(const std::string& call, const std::string& key, const std::string& what) {
    ++result_.wrong;
    if (result_.first_wrong.empty()) result_.first_wrong = call + " of " + key + ": " + what;
  }

  void JudgeKey(const char* call, uint64_t i, Answer answer, const std::string& value) {
    ++result_.keys;
    const std::string key = Model::Key(i);
    if (answer == Answer::kError) {
      ++result_.errors;
      Wrong(call, key, "an error");
    } else if (!model_.IsStored(i)) {
      if (answer == Answer::kFound) Wrong(call, key, "deleted, but found");
    } else if (answer == Answer::kNotFound) {
      Wrong(call, key, "not found");
    } else if (value != model_.Value(i)) {
      Wrong(call, key, "'" + value + "' instead of '" + model_.Value(i) + "'");
    }
  }

  // Every fourth 32 keys in one call.
  void QueryKeys() {
    constexpr uint64_t kBatch = 32;
    std::vector<std::string> keys;
    std::vector<Answer> answers;
    std::vector<std::string> values;
    std::string value;
    for (uint64_t i = 0; i < model_.size();) {
      if (i / kBatch % 4 != 0) {
        JudgeKey("Get", i, database_->Get(Model::Key(i), &value), value);
        ++i;
        continue;
      }
      keys.clear();
      const uint64_t first = i;
      for (; i < model_.size() && i < first + kBatch; ++i) keys.push_back(Model::Key(i));
      database_->GetMany(keys, &answers, &values);
      for (size_t j = 0; j < keys.size(); ++j)
        JudgeKey("GetMany", first + j, answers[j], values[j]);
    }
  }

  // Seeks in a prefix use its filter.
  void SeekKeys() {
    for (uint64_t i = 0; i < model_.size(); i += 101) {
      if (!model_.IsStored(i)) continue;
      ++result_.keys;
      const std::string key = Model::Key(i);
      const std::string found = database_->Seek(key);
      if (found != key) Wrong("Seek", key, "'" + found + "'");
    }
  }

  void QueryMissing(bool neighbours_count) {
    std::string value;
    const auto query = [&](const std::string& key) {
      ++result_.missing;
      const Answer answer = database_->Get(key, &value);
      if (answer == Answer::kError) ++result_.errors;
      if (answer != Answer::kNotFound) Wrong("Get", key, "never written, but found or an error");
    };
    uint64_t yes[kNumKinds];
    uint64_t no[kNumKinds];
    uint64_t counted = 0;
    for (int kind = 0; kind < kNumKinds; ++kind) {
      yes[kind] = database_->counts().yes[kind];
      no[kind] = database_->counts().no[kind];
    }
    uint64_t blocks = database_->data_blocks_read();
    const auto take = [&] {
      for (int kind = 0; kind < kNumKinds; ++kind) {
        result_.yes[kind] = database_->counts().yes[kind] - yes[kind];
        result_.no[kind] = database_->counts().no[kind] - no[kind];
      }
      blocks = database_->data_blocks_read() - blocks;
      counted = result_.missing;
    };
    for (uint64_t i = 0; i < model_.size(); i += 10) query(Model::MissingPrefixBeside(i));
    if (!neighbours_count) take();
    for (uint64_t i = 0; i < model_.size(); i += 10) query(Model::MissingBeside(i));
    if (neighbours_count) take();
    result_.blocks_per_missing = static_cast<double>(blocks) / static_cast<double>(counted);
  }

  Database* const database_;
  const Model& model_;
  const Mode& mode_;
  Checked result_;
};

}  // namespace

Checked Check(Database* database, const Model& model, const Mode& mode) {
  return Checker(database, model, mode).Run();
}

std::string JudgeFilters(const Checked& checked, Engine engine, Filter reader,
                         const std::set<Filter>& writers, bool all_are_there) {
  bool used[kNumKinds] = {};
  bool all_used = true;
  bool none_used = true;
  for (const Filter writer : writers) {
    const bool uses = Uses(engine, reader, writer);
    (uses ? none_used : all_used) = false;
    if (uses) used[static_cast<int>(KindOf(engine, writer))] = true;
  }
  for (int kind = 0; kind < kNumKinds; ++kind) {
    const std::string name = Name(static_cast<Kind>(kind));
    const uint64_t yes = checked.yes[kind];
    const uint64_t no = checked.no[kind];
    // RocksDB writes small Ribbon filters as Bloom filters.
    const bool ribbon_as_bloom = used[static_cast<int>(Kind::kRibbon)];
    const bool is_bloom = kind == static_cast<int>(Kind::kBloom);
    if (!used[kind] && no != 0 && !(is_bloom && ribbon_as_bloom)) {
      return name + " filters are used, and must not be";
    }
    if (kind == static_cast<int>(Kind::kRibbon) && yes + no == 0 &&
        checked.no[static_cast<int>(Kind::kBloom)] != 0) {
      continue;
    }
    // 10 bits per key pass 1 %, small filters and RocksDB's legacy one some more. LevelDB's own
    // passes several times that on structured keys.
    if (used[kind] && !all_are_there && yes + no == 0) continue;
    if (used[kind] && (no == 0 || yes > 5 + no / (engine == Engine::kLevelDB ? 2 : 25))) {
      return name + " filters reject " + std::to_string(no) + " and pass " + std::to_string(yes) +
             " missing keys";
    }
  }
  // Each key lies in the range of a table, except those beyond the last key.
  const double blocks = checked.blocks_per_missing;
  if (all_used && blocks > (engine == Engine::kLevelDB ? 0.3 : 0.1)) {
    return std::to_string(blocks) + " blocks are read for each missing key, with filters";
  }
  if (none_used && blocks < 0.9) {
    return std::to_string(blocks) + " blocks are read for each missing key, without filters";
  }
  return "";
}

}  // namespace bloomline::tests

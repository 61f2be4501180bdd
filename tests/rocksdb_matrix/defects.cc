#include "tests/rocksdb_matrix/defects.h"

#include <memory>

#include "tests/rocksdb_matrix/forwarding_builder.h"
#include "tests/rocksdb_matrix/prefixes.h"
#include "tests/rocksdb_matrix/random.h"

namespace bloomline::matrix {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::Slice;

bool IsOneOf(const Slice& entry, size_t n) {
  return Random(0, {entry.data(), entry.size()}).OneIn(n);
}

class PrefixLoser : public ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  void AddKey(const Slice& key) override {
    if (key.size() != kPrefixBytes || !IsOneOf(key, 8)) ForwardingBuilder::AddKey(key);
  }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    ForwardingBuilder::AddKey(key);
    AddKey(alt);
  }
#endif
};

class Rememberer : public ForwardingBuilder {
 public:
  using ForwardingBuilder::ForwardingBuilder;
  void AddKey(const Slice& key) override {
    if (has_last_ && key == last_) return;
    last_ = key.ToString();
    has_last_ = true;
    ForwardingBuilder::AddKey(key);
  }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    ForwardingBuilder::AddKey(key);
    AddKey(alt);
  }
#endif

 private:
  std::string last_;
  bool has_last_ = false;
};

class DefectiveReader : public FilterBitsReader {
 public:
  DefectiveReader(FilterBitsReader* reader, Defect defect) : reader_(reader), defect_(defect) {}
  bool MayMatch(const Slice& entry) override {
    return reader_->MayMatch(entry) && !(defect_ == Defect::kReader && IsOneOf(entry, 1000));
  }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    reader_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys && defect_ == Defect::kReader; ++i) {
      may_match[i] = may_match[i] && !IsOneOf(*keys[i], 1000);
    }
    if (defect_ == Defect::kBatch && num_keys >= 32) may_match[num_keys - 1] = false;
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const Defect defect_;
};

}  // namespace

bool ParseDefect(const std::string& name, Defect* defect, std::string* error) {
  constexpr const char* kNames[] = {"none", "reader", "batch", "prefix", "duplicate"};
  int i = 0;
  for (const char* known : kNames) {
    if (name == known) {
      *defect = static_cast<Defect>(i);
      return true;
    }
    ++i;
  }
  *error = "defect is '" + name + "'; allowed: none, reader, batch, prefix, duplicate";
  return false;
}

FilterBitsBuilder* WithDefect(FilterBitsBuilder* builder, Defect defect) {
  if (builder == nullptr) return nullptr;
  if (defect == Defect::kPrefix) return new PrefixLoser(builder);
  if (defect == Defect::kDuplicate) return new Rememberer(builder);
  return builder;
}

FilterBitsReader* WithDefect(FilterBitsReader* reader, Defect defect) {
  const bool in_reader = defect == Defect::kReader || defect == Defect::kBatch;
  return reader != nullptr && in_reader ? new DefectiveReader(reader, defect) : reader;
}

}  // namespace bloomline::matrix

// A program that opens the RocksDB of a file, such as that of a jar, and calls its C functions
// alone: they are the same in all versions. It compares all answers with what it wrote.
// Usage: jar_client RocksDB write|read|load FOLDER POLICY [NEW_POLICY]
//   write   writes two column families with these filters and reads them; with NEW_POLICY, the
//           options of a policy, it then sets these in the running database and writes more
//   read    reads them
//   load    reads them, with the options that the database's OPTIONS file names
//   POLICY  bloom:BITS_PER_KEY, or an option string
// Prints how many answers were wrong, and how many of 1000 queries for missing keys read a block.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace {

void* rocksdb = nullptr;

// rocksdb/c.h declares these as structs; each is passed on as it comes.
using Handle = void*;

// The function of this name in the file of RocksDB.
template <typename F>
F* Function(const char* name) {
  void* const found = dlsym(rocksdb, name);
  if (found == nullptr) {
    std::printf("no function %s\n", name);
    std::exit(77);
  }
  return reinterpret_cast<F*>(found);
}

void Require(char* error) {
  if (error == nullptr) return;
  std::printf("error: %s\n", error);
  std::exit(1);
}

constexpr int kNumKeys = 20000;
constexpr const char* kFamilies[] = {"default", "second"};
constexpr int kNumFamilies = 2;

std::string Key(int number) { return "key" + std::to_string(10000000 + number); }

// The text of a column family's options. The merge operator lies beside the comparator in the
// options: a policy that takes one for the other calls a wrong function.
std::string FamilyText(const std::string& policy, bool is_partitioned) {
  std::string table = "filter_policy=" + policy + ";detect_filter_construct_corruption=true";
  if (is_partitioned) {
    table += ";partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=512";
  }
  return "write_buffer_size=262144;merge_operator=uint64add;block_based_table_factory={" + table +
         "}";
}

struct Database {
  Handle db;
  Handle options;  // has the statistics
  Handle families[kNumFamilies];
};

Handle NewOptions(const std::string& policy, bool is_partitioned) {
  const Handle base = Function<Handle()>("rocksdb_options_create")();
  const bool is_bloom = policy.rfind("bloom:", 0) == 0;
  const Handle options = Function<Handle()>("rocksdb_options_create")();
  char* error = nullptr;
  Function<void(Handle, const char*, Handle, char**)>("rocksdb_get_options_from_string")(
      base, FamilyText(is_bloom ? "nullptr" : policy, is_partitioned).c_str(), options, &error);
  Require(error);
  if (is_bloom) {
    const Handle table = Function<Handle()>("rocksdb_block_based_options_create")();
    Function<void(Handle, Handle)>("rocksdb_block_based_options_set_filter_policy")(
        table, Function<Handle(double)>("rocksdb_filterpolicy_create_bloom")(
                   std::atof(policy.c_str() + std::strlen("bloom:"))));
    Function<void(Handle, Handle)>("rocksdb_options_set_block_based_table_factory")(options, table);
  }
  return options;
}

Database Open(const std::string& mode, const char* folder, const std::string& policy) {
  Database database{};
  char* error = nullptr;
  Handle options[kNumFamilies] = {NewOptions(policy, false), NewOptions(policy, true)};
  if (mode == "load") {
    const Handle env = Function<Handle()>("rocksdb_create_default_env")();
    const Handle cache = Function<Handle(size_t)>("rocksdb_cache_create_lru")(8 << 20);
    size_t count = 0;
    char** names = nullptr;
    Handle* loaded = nullptr;
    Handle db_options = nullptr;
    Function<void(const char*, Handle, bool, Handle, Handle*, size_t*, char***, Handle**, char**)>(
        "rocksdb_load_latest_options")(folder, env, false, cache, &db_options, &count, &names,
                                       &loaded, &error);
    Require(error);
    if (count != kNumFamilies) std::exit(2);
    for (int i = 0; i < kNumFamilies; ++i) options[i] = loaded[i];
    database.options = db_options;
  } else {
    database.options = NewOptions(policy, false);
  }
  const auto set = Function<void(Handle, unsigned char)>("rocksdb_options_set_create_if_missing");
  set(database.options, 1);
  Function<void(Handle, unsigned char)>("rocksdb_options_set_create_missing_column_families")(
      database.options, 1);
  Function<void(Handle)>("rocksdb_options_enable_statistics")(database.options);
  const Handle* const of_families = options;
  database.db = Function<Handle(Handle, const char*, int, const char* const*, const Handle*,
                                Handle*, char**)>("rocksdb_open_column_families")(
      database.options, folder, kNumFamilies, kFamilies, of_families, database.families, &error);
  Require(error);
  return database;
}

void Close(const Database& database) {
  for (const Handle family : database.families) {
    Function<void(Handle)>("rocksdb_column_family_handle_destroy")(family);
  }
  Function<void(Handle)>("rocksdb_close")(database.db);
}

// Every third key is deleted, every fifth is written twice.
void Write(const Database& database, int begin, int end) {
  const auto put =
      Function<void(Handle, Handle, Handle, const char*, size_t, const char*, size_t, char**)>(
          "rocksdb_put_cf");
  const auto remove =
      Function<void(Handle, Handle, Handle, const char*, size_t, char**)>("rocksdb_delete_cf");
  const Handle write = Function<Handle()>("rocksdb_writeoptions_create")();
  char* error = nullptr;
  for (int family = 0; family < kNumFamilies; ++family) {
    const Handle handle = database.families[family];
    for (int i = begin; i < end; ++i) {
      const std::string key = Key(2 * i);
      for (const char* const value : {"first", "second"}) {
        put(database.db, write, handle, key.data(), key.size(), value, std::strlen(value), &error);
        Require(error);
        if (i % 5 != 0) break;
      }
      if (i % 3 == 0) remove(database.db, write, handle, key.data(), key.size(), &error);
      Require(error);
    }
    Function<void(Handle, Handle, const char*, size_t, const char*, size_t)>(
        "rocksdb_compact_range_cf")(database.db, handle, nullptr, 0, nullptr, 0);
  }
}

using Answer = std::optional<std::string>;  // nothing: the key is missing

// Versions before 7.3 have no batches in C.
std::vector<Answer> MultiGet(const Database& database, Handle family,
                             const std::vector<std::string>& keys) {
  static const Handle read = Function<Handle()>("rocksdb_readoptions_create")();
  const size_t count = keys.size();
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;
  for (const std::string& key : keys) {
    pointers.push_back(key.data());
    sizes.push_back(key.size());
  }
  std::vector<Answer> answers(count);
  std::vector<char*> errors(count);
  if (dlsym(rocksdb, "rocksdb_batched_multi_get_cf") == nullptr) {
    const std::vector<Handle> families(count, family);
    std::vector<char*> values(count);
    std::vector<size_t> value_sizes(count);
    Function<void(Handle, Handle, const Handle*, size_t, const char* const*, const size_t*, char**,
                  size_t*, char**)>("rocksdb_multi_get_cf")(
        database.db, read, families.data(), count, pointers.data(), sizes.data(), values.data(),
        value_sizes.data(), errors.data());
    for (size_t i = 0; i < count; ++i) {
      Require(errors[i]);
      if (values[i] != nullptr) answers[i].emplace(values[i], value_sizes[i]);
      std::free(values[i]);
    }
    return answers;
  }
  std::vector<Handle> values(count);
  Function<void(Handle, Handle, Handle, size_t, const char* const*, const size_t*, Handle*, char**,
                bool)>("rocksdb_batched_multi_get_cf")(database.db, read, family, count,
                                                       pointers.data(), sizes.data(), values.data(),
                                                       errors.data(), false);
  for (size_t i = 0; i < count; ++i) {
    Require(errors[i]);
    if (values[i] == nullptr) continue;
    size_t size = 0;
    const char* const text =
        Function<const char*(Handle, size_t*)>("rocksdb_pinnableslice_value")(values[i], &size);
    answers[i].emplace(text, size);
    Function<void(Handle)>("rocksdb_pinnableslice_destroy")(values[i]);
  }
  return answers;
}

// Returns how many keys have another value than Write gave them.
int WrongKeys(const Database& database, int num_keys) {
  const auto get = Function<char*(Handle, Handle, Handle, const char*, size_t, size_t*, char**)>(
      "rocksdb_get_cf");
  const Handle read = Function<Handle()>("rocksdb_readoptions_create")();
  const auto is_right = [](int number, const char* value, size_t size) {
    if (number % 3 == 0) return value == nullptr;
    return value != nullptr && std::string(value, size) == (number % 5 == 0 ? "second" : "first");
  };
  int wrong = 0;
  for (const Handle family : database.families) {
    for (int i = 0; i < num_keys; ++i) {
      const std::string key = Key(2 * i);
      char* error = nullptr;
      size_t size = 0;
      char* const value = get(database.db, read, family, key.data(), key.size(), &size, &error);
      Require(error);
      wrong += !is_right(i, value, size);
      std::free(value);
    }
  }
  constexpr int kBatch = 50;
  for (const Handle family : database.families) {
    for (int begin = 0; begin + kBatch <= num_keys; begin += kBatch) {
      std::vector<std::string> keys;
      for (int i = begin; i < begin + kBatch; ++i) keys.push_back(Key(2 * i));
      const std::vector<Answer> answers = MultiGet(database, family, keys);
      for (int i = 0; i < kBatch; ++i) {
        const Answer& answer = answers[static_cast<size_t>(i)];
        wrong +=
            !is_right(begin + i, answer ? answer->data() : nullptr, answer ? answer->size() : 0);
      }
    }
  }
  return wrong;
}

int64_t BloomUseful(const Database& database) {
  char* const text =
      Function<char*(Handle)>("rocksdb_options_statistics_get_string")(database.options);
  const char* const found = std::strstr(text, "rocksdb.bloom.filter.useful COUNT : ");
  const int64_t count = found == nullptr ? -1 : std::atoll(std::strstr(found, ": ") + 2);
  std::free(text);
  return count;
}

// Queries a missing key beside each key, and returns how many queries of 1000 read a block.
double FalsePositives(const Database& database, int num_keys) {
  const auto get = Function<char*(Handle, Handle, Handle, const char*, size_t, size_t*, char**)>(
      "rocksdb_get_cf");
  const Handle read = Function<Handle()>("rocksdb_readoptions_create")();
  const int64_t before = BloomUseful(database);
  for (const Handle family : database.families) {
    for (int i = 0; i < num_keys - 1; ++i) {
      const std::string key = Key(2 * i + 1);
      char* error = nullptr;
      size_t size = 0;
      if (get(database.db, read, family, key.data(), key.size(), &size, &error) != nullptr) {
        std::exit(1);
      }
      Require(error);
    }
  }
  const auto stopped = static_cast<double>(BloomUseful(database) - before);
  return 1000 * (1 - stopped / (kNumFamilies * (num_keys - 1)));
}

void SetPolicy(const Database& database, const std::string& options) {
  const auto set =
      Function<void(Handle, Handle, int, const char* const*, const char* const*, char**)>(
          "rocksdb_set_options_cf");
  const std::string value = "{filter_policy={" + options + "};}";
  const char* const name = "block_based_table_factory";
  const char* const text = value.c_str();
  char* error = nullptr;
  for (const Handle family : database.families) {
    set(database.db, family, 1, &name, &text, &error);
    Require(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) return 2;
  rocksdb = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (rocksdb == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  // The preload library knows of a RocksDB that is opened late once the program asks for a policy.
  Function<void(Handle)>("rocksdb_filterpolicy_destroy")(
      Function<Handle(double)>("rocksdb_filterpolicy_create_bloom")(10));
  const std::string mode = argv[2];
  const Database database = Open(mode, argv[3], argv[4]);
  int num_keys = kNumKeys;
  if (mode == "write") Write(database, 0, num_keys);
  int wrong = WrongKeys(database, num_keys);
  if (mode == "write" && argc == 6) {
    SetPolicy(database, argv[5]);
    num_keys += kNumKeys / 2;
    Write(database, kNumKeys, num_keys);
    wrong += WrongKeys(database, num_keys);
  }
  const double false_positives = FalsePositives(database, num_keys);
  std::printf("wrong %d, false positives per 1000 %.1f\n", wrong, false_positives);
  Close(database);
  return wrong != 0;
}

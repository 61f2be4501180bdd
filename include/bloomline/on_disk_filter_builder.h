// Filters larger than RAM: the same bytes as FilterBuilder (filter.h) makes, written to a file in
// bounded memory, from keys in any order.
//
//   bloomline::OnDiskFilterOptions options;
//   options.filter.format = bloomline::Format::kCompact;
//   options.filter.bits_per_key = 7.1;
//   std::string error;
//   auto builder = bloomline::OnDiskFilterBuilder::Create(options, &error);
//   if (builder == nullptr) { /* error gives the reason */ }
//   if (!builder->AddKey("apple", &error)) { /* for example, the disk is full */ }
//   if (!builder->Finish("apples.filter", &error)) { ... }
//   // Map the file and give its bytes to FilterView::Open.
//
// FilterBuilder keeps a 64-bit hash of each key and needs 72 to 77 bits per key in kCompact: 9.6 GB
// for 1e9 keys. Here the hashes go to a temporary file, divided by their upper bits. The blocks of
// a filter are in the order of these bits, so the filter is then built partition by partition.
//
// Link bloomline::filters (CMake component `filters`).
#ifndef BLOOMLINE_ON_DISK_FILTER_BUILDER_H_
#define BLOOMLINE_ON_DISK_FILTER_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "bloomline/keys.h"

namespace bloomline {

// The least OnDiskFilterOptions::memory_bytes per thread, and the most threads.
constexpr uint64_t kMinOnDiskMemoryPerThread = uint64_t{1} << 20;
constexpr int kMaxOnDiskThreads = 1024;

struct OnDiskFilterOptions {
  // kBlocked or kCompact. With random_seed, Create and each successful Finish draw the seed of the
  // next filter. If the system's generator fails, Create or the next AddKey fails.
  FilterOptions filter;

  // Folder of the temporary file, which takes 8 bytes per distinct key. The file has no name there,
  // and the system frees its space however the process ends. Choose a local disk: /tmp is often
  // a RAM disk, which defeats the purpose. "." is the current folder, and an empty string is the
  // root folder, "/".
  std::string temp_directory = ".";

  // The most memory for hashes, blocks and buffers, in bytes; at least
  // kMinOnDiskMemoryPerThread for each thread. This leaves out an index of the temporary file,
  // 0.02 bits per key (0.25 below 64 MiB of memory), and the system's page cache. With more memory
  // there are fewer partitions, so fewer hashes are read twice.
  uint64_t memory_bytes = uint64_t{512} << 20;

  // The most threads that Finish uses, 1 to kMaxOnDiskThreads; it uses one for each 32,768
  // keys.
  int num_threads = 1;

  // Empty if the options are valid, else one sentence that names the value and the allowed range.
  std::string Validate() const;
};

// Create ((AddKey | AddKeys)* Finish)*. Not thread-safe. Throws nothing. `error` may be null. If a
// function fails, *error is one sentence that names the file; if it succeeds, *error is unchanged.
class OnDiskFilterBuilder {
 public:
  // Null if the options are invalid or the temporary file cannot be made.
  static std::unique_ptr<OnDiskFilterBuilder> Create(const OnDiskFilterOptions& options,
                                                     std::string* error);
  ~OnDiskFilterBuilder();
  // A builder that was moved from can only be destroyed or assigned to.
  OnDiskFilterBuilder(OnDiskFilterBuilder&&) noexcept;
  OnDiskFilterBuilder& operator=(OnDiskFilterBuilder&&) noexcept;

  // Adds a key of any length. Adjacent duplicates are skipped; other duplicates count as keys, as
  // in FilterBuilder, so the filter grows and nothing else happens. Returns false if the key could
  // not be added, for example because the disk is full; Finish then fails with the same error.
  // Cost: one hash and 8 bytes written.
  bool AddKey(std::string_view key, std::string* error);

  // Adds n keys, in order, or the keys of a container or array, as in FilterBuilder. Stops at the
  // first that cannot be added.
  bool AddKeys(size_t n, const std::string_view* keys, std::string* error);
  template <typename Keys, typename = filter::IfKeys<Keys>>
  bool AddKeys(const Keys& keys, std::string* error) {
    bool added = true;
    filter::ForEachKeyGroup(keys, [&](size_t, size_t n, const std::string_view* group) {
      added = added && AddKeys(n, group, error);
    });
    return added;
  }
  template <typename Key, typename = filter::IfKeys<std::initializer_list<Key>>>
  bool AddKeys(std::initializer_list<Key> keys, std::string* error) {
    return AddKeys<std::initializer_list<Key>>(keys, error);
  }

  // As FilterBuilder::num_keys.
  uint64_t num_keys() const;

  // Writes the filter of all keys added to `path`, replacing the file atomically as
  // BloomFilter::Save does: exactly the bytes that FilterBuilder::Finish returns for the same keys
  // and seed. Without keys that is a filter of 20 bytes that matches nothing. The builder is then
  // empty and can be used again. Returns false on failure. `path` is then unchanged, with the one
  // exception of Save. Unless AddKey had failed before, the builder keeps its keys, and you can
  // call Finish again, for example with another path.
  bool Finish(const std::string& path, std::string* error);

 private:
  struct State;
  explicit OnDiskFilterBuilder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ON_DISK_FILTER_BUILDER_H_

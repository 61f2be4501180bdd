// The functions that are called from C: include/bloomline/c_rocksdb.h, and the plugin's.
#include <memory>
#include <string>
#include <utility>

#include "bloomline/c_rocksdb.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/policy.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/support/c_error.h"

extern "C" uint8_t bloomline_rocksdb_register(char** errptr) {
  return bloomline::support::OrSetError(errptr, [](std::string* reason) {
    *reason = bloomline::RocksDBVersionMismatch();
    return reason->empty() && bloomline::RegisterBloomline();
  });
}

// RocksDB's C functions declare their handles as classes with one base, the C++ class, and pass
// them on as pointers to that (db/c.cc, read in 7.8 to 11.9). So a handle may be any object of it.
extern "C" rocksdb_filterpolicy_t* bloomline_rocksdb_filterpolicy_create(const char* options,
                                                                         char** errptr) {
  auto policy = bloomline::support::OrSetError(errptr, [&](std::string* reason) {
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterPolicy> made;
    if (bloomline::support::IsNullText(options, "options", reason)) return made;
    made = bloomline::MakeRocksDBFilterPolicy(options, reason);
    if (made != nullptr) bloomline::RegisterBloomline();
    return made;
  });
  return reinterpret_cast<rocksdb_filterpolicy_t*>(policy.release());
}

extern "C" rocksdb_slicetransform_t* bloomline_rocksdb_slicetransform_create_ranges(char** errptr) {
  auto extractor = bloomline::support::OrSetError(errptr, [](std::string* reason) {
    std::unique_ptr<const ROCKSDB_NAMESPACE::SliceTransform> made;
    *reason = bloomline::RocksDBVersionMismatch();
    if (!reason->empty()) return made;
    bloomline::RegisterBloomline();
    made = bloomline::MakeRangeExtractor();
    return made;
  });
  return reinterpret_cast<rocksdb_slicetransform_t*>(
      const_cast<ROCKSDB_NAMESPACE::SliceTransform*>(extractor.release()));
}

extern "C" uint8_t bloomline_rocksdb_validate_family_options(const char* options, char** errptr) {
  return bloomline::support::OrSetError(errptr, [=](std::string* reason) {
    if (bloomline::support::IsNullText(options, "options", reason)) return false;
    *reason = bloomline::RocksDBVersionMismatch();
    if (!reason->empty()) return false;
    bloomline::RegisterBloomline();
    ROCKSDB_NAMESPACE::ConfigOptions config;
    config.ignore_unsupported_options = false;  // an object of a name that is not registered
    config.input_strings_escaped = false;       // otherwise RocksDB drops such errors of a table
    ROCKSDB_NAMESPACE::ColumnFamilyOptions parsed;
    const ROCKSDB_NAMESPACE::Status status =
        GetColumnFamilyOptionsFromString(config, parsed, options, &parsed);
    if (status.ok()) return true;
    *reason = "RocksDB refuses the options: " + status.ToString();  // without a seed in them
    return false;
  });
}

extern "C" int bloomline_rocksdb_plugin(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                        const std::string& arg) {
  return bloomline::RegisterBloomline(library, arg);
}

// The filter policy of another release of bloomline, from its shared library.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_FORMER_RELEASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_FORMER_RELEASE_H_

#include <memory>
#include <string>

namespace rocksdb {
class FilterPolicy;
}  // namespace rocksdb

namespace bloomline::bench {

// `library` is a libbloomline_rocksdb.so for the same RocksDB, `option` is the filter_policy of an
// OPTIONS file. Throws std::runtime_error.
std::shared_ptr<const rocksdb::FilterPolicy> PolicyOfRelease(const std::string& library,
                                                             const std::string& option);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_FORMER_RELEASE_H_

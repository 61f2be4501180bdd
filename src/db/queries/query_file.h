// Reads queries from a file: keys and ranges as text, or a trace of RocksDB.
#ifndef BLOOMLINE_DB_QUERIES_QUERY_FILE_H_
#define BLOOMLINE_DB_QUERIES_QUERY_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/cli/shared/key_reader.h"
#include "src/db/queries/recorded_queries.h"
#include "src/support/file_io.h"

namespace bloomline::db {

// A file begins as a trace, or it has keys in that form; "-" is standard input, and has keys. In
// lines, also hexadecimal ones, a tab separates the bounds of a range: "BEGIN\tEND". False with
// *error: it cannot be read, or names the line or the offset that is wrong and what is allowed.
bool ReadQueries(const std::string& path, cli::KeyForm form, uint64_t seed,
                 RecordedQueries* queries, std::string* error);

// In the first record of each trace.
constexpr std::string_view kTraceMagic = "feedcafedeadbeef";
// Whether it begins as what DB::StartTrace writes.
bool IsTrace(const support::InputFile& file);

// RocksDB trace_replay/trace_replay.cc, trace versions 0.1 and 0.2 (RocksDB 5.14 and later): Get,
// MultiGet, and Seek with its bounds. Writes are skipped. A trace that ends within a record, as one
// that is being written, sets RecordedQueries::warning.
bool ReadTrace(const support::InputFile& file, QueryCollector* collector, std::string* warning,
               std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_QUERIES_QUERY_FILE_H_

// Statistics::ToString(), as RocksDB 7 to 11 print it.
#ifndef BLOOMLINE_INSPECT_DATABASE_TICKER_TEXT_H_
#define BLOOMLINE_INSPECT_DATABASE_TICKER_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/inspect/database/database.h"

namespace bloomline::database {

// RocksDB cuts a message of LOG at this size. A dump has about 25 KB.
constexpr size_t kMaxDumpBytes = 65536;

// The lines of statistics at the beginning of `text`, up to another line. False: the end of `text`
// cuts them off.
bool WholeDump(std::string_view text, std::string* dump);

// Skips what is no ticker.
void ParseDump(std::string_view dump, Tickers* tickers);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_TICKER_TEXT_H_

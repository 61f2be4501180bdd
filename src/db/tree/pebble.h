// Recognises databases of Pebble (CockroachDB, geth), whose files have names and partly bytes of
// RocksDB's.
//
// Formats: Pebble format_major_version.go, options.go, sstable/format.go. In its first format,
// which it shares with RocksDB 6.2, CURRENT names the MANIFEST and tables are RocksDB's. From the
// next on, a marker file names the MANIFEST, and CURRENT is missing or names MANIFEST-000000, which
// does not exist; tables soon get a magic number and blocks of Pebble's own.
#ifndef BLOOMLINE_DB_TREE_PEBBLE_H_
#define BLOOMLINE_DB_TREE_PEBBLE_H_

#include <string>

namespace bloomline::tree {

// What shows that Pebble has written a folder.
struct PebbleSign {
  enum class Kind {
    kNone,
    kMarker,   // the folder is not in the format that it shares with RocksDB
    kOptions,  // it may be
    kTable,    // the newest table has Pebble's magic number; the database need not have this table
  };
  Kind kind = Kind::kNone;
  std::string text;  // "marker.manifest.000001.MANIFEST-000005", "pebble_version in OPTIONS-000003"
};

PebbleSign FindPebbleSign(const std::string& folder);

// Sentences behind a path: ": is a Pebble database (SIGN)"; the second, for commands that refuse
// any database of Pebble's.
std::string PebbleText(const std::string& sign);
std::string PebbleRefusal(const std::string& sign);

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_PEBBLE_H_

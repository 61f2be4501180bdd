// What a policy keeps of options that it refuses. RocksDB drops most errors of option strings, and
// goes on with the policy: it must neither write other filters than the user asked for in silence,
// nor forget the mistake.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_REFUSAL_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_REFUSAL_H_

#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::engine {

// The option under which OPTIONS files keep what was refused:
// {id=bloomline;refused={format=ribon;bits_per_key=14.5;};}. RocksDB reads back each OPTIONS file
// that it writes, and must find the same there.
constexpr char kRefusedOptions[] = "refused";

// An option of earlier versions. A database with this option has a comparator that treats different
// keys as equal, so filters would lose keys: a policy that is given the option writes none,
// wherever RocksDB goes on with it. Earlier versions look for it beside `refused`.
constexpr char kCanonicalizer[] = "canonicalizer";

struct Refusal {
  std::string reason;  // names the value and the allowed range
  std::string id;      // "bloomline", or "bloomline:1000"
  OptionMap options;   // as they were given, unescaped

  // What becomes of the policy: the end of a sentence, for stderr and for LOG.
  std::string Consequence() const;
};

// The options with which a policy goes on whose own were refused, where RocksDB does not validate
// policies: RocksDB's own Bloom filters with 10 bits per key.
RocksDBFilterOptions OptionsOfRefusal();

// Replaces characters that would end a text in an OPTIONS file, or that it would lose, by '?',
// which no option takes.
std::string WithoutDelimiters(std::string text);

// Returns the value of the option `refused`: "bits_per_key=14.5;format=ribon;".
std::string RefusedText(const OptionMap& options);
// Returns the values that OPTIONS files have of kRefusedOptions and kCanonicalizer: the first in
// braces, and empty ones for what there is not.
std::string TextOfRefused(const std::string& name, const OptionMap& options);
// Returns both with their names: "refused={bits_per_key=14.5;format=ribon;};".
std::string SerializedRefusal(const OptionMap& options, const std::string& delimiter);

// Replaces the option `refused` by the options in it. Of two values, that of `options` counts: then
// a change fixes the option. If there is such a change, unknown names are left out, because no
// change can name them; these are returned: "bits, fromat".
std::string UnfoldRefused(OptionMap* options);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_REFUSAL_H_

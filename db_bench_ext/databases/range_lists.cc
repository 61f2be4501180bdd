// Shapes of keys that nobody made for a bench: files, words, domain names.
#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "db_bench_ext/databases/range_shapes.h"
#include "db_bench_ext/support/keys.h"

namespace bloomline::bench::ranges {
namespace {

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error("no lines in " + path);
  return lines;
}

// The keys of a list in a random order, so that each beginning of it is a sample.
class List {
 public:
  explicit List(std::vector<std::string> keys) : sorted_(std::move(keys)) {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    keys_ = sorted_;
    std::shuffle(keys_.begin(), keys_.end(), std::mt19937_64(7));
  }

  uint64_t size() const { return keys_.size(); }
  const std::string& key(uint64_t index) const { return keys_[index]; }
  bool HasKeysIn(const Range& range) const {
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), range.begin);
    return found != sorted_.end() && *found < range.end;
  }

 private:
  std::vector<std::string> sorted_;
  std::vector<std::string> keys_;
};

// The first range of candidate(random) that is empty, with other random numbers until one is.
template <typename Candidate>
Range EmptyRange(const List& list, uint64_t random, Candidate candidate) {
  for (;; random = Mix(random + 1)) {
    const Range range = candidate(random);
    if (!list.HasKeysIn(range)) return range;
  }
}

// ---- The files of this machine; asked for directories beside those that exist.

const List& Files() {
  static const List list([] {
    std::vector<std::string> paths = Lines(FileListPath());
    for (std::string& path : paths) path.resize(path.rfind(' '));  // its size
    return paths;
  }());
  return list;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path + "/" : path.substr(0, slash + 1);
}

Range PathRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const auto directory = [&](uint64_t number) {
    return DirectoryOf(Files().key(number % num_keys));
  };
  if (kind == RangeKind::kEmpty) {
    return EmptyRange(Files(), random, [&](uint64_t number) {
      std::string sibling = directory(number);
      // Another directory's name with the same beginning: a version, a language, a package.
      sibling.insert(sibling.size() - 1, std::to_string(number % 97));
      return Under(sibling);
    });
  }
  const std::string path = directory(random);
  return Under(kind == RangeKind::kShort ? path : DirectoryOf(path.substr(0, path.size() - 1)));
}

// ---- English words; asked for beginnings that no word has.

const List& Words() {
  static const List list(Lines("/usr/share/dict/words"));
  return list;
}

Range WordRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const auto word = [&](uint64_t number) { return Words().key(number % num_keys); };
  if (kind == RangeKind::kEmpty) {
    return EmptyRange(Words(), random, [&](uint64_t number) {
      return Under(word(number).substr(0, 4) + static_cast<char>('a' + (number >> 40) % 26) +
                   static_cast<char>('a' + (number >> 50) % 26));
    });
  }
  return Under(word(random).substr(0, kind == RangeKind::kShort ? 6 : 3));
}

// ---- Domain names from the right, com.example; asked for domains that do not exist.

const List& Domains() {
  static const List list([] {
    std::vector<std::string> keys;
    for (const std::string& line : Lines("/usr/share/publicsuffix/public_suffix_list.dat")) {
      if (line.empty() || line[0] == '/' || line[0] == '*' || line[0] == '!') continue;
      std::string reversed;
      for (size_t end = line.size(); end != std::string::npos;) {
        const size_t dot = end == 0 ? std::string::npos : line.rfind('.', end - 1);
        const size_t first = dot == std::string::npos ? 0 : dot + 1;
        reversed += (reversed.empty() ? "" : ".") + line.substr(first, end - first);
        end = dot;
      }
      // Eight hosts in each.
      for (int host = 0; host < 8; ++host)
        keys.push_back(reversed + ".host" + std::to_string(host));
    }
    return keys;
  }());
  return list;
}

Range DomainRange(RangeKind kind, uint64_t num_keys, uint64_t random) {
  const auto domain = [&](uint64_t number) {
    const std::string& key = Domains().key(number % num_keys);
    return key.substr(0, key.rfind('.'));
  };
  if (kind == RangeKind::kEmpty) {
    return EmptyRange(Domains(), random, [&](uint64_t number) {
      return Under(domain(number) + static_cast<char>('a' + (number >> 40) % 26) + ".");
    });
  }
  const std::string name = domain(random);
  return Under((kind == RangeKind::kShort ? name : name.substr(0, name.find('.'))) + ".");
}

}  // namespace

std::string& FileListPath() {
  static std::string path;
  return path;
}

std::vector<Shape> RealLists() {
  return {
      {"paths", "the files of this machine; empty: directories that do not exist", 16, 0,
       [](uint64_t i) { return Files().key(i); }, PathRange, [] { return Files().size(); }},
      {"words", "/usr/share/dict/words; empty: six letters", 5, 0,
       [](uint64_t i) { return Words().key(i); }, WordRange, [] { return Words().size(); }},
      {"domains", "com.example.host1; empty: domains that do not exist", 8, 0,
       [](uint64_t i) { return Domains().key(i); }, DomainRange, [] { return Domains().size(); }}};
}

std::vector<Shape> AllShapes() {
  std::vector<Shape> shapes = Shapes();
  for (const std::vector<Shape>& more : {PaddedShapes(), RealLists()}) {
    shapes.insert(shapes.end(), more.begin(), more.end());
  }
  return shapes;
}

void AddShapeFlags(CommandLine* command, Flags* flags) {
  std::set<std::string> names;
  for (const Shape& shape : AllShapes()) names.insert(shape.name);
  command->AddNumber("--scans", &flags->scans, uint64_t{100}, uint64_t{100000000});
  command->AddNames("--shapes", &flags->shapes, names);
}

}  // namespace bloomline::bench::ranges

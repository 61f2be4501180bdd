#include "tests/support/declared_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace bloomline::tests {
namespace {

// The identifier that ends before `end`.
std::string NameBefore(const std::string& text, size_t end) {
  size_t start = end;
  while (start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) != 0 ||
                       text[start - 1] == '_')) {
    --start;
  }
  return text.substr(start, end - start);
}

bool StartsWith(const std::string& line, const std::string& start) {
  return line.compare(0, start.size(), start) == 0;
}

// The parenthesis around `place`. Parameters before it may be pointers to functions.
size_t OpenBefore(const std::string& code, size_t place) {
  int closed = 0;
  while (place-- > 0) {
    if (code[place] == ')') ++closed;
    if (code[place] == '(' && closed-- == 0) return place;
  }
  return std::string::npos;
}

// The class around a line, and its access. The headers are formatted, so a class begins and ends at
// the start of a line.
class Scope {
 public:
  void Read(const std::string& line) {
    const bool opens = line.find('{') != std::string::npos;
    for (const std::string keyword : {"class ", "struct "}) {
      if (!opens || !StartsWith(line, keyword)) continue;
      const size_t end = line.find_first_of(" {", keyword.size());
      name_ = line.substr(keyword.size(), end - keyword.size()) + "::";
      is_private_ = false;
    }
    if (StartsWith(line, "};")) name_.clear();
    if (StartsWith(line, " private:")) is_private_ = true;
    if (name_.empty()) is_private_ = false;
  }
  const std::string& name() const { return name_; }
  bool is_private() const { return is_private_; }

 private:
  std::string name_;
  bool is_private_ = false;
};

}  // namespace

std::set<std::string> DeclaredFunctionsWith(const std::string& parameter,
                                            const std::string& header) {
  std::ifstream file(std::string(BLOOMLINE_INCLUDE_DIR) + "/" + header);
  EXPECT_TRUE(file.is_open()) << header;
  std::set<std::string> names;
  std::string code;
  Scope scope;
  bool in_comment = false;  // one that goes on over lines, as in C
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find("//"), line.size()));
    in_comment = in_comment || StartsWith(line, "/*");
    const bool is_comment = in_comment;
    if (line.find("*/") != std::string::npos) in_comment = false;
    if (is_comment) continue;
    scope.Read(line);
    code += line + '\n';
    const size_t found = line.find(parameter);
    if (found == std::string::npos || scope.is_private()) continue;
    const size_t open = OpenBefore(code, code.size() - 1 - line.size() + found);
    if (open != std::string::npos) names.insert(scope.name() + NameBefore(code, open));
  }
  return names;
}

}  // namespace bloomline::tests

// The block of docs/chosen_keys.md. The policy's name must be what the page says.
#include <bloomline/leveldb.h>
#include <bloomline/seed.h>
#include <leveldb/filter_policy.h>

#include <memory>
#include <string>
#include <string_view>
// INCLUDES

int main() {
  std::string error;
  // BLOCK 1
  const std::unique_ptr<const leveldb::FilterPolicy> owned(policy);
  if (policy == nullptr || !error.empty()) return 1;
  const std::string_view start = "app.Filter.seed-", name = policy->Name();
  if (name.substr(0, start.size()) != start) return 2;
  return name.find_first_not_of("0123456789abcdef", start.size()) == name.npos &&
                 name.size() == start.size() + 32
             ? 0
             : 3;
}

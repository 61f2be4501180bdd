// bloomline inspect: the command line and the output of inspect.h.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include "src/tool/commands.h"
#include "src/tool/inspect.h"
#include "src/tool/json.h"
#include "src/tool/quantity.h"

namespace bloomline::tool {
namespace {

constexpr uint64_t kNumRandomKeys = 1000000;

void PrintJson(const Inspection& filter, uint64_t file_bytes) {
  Json json{{"layout", filter.layout}, {"bytes", file_bytes}};
  json["always_matches"] = !filter.why_always_matches.empty();
  if (!filter.why_always_matches.empty()) {
    json["why"] = filter.why_always_matches;
  } else {
    json["payload_bytes"] = filter.payload_bytes;
    json["num_lines"] = filter.num_lines;
    json["line_bytes"] = filter.line_bytes;
    json["num_probes"] = filter.num_probes;
    json["seed"] = filter.seed;
    json["fill"] = OrNull(filter.fill);
    json["num_keys_from_fill"] = OrNull(filter.keys_from_fill);
    json["false_positive_rate_from_fill"] = OrNull(filter.rate_from_fill);
    json["num_random_keys"] = filter.num_random_keys;
    json["random_match_rate"] = filter.random_match_rate;
  }
  Print(json);
}

void PrintText(const Inspection& filter, uint64_t file_bytes) {
  if (!filter.why_always_matches.empty()) {
    std::cout << "not a usable bloomline filter, it matches every key: "
              << filter.why_always_matches << '\n';
    return;
  }
  std::cout << "layout: " << filter.layout << '\n' << "bytes: " << CountText(file_bytes) << '\n';
  if (filter.num_lines != 0) {
    std::cout << "lines: " << CountText(filter.num_lines) << " of " << filter.line_bytes
              << " bytes\n";
  }
  if (filter.num_probes != 0) std::cout << "probes: " << filter.num_probes << '\n';
  std::cout << "seed: " << filter.seed << '\n';
  if (filter.payload_bytes == 0) {
    std::cout << "keys: none, it matches nothing\n";
    return;
  }
  if (filter.fill) std::cout << "bits set: " << RateText(*filter.fill) << '\n';
  if (filter.keys_from_fill) {
    std::cout << "keys, from the bits set: about "
              << CountText(static_cast<uint64_t>(*filter.keys_from_fill + 0.5)) << '\n';
  }
  if (filter.rate_from_fill) {
    std::cout << "false positives, from the bits set: " << RateText(*filter.rate_from_fill) << '\n';
  }
  std::cout << "false positives among " << CountText(filter.num_random_keys)
            << " random keys: " << RateText(filter.random_match_rate) << '\n';
}

// False with errno set. Not a stream, which would keep the reason to itself.
bool ReadFile(const std::string& path, std::string* bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) return false;
  std::vector<char> buffer(1 << 20);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    bytes->append(buffer.data(), count);
  }
  return std::ferror(file.get()) == 0;
}

int Run(const std::string& path, bool json) {
  std::string bytes;
  if (!ReadFile(path, &bytes)) {
    std::cerr << "bloomline inspect: " << path << ": " << std::strerror(errno) << '\n';
    return kExitFailure;
  }
  (json ? PrintJson : PrintText)(Inspect(bytes, kNumRandomKeys), bytes.size());
  return kExitOk;
}

}  // namespace

void AddInspectCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "inspect", "What a file of filter bytes is (output of FilterBuilder::Finish)");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *path, "The file")->required()->type_name("");
  command->add_flag("--json", *json, "Print JSON");
  command->callback([=] { *exit_code = Run(*path, *json); });
}

}  // namespace bloomline::tool

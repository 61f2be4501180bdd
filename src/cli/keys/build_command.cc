// bloomline build: makes a filter from a list of keys.
#include <memory>
#include <utility>

#include "bloomline/filter.h"
#include "bloomline/seed.h"
#include "bloomline/sizing.h"
#include "src/cli/ribbon_sizes.h"
#include "src/cli/subcommands.h"
#include "src/filter/options/formats.h"
#include "src/support/file_io.h"
#include "src/support/quoted.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/key_reader.h"
#include "src/tool/progress.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"

namespace bloomline::cli {
namespace {

// Each thread gets 32,768 keys (run_on_threads.h), so only 33.6 million keys need as many threads.
constexpr int kMaxThreads = 1024;

struct BuildRequest {
  std::vector<std::string> key_files;
  tool::KeyForm form = tool::KeyForm::kLines;
  std::string output;
  std::optional<Format> format;
  std::optional<double> bits_per_key, rate;
  std::optional<uint64_t> seed;
  std::optional<int> num_threads;
  bool random_seed = false;
  bool json = false;
};

int FailToBuild(int exit_code, const std::string& error) {
  tool::PrintError("bloomline build: " + error);
  return exit_code;
}

// Returns what is wrong with the request; or an empty string, with the options in *options.
std::string ToOptions(const BuildRequest& request, FilterOptions* filter) {
  if (request.output == "-") {
    return "--output is '-'; allowed: a file, because the filter is written beside it and renamed";
  }
  filter->format = request.format.value_or(filter->format);
  if (request.rate) {
    std::string error = ValidateFalsePositiveRate(filter->format, *request.rate);
    if (!error.empty()) return error;
    filter->bits_per_key = BitsPerKeyForFalsePositiveRate(filter->format, *request.rate);
  } else {
    filter->bits_per_key = request.bits_per_key.value_or(filter->bits_per_key);
  }
  filter->seed = request.seed.value_or(0);
  std::string error = filter->Validate();
  if (error.empty() && request.random_seed) DrawSeed(&filter->seed, &error);
  return error;
}

// Moves the keys to a builder of other options if their number needs more bits for the rate.
void FitToRate(const BuildRequest& request, FilterOptions* options, FilterBuilder* builder) {
  if (!request.rate || builder->num_keys() == 0) return;
  FilterOptions fitted = *options;
  fitted.bits_per_key = BitsPerKeyForRate(options->format, *request.rate, builder->num_keys());
  FilterBuilder fitting(fitted);
  if (fitted.bits_per_key == options->bits_per_key || !fitting.TakeKeysFrom(builder)) return;
  *options = fitted;
  *builder = std::move(fitting);
}

bool AddAllKeys(tool::KeyReader* reader, FilterBuilder* builder, tool::Progress* progress,
                std::string* error) {
  std::vector<std::string_view> keys;
  std::string read_error;
  while (reader->Next(&keys, &read_error)) {
    for (const std::string_view key : keys) builder->AddKey(key);
    if (progress->IsDue()) {
      progress->Show(tool::Counted(reader->num_keys(), "key read", "keys read"),
                     reader->bytes_read(), reader->total_bytes());
    }
  }
  if (read_error.empty()) return true;
  *error = read_error;
  return false;
}

void Report(const BuildRequest& request, const FilterOptions& options, uint64_t num_keys,
            uint64_t num_bytes) {
  const double bits_per_key =
      num_keys == 0 ? 0 : 8 * static_cast<double>(num_bytes) / static_cast<double>(num_keys);
  const double rate =
      FalsePositiveRateWithKeys(options.format, options.bits_per_key, num_keys, num_keys);
  const std::string note = RibbonLimitNote(options, num_keys);
  if (request.json) {
    tool::Json json{{"path", request.output},       {"format", FormatName(options.format)},
                    {"num_keys", num_keys},         {"bytes", num_bytes},
                    {"bits_per_key", bits_per_key}, {"false_positive_rate", rate}};
    if (!note.empty()) json["note"] = note;
    tool::Print(json);
    return;
  }
  tool::PrintLine(request.output + ": " + tool::Counted(num_keys, "key, ", "keys, ") +
                  FormatName(options.format) + ", " + tool::BytesText(num_bytes) + ", " +
                  tool::NumberText(bits_per_key, 2) + " bits per key, " + tool::RateText(rate) +
                  " false positives expected" + (note.empty() ? "" : "; " + note));
}

// Writes the filter's bytes to the file. Returns false, with *error, if there is no memory or no
// seed for the filter, or if the file cannot be written.
bool Write(FilterBuilder* builder, const BuildRequest& request, uint64_t* num_bytes,
           std::string* error) {
  const std::string filter = builder->Finish(request.num_threads.value_or(1));
  *num_bytes = filter.size();
  *error = builder->error();
  support::ReplacementFile file;
  return error->empty() && file.Open(request.output, error) &&
         file.Append(filter.data(), filter.size(), error) && file.Commit(error);
}

int Run(const BuildRequest& request) {
  FilterOptions options;
  std::string error = ToOptions(request, &options);
  if (!error.empty()) return FailToBuild(tool::kExitImpossible, error);
  tool::KeyReader reader(request.form, request.key_files);
  if (!reader.Reads(request.output).empty()) {
    return FailToBuild(
        tool::kExitImpossible,
        "--output is '" + request.output + "', from which keys are read; allowed: another file");
  }
  // Finds out before hours of reading that the folder cannot be written. Leaves no file.
  if (!support::ReplacementFile().Open(request.output, &error))
    return FailToBuild(tool::kExitFailure, error);
  FilterBuilder builder(options);
  uint64_t num_bytes = 0;
  tool::Progress progress;
  bool built = AddAllKeys(&reader, &builder, &progress, &error);
  const uint64_t num_keys = builder.num_keys();
  if (built) {
    FitToRate(request, &options, &builder);
    progress.Show("building the filter of " + tool::Counted(num_keys, "key", "keys"), 0, 0);
    built = Write(&builder, request, &num_bytes, &error);
  }
  progress.Clear();
  if (!built) return FailToBuild(tool::kExitFailure, error);
  Report(request, options, num_keys, num_bytes);
  return tool::kExitOk;
}

std::optional<Format> ParseFormat(const std::string& text, std::string* error) {
  const std::optional<Format> format = filter::FormatNamed(text);
  if (format && filter::RowOf(*format).is_static) return format;
  *error =
      support::Quoted(text) + "; allowed: " + filter::NamesOfFormats(&filter::FormatRow::is_static);
  if (format == Format::kClassic) *error += " (classic is for LevelDB's files only)";
  if (format == Format::kCompact) *error += " (ribbon takes the place of compact)";
  return std::nullopt;
}

}  // namespace

void AddBuildCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand("build", "Builds a filter from a list of keys");
  auto request = std::make_shared<BuildRequest>();
  command->add_option("KEYS", request->key_files, "Files of keys, one on each line [stdin]")
      ->type_name("FILE");
  command->add_option("-o,--output", request->output, "The filter's file, which is replaced")
      ->required()
      ->type_name("FILE");
  tool::AddKeyFormOptions(command, &request->form);
  tool::AddQuantity(command, "--format", &request->format, ParseFormat,
                    "blocked or ribbon [blocked]")
      ->type_name("{blocked,ribbon}");
  CLI::Option* bits = tool::AddQuantity(
      command, "--bits-per-key", &request->bits_per_key,
      [](const std::string& text, std::string* error) {
        return tool::ParseNumber(text, kMinBitsPerKey, kMaxBitsPerKey, error);
      },
      "Memory for each key, for example 7.1 [10]");
  tool::AddQuantity(command, "--fpr", &request->rate, tool::ParseRate,
                    "False-positive rate, for example 0.01 or 1%")
      ->excludes(bits);
  CLI::Option* seed = tool::AddQuantity(command, "--seed", &request->seed, tool::ParseSeed,
                                        "Seed of the hash, decimal or 0x and hexadecimal [0]");
  command->add_flag("--random-seed", request->random_seed, "Draw a seed that nobody can know")
      ->excludes(seed);
  tool::AddQuantity(
      command, "--threads", &request->num_threads,
      [](const std::string& text, std::string* error) {
        return tool::ParseWhole(text, 1, kMaxThreads, error);
      },
      "Threads that build a blocked filter [1]");
  command->add_flag("--json", request->json, "Print JSON");
  command->footer(
      "Example:\n"
      "    seq 1000000 | bloomline build -o numbers.filter --format ribbon --fpr 1%\n\n"
      "An empty line is the empty key, and a carriage return belongs to its key. The\n"
      "command takes 8 bytes of memory per key, and the filter. After a failure, the\n"
      "old file is unchanged.");
  command->callback([=] { *exit_code = Run(*request); });
}

}  // namespace bloomline::cli

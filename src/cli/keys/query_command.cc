// bloomline query: prints the keys of a list that may be in a filter.
#include <functional>
#include <iostream>
#include <memory>
#include <utility>

#include "bloomline/filter.h"
#include "src/cli/inspect/foreign_file.h"
#include "src/cli/subcommands.h"
#include "src/tool/commands.h"
#include "src/tool/json.h"
#include "src/tool/key_reader.h"
#include "src/tool/progress.h"
#include "src/tool/quantity.h"
#include "src/tool/terminal.h"
#include "src/tool/whole_input.h"

namespace bloomline::cli {
namespace {

struct QueryRequest {
  std::string filter;
  std::vector<std::string> key_files;
  tool::KeyForm form = tool::KeyForm::kLines;
  std::optional<uint64_t> max_pipe_bytes;
  bool absent = false;
  bool count = false;
  bool quiet = false;
  bool json = false;
};

int FailToQuery(int exit_code, const std::string& error) {
  tool::PrintError("bloomline query: " + error);
  return exit_code;
}

// A filter that was read from a file: a static filter or a saved one.
class KeyFilter {
 public:
  // Returns null, with *error, for other bytes.
  static std::unique_ptr<KeyFilter> Open(const QueryRequest& request, std::string* error) {
    auto filter = std::make_unique<KeyFilter>();
    const uint64_t max_pipe_bytes = request.max_pipe_bytes.value_or(tool::kDefaultMaxPipeBytes);
    if (!OpenFilterFile(request.filter, max_pipe_bytes, &filter->file_, error)) return nullptr;
    const bool opened =
        IsSaved(filter->file_.bytes()) ? filter->OpenSaved(error) : filter->OpenBytes(error);
    return opened ? std::move(filter) : nullptr;
  }

  // Sets may_match[i] for keys[i].
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
    query_(n, keys, may_match);
  }

  // Whether the filter's writer made it match every key.
  bool always_matches() const { return always_matches_; }

 private:
  bool OpenSaved(std::string* error) {
    return UseSaved(file_, error, [&](auto filter) {
      // A std::function can be copied, so it shares the filter.
      query_ = [shared = std::shared_ptr(std::move(filter))](size_t n, const std::string_view* keys,
                                                             bool* may_match) {
        shared->MayMatch(n, keys, may_match);
      };
      return error->empty();
    });
  }

  bool OpenBytes(std::string* error) {
    const StaticFilter filter = DecodeStatic(file_.bytes());
    if (!filter.is_understood) {
      *error = NotAFilter(file_, filter.why);
      return false;
    }
    always_matches_ = filter.payload.always_matches();
    query_ = [view = FilterView::Open(file_.bytes())](size_t n, const std::string_view* keys,
                                                      bool* may_match) {
      view.MayMatch(n, keys, may_match);
    };
    return true;
  }

  tool::WholeInput file_;
  std::function<void(size_t, const std::string_view*, bool*)> query_;
  bool always_matches_ = false;
};

// Queries all keys, and prints the wanted ones unless the request says otherwise.
class Querying {
 public:
  Querying(const QueryRequest& request, const KeyFilter& filter)
      : request_(request),
        filter_(filter),
        prints_keys_(!request.count && !request.quiet && !request.json) {}

  // Returns false, with *error, if the keys cannot be read. Stops early if no process takes the
  // output.
  bool Run(tool::KeyReader* reader, std::string* error) {
    tool::Progress progress;
    std::vector<std::string_view> keys;
    while (reader->Next(&keys, error)) {
      for (size_t first = 0; first < keys.size(); first += kBatch) {
        QueryBatch(keys.data() + first, std::min(kBatch, keys.size() - first));
      }
      if (!output_.empty()) {
        progress.Clear();
        std::cout.write(output_.data(), static_cast<std::streamsize>(output_.size()));
        output_.clear();
        // Flushes at once, for a program that sends one key and waits for the answer.
        if (!tool::FlushOutput()) return true;
      }
      if (request_.quiet && num_may_match_ != 0) return true;
      if (progress.IsDue()) {
        progress.Show(tool::Counted(reader->num_keys(), "key queried", "keys queried"),
                      reader->bytes_read(), reader->total_bytes());
      }
    }
    return error->empty();
  }

  uint64_t num_keys() const { return num_keys_; }
  uint64_t num_may_match() const { return num_may_match_; }

 private:
  static constexpr size_t kBatch = 256;

  void QueryBatch(const std::string_view* keys, size_t n) {
    bool may_match[kBatch];
    filter_.MayMatch(n, keys, may_match);
    for (size_t i = 0; i < n; ++i) {
      num_may_match_ += may_match[i] ? 1 : 0;
      if (prints_keys_ && may_match[i] != request_.absent) {
        tool::AppendKey(request_.form, keys[i], &output_);
      }
    }
    num_keys_ += n;
  }

  const QueryRequest& request_;
  const KeyFilter& filter_;
  const bool prints_keys_;
  std::string output_;
  uint64_t num_keys_ = 0;
  uint64_t num_may_match_ = 0;
};

int Run(const QueryRequest& request) {
  std::string error;
  tool::KeyReader reader(request.form, request.key_files);
  if (const std::string same = reader.Reads(request.filter); !same.empty()) {
    return FailToQuery(tool::kExitImpossible,
                       "FILTER is '" + request.filter + "', and the keys come from " + same +
                           ", which is the same input; give one of them another file");
  }
  const auto filter = KeyFilter::Open(request, &error);
  if (filter == nullptr) return FailToQuery(tool::kExitFailure, error);
  if (filter->always_matches()) {
    tool::PrintError("bloomline query: " + request.filter +
                     ": was written to match every key, so nothing is certainly absent");
  }
  Querying querying(request, *filter);
  if (!querying.Run(&reader, &error)) return FailToQuery(tool::kExitFailure, error);
  const uint64_t num_absent = querying.num_keys() - querying.num_may_match();
  if (request.quiet) {
    // A program that fails before it writes a key must not look like "certainly absent".
    if (querying.num_keys() == 0)
      return FailToQuery(tool::kExitFailure, "--quiet has no key to query");
    return querying.num_may_match() != 0 ? tool::kExitOk : tool::kExitNoMatch;
  }
  if (request.json) {
    tool::Print(tool::Json{{"num_keys", querying.num_keys()},
                           {"num_may_match", querying.num_may_match()},
                           {"num_absent", num_absent}});
  } else if (request.count) {
    std::cout << (request.absent ? num_absent : querying.num_may_match()) << '\n';
  }
  return tool::kExitOk;
}

}  // namespace

void AddQueryCommand(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("query", "Prints which keys of a list may be in a filter");
  auto request = std::make_shared<QueryRequest>();
  command->add_option("FILTER", request->filter, "A file from 'build', Finish or Save; -: stdin")
      ->required()
      ->type_name("FILE");
  command->add_option("KEYS", request->key_files, "Files of keys, one on each line [stdin]")
      ->type_name("FILE");
  tool::AddKeyFormOptions(command, &request->form);
  command->add_flag("--absent", request->absent, "Print the keys that are certainly not in it");
  CLI::Option* count = command->add_flag("--count", request->count, "Print only how many");
  CLI::Option* quiet = command->add_flag("-q,--quiet", request->quiet,
                                         "Print nothing; exit with 0 if a key may be in it,\n"
                                         "3 if certainly none is, 1 without keys");
  tool::AddQuantity(command, "--max-pipe", &request->max_pipe_bytes, tool::ParseBytes,
                    "The most to read into memory from a pipe [1GiB]");
  CLI::Option* json = command->add_flag("--json", request->json, "Print the counts as JSON");
  quiet->excludes(count)->excludes(json);
  count->excludes(json);
  command->footer(
      "Example:\n"
      "    seq 999999 1000200 | bloomline query numbers.filter\n\n"
      "Keys are printed as they were written, in their order. Without --quiet the\n"
      "exit code is 0 whatever the answers are, so that no failure looks like an\n"
      "absent key.");
  command->callback([=] { *exit_code = Run(*request); });
}

}  // namespace bloomline::cli

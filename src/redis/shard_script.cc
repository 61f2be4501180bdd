#include "src/redis/shard_script.h"

#include "src/redis/command.h"

namespace bloomline::redis {

bool ShardScript::Run(Router* router, size_t first, size_t last, uint64_t num_calls,
                      std::string* error, const AddOptions& options) {
  first_ = first;
  num_calls_ = num_calls;
  refused_ = false;
  error_.clear();
  router->Run((last - first) * num_calls, this, options);
  if (!error_.empty()) *error = error_;
  return error_.empty();
}

void ShardScript::Encode(size_t i, std::string* out) {
  const std::vector<std::string> arguments = arguments_(first_ + i / num_calls_, i % num_calls_);
  BeginCommand(4 + arguments.size(), out);
  AppendArgument("EVAL", out);
  AppendArgument(script_, out);
  AppendArgument("1", out);
  AppendArgument(ShardOf(i).key, out);
  for (const std::string& argument : arguments) AppendArgument(argument, out);
}

void ShardScript::OnReply(size_t i, ReplyPtr reply, bool) {
  if (IsError(*reply)) {
    OnFailure(i, "redis: " + ShardOf(i).key + ": " + std::string(Text(*reply)));
  } else if (!accept_(first_ + i / num_calls_, *reply)) {
    refused_ = true;
    OnFailure(i, "redis: " + ShardOf(i).key +
                     " is not what its creator left: the server has lost it, or it was deleted");
  }
}

void ShardScript::OnFailure(size_t, const std::string& error) {
  if (error_.empty()) error_ = error;
}

}  // namespace bloomline::redis

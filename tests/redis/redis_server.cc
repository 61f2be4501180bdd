#include "tests/redis/redis_server.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "src/redis/command.h"

namespace bloomline::tests {
namespace {

constexpr int kBusOffset = 10000;  // a cluster node also listens there

[[noreturn]] void Die(const std::string& reason) {
  std::fprintf(stderr, "RedisServer: %s\n", reason.c_str());
  std::abort();
}

template <typename F>  // bool()
void WaitUntil(const std::string& what, F done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) Die("waited in vain for " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::string ToText(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
  std::string text(redis::Text(reply));
  for (size_t i = 0; i < reply.elements; ++i) {
    text += (i == 0 ? "" : " ") + ToText(*reply.element[i]);
  }
  return text;
}

// In Debian, redis-check-rdb is the same program, which does what its argv[0] says. It is in
// redis-tools: unlike the package redis-server, that one starts no service.
const char* ServerProgram() {
  for (const char* name : {"redis-server", "redis-check-rdb"}) {
    const std::string look = std::string("command -v ") + name + " >/dev/null 2>&1";
    if (std::system(look.c_str()) == 0) return name;
  }
  return nullptr;
}

// Starts a server with these arguments, of which the first is the program's name.
pid_t Spawn(std::vector<std::string> command) {
  static const char* const program = ServerProgram();
  if (program == nullptr) Die("there is no redis-server here");
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) Die("cannot fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(program, argv.data());
    _exit(127);
  }
  return pid;
}

// A node may refuse until it has learned of the last change.
void WaitUntilOk(const RedisServer& server, std::initializer_list<std::string_view> arguments) {
  std::string text;
  for (const std::string_view argument : arguments) text.append(argument) += ' ';
  WaitUntil(text, [&] { return server.Command(arguments) == "OK"; });
}

// The name, epoch and slots of each node of the cluster, as this node sees them.
std::set<std::string> OwnersAndEpochs(const RedisServer& server) {
  std::set<std::string> nodes;
  std::istringstream lines(server.Command({"CLUSTER", "NODES"}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string known;
    std::string field;
    for (int i = 0; fields >> field; ++i) {
      const bool is_migration = field.front() == '[';
      if ((i == 0 || i == 6 || i > 7) && !is_migration) known += field + " ";
    }
    nodes.insert(known);
  }
  return nodes;
}

}  // namespace

bool RedisServer::IsInstalled() { return ServerProgram() != nullptr; }

int RedisServer::Bind(int* port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, length) != 0 || getsockname(fd, generic, &length) != 0) Die("cannot bind");
  *port = ntohs(address.sin_port);
  return fd;
}

int RedisServer::FreePort() {
  for (;;) {
    int port = 0;
    close(Bind(&port));
    if (port + kBusOffset <= UINT16_MAX) return port;
  }
}

RedisServer::RedisServer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = FreePort();  // another process may take it first, or have that of the cluster's bus
    Start();
    if (WaitUntilItAnswers()) return;
    Kill();
  }
  Die("redis-server does not start");
}

RedisServer::~RedisServer() { Kill(); }

void RedisServer::Start() {
  std::vector<std::string> command = {
      "redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1", "--save",     "",
      "--appendonly", "no",     "--daemonize",         "no",     "--dir",     dir_.Path("")};
  command.insert(command.end(), {"--logfile", dir_.Path("log")});
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  std::remove(dir_.Path("log").c_str());
  pid_ = Spawn(std::move(command));
}

// Its own log says it. A server that answers at the port may belong to another test.
bool RedisServer::WaitUntilItAnswers() const {
  for (int i = 0; i < 2000; ++i) {
    std::ostringstream log;
    log << std::ifstream(dir_.Path("log")).rdbuf();
    if (log.str().find("Ready to accept connections") != std::string::npos) return true;
    if (waitpid(pid_, nullptr, WNOHANG) != 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void RedisServer::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RedisServer::Restart() {
  Kill();
  Start();
  if (!WaitUntilItAnswers()) Die("redis-server does not start again");
}

void RedisServer::Stop() { kill(pid_, SIGSTOP); }
void RedisServer::Continue() { kill(pid_, SIGCONT); }

redis::ReplyPtr RedisServer::Execute(std::string_view command, std::string* error) const {
  RedisServers options;
  options.connect_timeout_ms = options.command_timeout_ms = 60000;
  const auto connection = redis::Connection::Open({"127.0.0.1", port_}, options, error);
  const bool is_sent = connection != nullptr && connection->Send(command, error);
  return is_sent ? connection->Receive(error) : nullptr;
}

std::string RedisServer::Command(std::initializer_list<std::string_view> arguments) const {
  std::string command;
  redis::AppendCommand(arguments, &command);
  std::string error;
  const redis::ReplyPtr reply = Execute(command, &error);
  return reply == nullptr ? error : ToText(*reply);
}

std::vector<std::string> RedisServer::KeysLike(const std::string& pattern) const {
  std::istringstream words(Command({"KEYS", pattern}));
  return {std::istream_iterator<std::string>(words), {}};
}

uint64_t RedisServer::Info(std::string_view section, std::string_view name) const {
  const std::string text = Command({"INFO", section});
  if (!text.empty() && text.front() != '#') Die("INFO: " + text);
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 1));
}

void WaitForReplicas(const RedisServer& primary, size_t n) {
  const uint64_t end = primary.Info("replication", "master_repl_offset");
  WaitUntil("replicas", [&] {
    // It waits only for what its own connection wrote, nothing here, but makes replicas report.
    primary.Command({"WAIT", std::to_string(n + 1), "10"});
    const std::string text = primary.Command({"INFO", "replication"});
    const std::string_view offset = "state=online,offset=";
    size_t up_to_date = 0;
    for (size_t at = text.find(offset); at != std::string::npos; at = text.find(offset, at + 1)) {
      up_to_date += std::stoull(text.substr(at + offset.size())) >= end ? 1 : 0;
    }
    return up_to_date >= n;
  });
}

void CutOff(RedisServer* primary, RedisServer* replica) {
  replica->Stop();
  primary->Command({"CLIENT", "KILL", "TYPE", "replica"});
}

RedisCluster::RedisCluster(bool with_replicas) {
  // A node that gets no CPU time for so long, on a busy machine, counts as dead. With more nodes, it
  // is short until all know each other, because they then say so more often.
  const std::string node_timeout = with_replicas ? "2000" : "60000";
  const std::vector<std::string> arguments = {"--cluster-enabled",
                                              "yes",
                                              "--cluster-require-full-coverage",
                                              "no",
                                              "--cluster-node-timeout",
                                              node_timeout,
                                              "--cluster-replica-no-failover",
                                              "yes",
                                              "--repl-diskless-sync",
                                              "no"};
  const std::string ranges[kNodes][2] = {{"0", "5460"}, {"5461", "10922"}, {"10923", "16383"}};
  for (size_t i = 0; i < kNodes; ++i) {
    nodes_.push_back(std::make_unique<RedisServer>(arguments));
    node(i).Command({"CLUSTER", "ADDSLOTSRANGE", ranges[i][0], ranges[i][1]});
    node(i).Command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i > 0) node(i).Command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(0).port())});
  }
  for (size_t i = 0; i < kNodes; ++i) {
    WaitUntil("the cluster", [&] {
      const std::string info = node(i).Command({"CLUSTER", "INFO"});
      return info.find("cluster_state:ok") != std::string::npos &&
             info.find("cluster_slots_assigned:16384") != std::string::npos &&
             info.find("cluster_known_nodes:3") != std::string::npos;
    });
  }
  if (!with_replicas) return;
  for (size_t i = 0; i < kNodes; ++i) {
    replicas_.push_back(std::make_unique<RedisServer>(arguments));
    replica(i).Command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(node(0).port())});
    WaitUntilOk(replica(i), {"CLUSTER", "REPLICATE", node(i).Command({"CLUSTER", "MYID"})});
  }
  for (size_t i = 0; i < kNodes; ++i) {
    WaitForReplicas(node(i), 1);
    // All nodes know each other; otherwise a node does not vote.
    for (RedisServer* server : {&node(i), &replica(i)}) {
      WaitUntil("the cluster's replicas", [&] {
        const std::string nodes = server->Command({"CLUSTER", "NODES"});
        size_t replicas = 0;
        for (size_t at = nodes.find("slave"); at != std::string::npos;
             at = nodes.find("slave", at + 1)) {
          ++replicas;
        }
        return replicas == kNodes && nodes.find("handshake") == std::string::npos;
      });
    }
  }
  LetReplicasTakeOver(false);
}

void RedisCluster::LetReplicasTakeOver(bool they_do) {
  for (const auto* const servers : {&nodes_, &replicas_}) {
    for (const auto& server : *servers) {
      server->Command({"CONFIG", "SET", "cluster-node-timeout", they_do ? "2000" : "60000"});
      server->Command({"CONFIG", "SET", "cluster-replica-no-failover", they_do ? "no" : "yes"});
    }
  }
}

std::string RedisCluster::Slot(const std::string& key) {
  return node(0).Command({"CLUSTER", "KEYSLOT", key});
}

size_t RedisCluster::NodeOf(const std::string& key) {
  for (size_t i = 0; i < kNodes; ++i) {
    if (node(i).Command({"EXISTS", key}).rfind("MOVED", 0) != 0) return i;
  }
  Die("nobody serves " + key);
}

void RedisCluster::BeginMigration(const std::string& key, size_t from, size_t to) {
  const std::string from_id = node(from).Command({"CLUSTER", "MYID"});
  const std::string to_id = node(to).Command({"CLUSTER", "MYID"});
  const std::string slot = Slot(key);
  WaitUntilOk(node(to), {"CLUSTER", "SETSLOT", slot, "IMPORTING", from_id});
  WaitUntilOk(node(from), {"CLUSTER", "SETSLOT", slot, "MIGRATING", to_id});
}

void RedisCluster::MoveKey(const std::string& key, size_t from, size_t to) {
  // BUSYKEY: a client that was redirected earlier has written to the node that gets the key.
  const std::string reply = node(from).Command(
      {"MIGRATE", "127.0.0.1", std::to_string(node(to).port()), key, "0", "9000"});
  if (reply != "OK") Die("MIGRATE: " + reply);
}

void RedisCluster::EndMigration(const std::string& key, size_t to) {
  const std::string to_id = node(to).Command({"CLUSTER", "MYID"});
  const std::string slot = Slot(key);
  WaitUntilOk(node(to), {"CLUSTER", "SETSLOT", slot, "NODE", to_id});
  for (size_t i = 0; i < kNodes; ++i) {
    if (i != to) WaitUntilOk(node(i), {"CLUSTER", "SETSLOT", slot, "NODE", to_id});
  }
  WaitUntil("the nodes to agree", [&] {
    const std::set<std::string> expected = OwnersAndEpochs(node(0));
    return OwnersAndEpochs(node(1)) == expected && OwnersAndEpochs(node(2)) == expected;
  });
}

}  // namespace bloomline::tests

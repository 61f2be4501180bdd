// Starts a Redis server, runs a command with the server's address in BLOOMLINE_REDIS_SERVER, and
// returns the command's exit status. Returns 77 if redis-server is not installed.
// Usage: with_redis_server COMMAND [ARGUMENT...]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/redis/redis_server.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: with_redis_server COMMAND [ARGUMENT...]\n");
    return 2;
  }
  if (!bloomline::tests::RedisServer::IsInstalled()) {
    std::fprintf(stderr, "with_redis_server: there is no redis-server here\n");
    return 77;
  }
  const bloomline::tests::RedisServer server;
  setenv("BLOOMLINE_REDIS_SERVER", server.address().c_str(), 1);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a time-out of the test also ends the command
    execvp(argv[1], argv + 1);
    std::perror(argv[1]);
    _exit(127);
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) {
    std::perror("with_redis_server");
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The disk under the databases: whether it is one, and how long it takes to read a block.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "db_bench_ext/disk/database.h"
#include "db_bench_ext/support/timing.h"
#include "src/tool/quantity.h"

namespace bloomline::bench {
namespace {

constexpr size_t kReadBytes = 4096;
constexpr int kNumReads = 500;
// From linux/magic.h, which has only one of them by this name.
constexpr long kTmpfs = 0x01021994;
constexpr long kRamfs = 0x858458f6;

class File {
 public:
  File(const std::string& path, int flags) : fd_(open(path.c_str(), flags, 0600)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

std::string WhyNotOnDisk(const std::string& directory, uint64_t bytes) {
  struct statfs system;
  if (statfs(directory.c_str(), &system) != 0) return directory + ": " + std::strerror(errno);
  const auto type = static_cast<long>(system.f_type);
  if (type == kTmpfs || type == kRamfs)
    return directory + " is in memory; --db-dir needs a folder on a disk";
  const uint64_t free = system.f_bavail * static_cast<uint64_t>(system.f_bsize);
  if (free < bytes)
    return directory + " has " + tool::BytesText(free) + " free; the databases take " +
           tool::BytesText(bytes);
  const std::string path = directory + "/direct";
  const bool direct = File(path, O_WRONLY | O_CREAT | O_DIRECT).fd() >= 0;
  unlink(path.c_str());
  return direct ? "" : "the file system of " + directory + " has no direct I/O";
}

double MedianDirectReadUs(const std::string& path) {
  const File file(path, O_RDONLY | O_DIRECT);
  struct stat status;
  if (file.fd() < 0 || fstat(file.fd(), &status) != 0)
    throw std::runtime_error(path + ": " + std::strerror(errno));
  const std::unique_ptr<void, decltype(&std::free)> buffer(
      std::aligned_alloc(kReadBytes, kReadBytes), &std::free);
  const uint64_t num_blocks = static_cast<uint64_t>(status.st_size) / kReadBytes;
  std::vector<double> us;
  for (uint64_t i = 0; i < kNumReads && num_blocks > 0; ++i) {
    const auto offset = static_cast<off_t>(Mix(i) % num_blocks * kReadBytes);
    us.push_back(1e6 * SecondsOf([&] {
                   if (pread(file.fd(), buffer.get(), kReadBytes, offset) !=
                       static_cast<ssize_t>(kReadBytes))
                     throw std::runtime_error(path + ": " + std::strerror(errno));
                 }));
  }
  return Median(us);
}

}  // namespace bloomline::bench

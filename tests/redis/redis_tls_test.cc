// SharedBloomFilter over TLS, with certificates made here. Needs a hiredis with hiredis_ssl:
// tests/redis/tls builds and runs this where Debian has one.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomline/redis_bloom_filter.h"
#include "src/redis/tls.h"
#include "tests/redis/redis_filter_test.h"
#include "tests/redis/redis_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/within_seconds.h"

namespace bloomline::tests::redis_tls_test {
namespace {

class RedisTlsTest : public RedisTest {
 protected:
  void SetUp() override {
    if (!redis::HasTls()) GTEST_SKIP() << "this build has no TLS";
    RedisTest::SetUp();
    if (IsSkipped()) return;
    servers_.connect_timeout_ms = servers_.command_timeout_ms;  // of the handshake, too
    if (std::system("command -v openssl >/dev/null 2>&1") != 0) GTEST_SKIP() << "no openssl here";
    Run("mkdir authorities");
    MakeAuthority("authorities/ca");
    MakeAuthority("other-ca");
    MakeCertificate("server", "IP:127.0.0.1,DNS:redis.test");
    MakeCertificate("client", "DNS:client.test");
    Run("openssl rehash authorities");
  }

  void Run(const std::string& command) {
    const std::string quiet = "cd '" + dir_.Path("") + "' && " + command + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(quiet.c_str()), 0) << command;
  }

  static std::string Request(const std::string& name) {
    return "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
           "/CN=" +
           name.substr(name.rfind('/') + 1) + " -keyout " + name + ".key -out " + name + ".crt";
  }
  void MakeAuthority(const std::string& name) { Run(Request(name)); }
  void MakeCertificate(const std::string& name, const std::string& for_whom) {
    Run(Request(name) +
        " -CA authorities/ca.crt -CAkey authorities/ca.key -addext subjectAltName=" + for_whom +
        " -addext basicConstraints=critical,CA:false");
  }

  std::string File(const std::string& name) const { return dir_.Path(name); }

  void Start(std::vector<std::string> more) {
    const std::string port = std::to_string(RedisServer::FreePort());
    std::vector<std::string> arguments = {"--tls-port",         port,
                                          "--tls-cert-file",    File("server.crt"),
                                          "--tls-key-file",     File("server.key"),
                                          "--tls-ca-cert-file", File("authorities/ca.crt")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<RedisServer>(arguments);
    tls_address_ = "127.0.0.1:" + port;
    servers_.servers = {"rediss://" + tls_address_};
    servers_.tls.ca_file = File("authorities/ca.crt");
  }
  void StartWithoutClientCertificates(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--tls-auth-clients", "no"});
    Start(more);
  }

  const TempDir dir_;
  std::unique_ptr<RedisServer> server_;
  std::string tls_address_;
};

TEST_F(RedisTlsTest, CertificateOfAnUnknownAuthorityIsRefused) {
  StartWithoutClientCertificates();
  servers_.tls.ca_file = File("other-ca.crt");
  ExpectRefused("certificate verify failed");
  servers_.tls.ca_file.clear();  // the system's authorities did not sign it
  ExpectRefused("certificate verify failed");
  servers_.tls.ca_path = File("authorities");
  EXPECT_EQ(Create()->AddKey("key"), AddResult::kNew);
  servers_.tls.ca_path = File("no such folder");
  ExpectRefused("TLS handshake failed: ");
  servers_.tls.ca_file = File("no such file");
  ExpectRefused("cannot use tls.ca_file '" + File("no such file") + "'");
  servers_.tls = RedisTls();
  servers_.tls.verify = false;
  EXPECT_EQ(Create()->AddKey("key"), AddResult::kPresent);
}

TEST_F(RedisTlsTest, CertificateForAnotherServerIsRefused) {
  StartWithoutClientCertificates();
  servers_.tls.server_name = "other.test";
  ExpectRefused("hostname mismatch (wanted: 'other.test')");
  servers_.tls.server_name = "127.0.0.2";
  ExpectRefused("IP address mismatch (wanted: '127.0.0.2')");
  servers_.tls.server_name = "redis.test";
  EXPECT_EQ(Create()->AddKey("key"), AddResult::kNew);
}

TEST_F(RedisTlsTest, ClientCertificatesAreSentWhereRequired) {
  Start({});
  // In TLS 1.3 the server reports it after the handshake, or has already closed the connection.
  ExpectRefused("redis " + tls_address_ + ": ");
  servers_.tls.certificate_file = File("client.crt");
  ExpectRefused("allowed: both or none");
  servers_.tls.key_file = File("server.key");
  ExpectRefused("cannot use tls.key_file '" + File("server.key") + "'");
  // OpenSSL would prompt for the password at the terminal and wait.
  Run("openssl ec -aes128 -passout pass:secret -in client.key -out locked.key");
  servers_.tls.key_file = File("locked.key");
  ExpectRefused("cannot use tls.key_file '" + File("locked.key") + "'");
  servers_.tls.key_file = File("client.key");
  EXPECT_EQ(Create()->AddKey("key"), AddResult::kNew);
  servers_.tls.certificate_file = File("none.crt");
  ExpectRefused("cannot use tls.certificate_file '" + File("none.crt") + "'");
}

TEST_F(RedisTlsTest, KilledServerMeansMayMatchUntilReconnected) {
  StartWithoutClientCertificates({"--appendonly", "yes", "--appendfsync", "always"});
  const auto filter = Create();
  EXPECT_EQ(filter->AddKey("key"), AddResult::kNew);
  server_->Kill();
  // Without care, the first write after that would end the process by SIGPIPE.
  EXPECT_EQ(filter->MayMatch("absent"), Answer::kMaybe);
  EXPECT_NE(filter->error(), "");
  EXPECT_EQ(filter->AddKey("other"), AddResult::kFailed);
  server_->Restart();
  EXPECT_EQ(filter->MayMatch("key"), Answer::kMaybe);
  EXPECT_EQ(filter->MayMatch("other"), Answer::kNo) << filter->error();
}

TEST_F(RedisTlsTest, SilentServerTimesOutInTheHandshakeAndAfterIt) {
  StartWithoutClientCertificates();
  servers_.max_retries = 0;
  Create();
  servers_.command_timeout_ms = servers_.connect_timeout_ms = 200;
  std::unique_ptr<SharedBloomFilter> filter;
  ASSERT_TRUE(Within30Seconds([&] {  // late if the server gets no CPU time
    filter = SharedBloomFilter::Open(servers_, "f", nullptr);
    return filter != nullptr;
  }));
  server_->Stop();
  EXPECT_EQ(filter->MayMatch("absent"), Answer::kMaybe);
  EXPECT_TRUE(Has(filter->error(), "timed out after 200 ms"));
  const auto start = std::chrono::steady_clock::now();
  ExpectRefused("TLS handshake failed");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));  // it ends
  server_->Continue();
  EXPECT_TRUE(Within30Seconds([&] { return filter->MayMatch("absent") == Answer::kNo; }))
      << filter->error();
}

TEST_F(RedisTlsTest, ClusterNodesAreAlsoReachedByTls) {
  StartWithoutClientCertificates({"--cluster-enabled", "yes", "--tls-cluster", "yes"});
  server_->Command({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
  while (server_->Command({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto filter = Create();
  ASSERT_NE(filter, nullptr);
  const std::vector<std::string> keys = Keys(20000, "key");
  ASSERT_TRUE(filter->AddKeys(keys)) << filter->error();
  EXPECT_EQ(CountLost(filter.get(), keys), 0u);
}

}  // namespace
}  // namespace bloomline::tests::redis_tls_test

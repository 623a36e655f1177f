// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

// Commands side by side: no time passes between them.
struct Measured : RingLab {
  explicit Measured(int hosts, LabSpec spec = {}) : RingLab{hosts, std::move(spec)} {
    make_ring();
    for (int i = 1; i <= hosts; ++i)
      exec(i, "apt-get install -y perftest iperf3");
  }
  ExecResult begin(int number, const std::string& line) {
    return lab.exec(pve(number), "root", line, "");
  }
};

constexpr const char* kRdma = "ib_send_bw -d rocep1s0f0 -x 3 --report_gbits -p 20001 -D 2";

TEST_CASE("a server that nobody comes to is ended by timeout(1)", "[lab]") {
  Measured ring{2};
  const ExecResult server = ring.begin(2, std::string{"timeout 25 "} + kRdma);
  CHECK(server.exit_status == 124);
  CHECK(server.took >= Duration{25'000});
  CHECK(server.took < Duration{26'000});
  CHECK(ring.lab.take_amended().empty());
}

TEST_CASE("a client ends the server that waited for it, and both tell the same", "[lab]") {
  Measured ring{2};
  const ExecResult server = ring.begin(2, std::string{"timeout 25 "} + kRdma);
  const ExecResult client = ring.begin(1, std::string{kRdma} + " 10.30.0.3");
  INFO(client.standard_output << client.standard_error);
  CHECK(client.exit_status == 0);
  CHECK(client.took >= Duration{2'000});
  CHECK(client.standard_output.find("BW average[Gb/sec]") != std::string::npos);
  CHECK(client.standard_output.find(" 96.00") != std::string::npos);
  const std::vector<ExecResult> amended = ring.lab.take_amended();
  REQUIRE(amended.size() == 1);
  CHECK(amended[0].number == server.number);
  CHECK(amended[0].exit_status == 0);
  CHECK(amended[0].took < Duration{3'000});
  CHECK(amended[0].standard_output.find(" 96.00") != std::string::npos);
  // It served one client and is gone.
  CHECK(ring.begin(1, std::string{kRdma} + " 10.30.0.3").exit_status == 1);
}

TEST_CASE("each card that forwards costs some bandwidth, a dirty plug most of it", "[lab]") {
  LabSpec spec;
  SECTION("forwarding") {
    Measured ring{4};
    ring.begin(3, std::string{"timeout 25 "} + kRdma);
    const ExecResult client = ring.begin(1, std::string{kRdma} + " 10.30.0.5");
    CHECK(client.standard_output.find(" 91.20") != std::string::npos);
  }
  SECTION("dirty") {
    spec.dirty = {PortRef{pve(2), "cx5", "2"}};
    Measured ring{2, spec};
    ring.begin(2, std::string{"timeout 25 "} + kRdma);
    const ExecResult client = ring.begin(1, std::string{kRdma} + " 10.30.0.3");
    CHECK(client.standard_output.find(" 19.20") != std::string::npos);
  }
}

TEST_CASE("both ends agree on the lesser MTU", "[lab]") {
  Measured ring{2};
  ring.exec(2, "ip link set dev enp1s0f0np0 mtu 1500");
  ring.begin(2, std::string{"timeout 25 "} + kRdma);
  CHECK(ring.begin(1, std::string{kRdma} + " 10.30.0.3").exit_status == 0);
}

TEST_CASE("what the ring does not forward is no connection", "[lab]") {
  Measured ring{4};
  ring.exec(2, "mstconfig -d 01:00.0 -y set HOST_CHAINING_MODE=0");
  ring.reboot(2);
  ring.begin(3, std::string{"timeout 25 "} + kRdma);
  const ExecResult client = ring.begin(1, std::string{kRdma} + " 10.30.0.5");
  CHECK(client.exit_status == 1);
  CHECK(client.standard_error.find("Couldn't connect to 10.30.0.5:20001") != std::string::npos);
  CHECK(ring.lab.take_amended().empty());
}

TEST_CASE("firmware that drops long frames lets RDMA through and starves TCP", "[lab]") {
  LabSpec spec;
  spec.hosts["pve1"].adapters["cx5"].firmware = "16.22.1002";
  Measured ring{2, spec};
  ring.begin(2, std::string{"timeout 25 "} + kRdma);
  CHECK(ring.begin(1, std::string{kRdma} + " 10.30.0.3").exit_status == 0);
  ring.begin(2, "timeout 30 iperf3 -p 20002 -B 10.30.0.3 -s -1");
  const ExecResult client =
      ring.begin(1, "timeout 20 iperf3 -p 20002 -B 10.30.0.1 -c 10.30.0.3 -J -t 5");
  CHECK(client.exit_status == 124);
  CHECK(client.standard_output.empty());
}

TEST_CASE("iperf3 tells its rate as JSON, and why it could not connect", "[lab]") {
  Measured ring{2};
  const std::string line =
      "timeout 20 iperf3 -p 20002 -B 10.30.0.1 -c 10.30.0.3 -J -P 8 -t 5 --bind-dev enp1s0f0np0";
  const ExecResult early = ring.begin(1, line);
  CHECK(early.exit_status == 1);
  CHECK(early.standard_output.find("Connection refused") != std::string::npos);
  ring.begin(2, "timeout 30 iperf3 -p 20002 -B 10.30.0.3 -s -1");
  const ExecResult client = ring.begin(1, line);
  INFO(client.standard_output << client.standard_error);
  CHECK(client.exit_status == 0);
  CHECK(client.standard_output.find("\"bits_per_second\":\t82000000000") != std::string::npos);
  CHECK(ring.lab.take_amended().size() == 1);
}

TEST_CASE("a RoCE port shows its addresses as GIDs, each as v1 and v2", "[lab]") {
  RingLab ring{2};
  ring.make_ring();
  const std::string port = "/sys/class/infiniband/rocep1s0f0/ports/1/";
  CHECK(
      ring.out(1, "cat " + port + "gids/3 " + port + "gid_attrs/types/3 " + port + "gids/4") ==
      "0000:0000:0000:0000:0000:ffff:0a1e:0001\nRoCE v2\n"
      "0000:0000:0000:0000:0000:0000:0000:0000\n");
  CHECK(ring.exec(1, "cat " + port + "gid_attrs/types/4").exit_status == 1);
}

}  // namespace
}  // namespace fabric::lab

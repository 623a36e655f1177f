// SPDX-License-Identifier: Apache-2.0
// A ring of n hosts with dual-port ConnectX-5 cards, as a document and as a lab.
#pragma once

#include <string>

#include <fmt/format.h>

#include "engine/lab/lab.hpp"
#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric::lab {

inline FabricSpec load_text(const std::string& yaml) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", yaml);
  LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& diagnostic : loaded.diagnostics.items()) {
    INFO(diagnostic.rule << ": " << diagnostic.message);
    REQUIRE(diagnostic.severity != Severity::error);
  }
  return std::move(loaded.spec);
}

inline FabricSpec ring_document(int hosts, const std::string& model = "connectx-5-vpi") {
  return load_text(fmt::format(
      "apiVersion: fabric/v1\nname: ring\n"
      "nodes:\n  pve[1-{0}]:\n    address: 192.0.2.[11-{1}]\n    adapters: {{cx5: {{model: {2}, "
      "ports: 2}}}}\n"
      "networks:\n  storage:\n    mode: chain\n    mtu: 9000\n    ipv4: {{subnet: 10.30.0.0/24}}\n "
      "   cables: [{{ring: [\"pve[1-{0}]\"]}}]\n",
      hosts,
      10 + hosts,
      model));
}

inline NodeName node_name(const std::string& name) {
  const Result<NodeName> parsed = NodeName::parse(name);
  REQUIRE(parsed);
  return *parsed;
}

inline NodeName pve(int number) {
  return node_name("pve" + std::to_string(number));
}

struct RingLab {
  explicit RingLab(int hosts, LabSpec spec = {})
      : count{hosts}, lab{ring_document(hosts), test::simulated(std::move(spec))} {}
  RingLab(const FabricSpec& fabric, LabSpec spec)
      : count{static_cast<int>(fabric.nodes.size())},
        lab{fabric, test::simulated(std::move(spec))} {}

  ExecResult exec(int number, const std::string& line, const std::string& input = "") {
    const ExecResult result = lab.exec(pve(number), "root", line, input);
    now += result.took;
    lab.advance(now);
    return result;
  }
  std::string out(int number, const std::string& line) {
    return exec(number, line).standard_output;
  }
  void wait(Duration duration) {
    now += duration;
    lab.advance(now);
  }

  // From factory settings to a working ring, by hand.
  void make_ring(std::uint32_t mtu = 9000) {
    for (int i = 1; i <= count; ++i) {
      exec(
          i, "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P1=2 LINK_TYPE_P2=2 HOST_CHAINING_MODE=1");
      for (int port = 1; port <= 2; ++port) {
        exec(
            i,
            fmt::format("cat > /etc/systemd/network/10-port{}.network", port),
            fmt::format(
                "[Match]\nPath=pci-0000:01:00.{}\n[Link]\nMTUBytes={}\n[Network]\nAddress={}/24\n",
                port - 1,
                mtu,
                address(i, port)));
      }
      exec(
          i,
          "cat > /etc/sysctl.d/90-ring.conf",
          "net.ipv4.conf.all.arp_ignore = 1\nnet.ipv4.conf.all.arp_announce = 2\n");
      reboot(i);
    }
  }
  void reboot(int number) {
    exec(number, "systemctl reboot");
    wait(Duration{10'000});
    REQUIRE(lab.power(pve(number)) == Power::up);
  }
  static std::string address(int number, int port) {
    return fmt::format("10.30.0.{}", (number - 1) * 2 + port);
  }
  bool pings(int from, int to, int port, const std::string& options = "-s 8000 -M do") {
    return exec(from, fmt::format("ping -c 1 -W 1 {} {}", options, address(to, port)))
               .exit_status == 0;
  }

  int count;
  Lab lab;
  TimePoint now{};
};

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// Two hosts with a dual-port Ethernet card each, and a cable from every port to its like.
#pragma once

#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {

inline FabricSpec pair_document() {
  return load_text(
      "apiVersion: fabric/v1\nname: pair\n"
      "nodes:\n  pve[1-2]: {adapters: {cx5: {model: connectx-5-en, ports: 2}}}\n"
      "networks:\n  direct:\n    mode: ethernet\n    ipv4: {subnet: 10.9.0.0/24, per: port}\n"
      "    cables: [[pve1/1, pve2/1], [pve1/2, pve2/2]]\n");
}

inline LabSpec with_backend(const std::string& backend) {
  LabSpec spec;
  spec.hosts["pve1"].backend = backend;
  spec.hosts["pve2"].backend = backend;
  return spec;
}

struct PairLab : RingLab {
  explicit PairLab(const std::string& backend = "networkd")
      : RingLab{pair_document(), with_backend(backend)} {}

  void both(const std::string& line) {
    for (int host = 1; host <= 2; ++host)
      CHECK(exec(host, line).exit_status == 0);
  }
  // A bond of both ports on both hosts by hand, with address 10.30.0.1 and .2.
  void bond(const std::string& options) {
    both("ip link add bond0 type bond " + options);
    both(
        "for p in enp1s0f0np0 enp1s0f1np1; do ip link set $p down && ip link set $p master bond0 "
        "|| exit 1; done; ip link set bond0 up");
    exec(1, "ip addr add 10.30.0.1/24 dev bond0");
    exec(2, "ip addr add 10.30.0.2/24 dev bond0");
  }
  bool passes(const std::string& options = "") {
    return exec(1, "ping -c 1 -W 1 " + options + " 10.30.0.2").exit_status == 0;
  }
  // Of the two ports, both are without a cable then: a cable from nowhere to nowhere takes the far
  // one's.
  void cut(const std::string& port) {
    REQUIRE(lab.recable("pve2/" + port, "nowhere/" + port));
    REQUIRE(lab.recable("nowhere/" + port, "nowhere/9" + port));
  }
  std::string proc(const std::string& pattern) {
    return out(1, "grep '" + pattern + "' /proc/net/bonding/bond0");
  }
};

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// The documents and hosts that every provider's promises are held against.
#pragma once

#include <string>
#include <vector>

#include "engine/lab/lab_spec.hpp"

namespace fabric::providers::test {

inline constexpr const char* kRing = R"(apiVersion: fabric/v1
name: ring
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx5: {model: connectx-5-vpi, ports: 2, firmware: {minimum: "16.1.1"}, names: {1: ring1, 2: ring2}}
networks:
  storage:
    mode: chain
    mtu: 4000
    qos: {}
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: ["n[1-2]"]}]
)";

// No column tells the running value, and nothing in the kernel tells of this parameter.
inline constexpr const char* kHidden = R"(apiVersion: fabric/v1
name: hidden
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx4: {model: connectx-4-vpi, ports: 2, firmware: {params: {KEEP_ETH_LINK_UP_P1: 0}}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";

// What the host runs beside the kernel's own.
inline constexpr const char* kSoftware = R"(apiVersion: fabric/v1
name: software
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    os: {release: debian-12, minimum: "5.10"}
    software: {stack: inbox, minimum: "4.9"}
    packages: [perftest, infiniband-diags, opensm]
    tuning: [ipoib, 40g]
    sysctl: {net.core.rmem_max: 8388608}
    modules: {bonding: {}, nvme-core: {io_timeout: 60}, mlx5_core: {prof_sel: 3}}
    adapters: {cx5: {model: connectx-5-en, ports: 2}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";

// The lab's cards come with 16.35.2000.
inline constexpr const char* kBurned = R"(apiVersion: fabric/v1
name: burned
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx5:
        model: connectx-5-vpi
        ports: 2
        firmware: {version: "16.35.4030", minimum: "16.35.3000", psid: MT_0000000008, image: image.bin}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";
inline constexpr const char* kImage =
    "fabric lab firmware image\nversion 16.35.4030\npsid MT_0000000008\n";

struct Reality {
  std::string name, document;
  lab::LabHost host;
};

inline std::vector<Reality> realities() {
  std::vector<Reality> all;
  for (const char* backend :
       {"networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan", "networkmanager"}) {
    lab::LabHost host;
    host.backend = backend;
    all.push_back({backend, kRing, host});
  }
  for (const char* version : {"4.11", "4.21", "4.36"}) {
    lab::LabHost host;
    host.tool_version = version;
    all.push_back({std::string{"tool "} + version, kRing, host});
  }
  lab::LabHost mft;
  mft.tool = "mlxconfig";
  all.push_back({"mlxconfig", kRing, mft});
  lab::LabHost old;
  old.adapters["cx4"].firmware = "12.12.0500";
  all.push_back({"no Current column", kHidden, old});
  all.push_back({"software", kSoftware, {}});
  all.push_back({"burned", kBurned, {}});
  all.push_back({"burned by MFT", kBurned, mft});
  return all;
}

}  // namespace fabric::providers::test

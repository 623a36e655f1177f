// SPDX-License-Identifier: Apache-2.0
#include "engine/ibnet/look.hpp"

#if FABRIC_HAVE_IBNETDISC

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <infiniband/umad.h>

#include "engine/ibnet/sweep.hpp"

namespace fabric::ibnet {

namespace {

constexpr int kMostAdapters = 64;
constexpr unsigned kLinkUp = 5;  // PortPhysicalState

struct LocalPort {
  std::string adapter;
  int number = 1;
  unsigned physical = 0;
  Guid guid{0};
};

// The simulator calls it "IB".
bool is_infiniband(const umad_port_t& port) {
  const std::string_view layer{port.link_layer};
  return layer == "InfiniBand" || layer == "IB";
}

std::vector<LocalPort> local_ports() {
  std::vector<LocalPort> ports;
  std::array<char[UMAD_CA_NAME_LEN], kMostAdapters> names{};
  const int count = umad_get_cas_names(names.data(), kMostAdapters);
  for (int index = 0; index < count; ++index) {
    umad_ca_t adapter{};
    char* name = names[static_cast<std::size_t>(index)];
    if (umad_get_ca(name, &adapter) != 0) continue;
    for (const umad_port_t* port : adapter.ports) {
      if (port == nullptr || !is_infiniband(*port)) continue;
      // libibumad keeps it as the network does: big endian.
      ports.push_back({name, port->portnum, port->phys_state, Guid{be64toh(port->port_guid)}});
    }
    umad_release_ca(&adapter);
  }
  return ports;
}

bool is_virtual(const std::string& adapter) {
  std::error_code ignored;
  return std::filesystem::exists("/sys/class/infiniband/" + adapter + "/device/physfn", ignored);
}

bool has_port(const ObservedTopology& topology, const Guid& guid) {
  return std::any_of(topology.nodes.begin(), topology.nodes.end(), [&](const IbNode& node) {
    return std::any_of(node.ports.begin(), node.ports.end(), [&](const IbPort& port) {
      return port.guid == guid;
    });
  });
}

Look look_from(const LocalPort& port) {
  Look look{fmt::format("{}/{}", port.adapter, port.number), {}, {}, {}};
  if (is_virtual(port.adapter)) {
    look.why_not = "it is a virtual function, which may not ask the subnet";
  } else if (port.physical != kLinkUp) {
    look.why_not = "the port has no link";
    look.dark.push_back(port.guid);
  } else {
    Result<ObservedTopology> topology = sweep(port.adapter, port.number);
    if (topology) {
      look.topology = std::move(*topology);
    } else {
      look.why_not = topology.error().message;
    }
  }
  return look;
}

}  // namespace

bool is_available() {
  return true;
}

Result<std::vector<Look>> look() {
  if (umad_init() < 0) {
    return Error{
        ErrorCode::not_found,
        "this machine has no InfiniBand management device (/sys/class/infiniband_mad): is ib_umad "
        "loaded?"};
  }
  std::vector<Look> looks;
  for (const LocalPort& port : local_ports()) {
    const bool seen = std::any_of(looks.begin(), looks.end(), [&](const Look& look) {
      return look.topology && has_port(*look.topology, port.guid);
    });
    if (!seen) looks.push_back(look_from(port));
  }
  umad_done();
  if (looks.empty())
    return Error{ErrorCode::not_found, "this machine has no InfiniBand port to look from"};
  return looks;
}

}  // namespace fabric::ibnet

#else

namespace fabric::ibnet {

bool is_available() {
  return false;
}

Result<std::vector<Look>> look() {
  return Error{
      ErrorCode::not_found,
      "this program was built without libibnetdisc, so it can't look from this machine: build it "
      "with libibnetdisc-dev, libibumad-dev and libibmad-dev (rdma-core), let a node look (--wire "
      "nodes), or give what ibnetdiscover prints (--wire FILE)"};
}

}  // namespace fabric::ibnet

#endif

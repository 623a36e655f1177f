// SPDX-License-Identifier: Apache-2.0
#include "engine/ibnet/look.hpp"

#if FABRIC_HAVE_IBNETDISC

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include "engine/base/text.hpp"

namespace fabric::ibnet {

namespace {

struct Destroy {
  void operator()(ibnd_fabric_t* fabric) const { ibnd_destroy_fabric(fabric); }
};
using Fabric = std::unique_ptr<ibnd_fabric_t, Destroy>;

using Attribute = std::uint8_t[IB_SMP_DATA_SIZE];

// libibmad takes what it only reads as void*.
std::uint32_t field(const Attribute& data, MAD_FIELDS name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return mad_get_field(const_cast<std::uint8_t*>(data), 0, name);
}

std::uint64_t wide_field(const Attribute& data, MAD_FIELDS name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return mad_get_field64(const_cast<std::uint8_t*>(data), 0, name);
}

std::optional<Guid> known_guid(std::uint64_t bits) {
  return bits == 0 ? std::nullopt : std::optional{Guid{bits}};
}

IbNodeType type_of(const ibnd_node_t& node) {
  switch (node.type) {
    case IB_NODE_CA:
      return IbNodeType::channel_adapter;
    case IB_NODE_SWITCH:
      return IbNodeType::switch_node;
    case IB_NODE_ROUTER:
      return IbNodeType::router;
    default:
      return IbNodeType::unknown;
  }
}

// The description has no terminator if its field is full.
std::string name_of(const ibnd_node_t& node) {
  const std::size_t length = strnlen(node.nodedesc, sizeof node.nodedesc);
  return std::string{trim(std::string_view{node.nodedesc, length})};
}

// LinkWidthActive is a bit for each width.
std::optional<std::int64_t> lanes_of(const ibnd_port_t& port) {
  switch (field(port.info, IB_PORT_LINK_WIDTH_ACTIVE_F)) {
    case 1:
      return 1;
    case 2:
      return 4;
    case 4:
      return 8;
    case 8:
      return 12;
    case 16:
      return 2;
    default:
      return std::nullopt;
  }
}

// LinkSpeedExtActive means something only where CapabilityMask.IsExtendedSpeedsSupported (bit 14)
// is set, of a switch that of its port 0; FDR10 is Mellanox' own.
std::optional<IbSpeed> speed_of(const ibnd_port_t& port) {
  constexpr std::uint32_t kExtendedSpeeds = 1U << 14U;
  const ibnd_port_t* capable = port.node->type == IB_NODE_SWITCH ? port.node->ports[0] : &port;
  const bool extended =
      capable != nullptr && (field(capable->info, IB_PORT_CAPMASK_F) & kExtendedSpeeds) != 0;
  switch (extended ? field(port.info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F) : 0) {
    case 1:
      return IbSpeed::fdr;
    case 2:
      return IbSpeed::edr;
    case 4:
      return IbSpeed::hdr;
    case 8:
      return IbSpeed::ndr;
    default:
      break;
  }
  switch (field(port.info, IB_PORT_LINK_SPEED_ACTIVE_F)) {
    case 1:
      return IbSpeed::sdr;
    case 2:
      return IbSpeed::ddr;
    case 4:
      return (field(port.ext_info, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) & 1U) != 0 ? IbSpeed::fdr10
                                                                                    : IbSpeed::qdr;
    default:
      return std::nullopt;
  }
}

// LID, LMC: a switch has them at its port 0.
std::optional<std::int64_t> lid_of(const ibnd_port_t& port) {
  return assigned_lid(port.node->type == IB_NODE_SWITCH ? port.node->smalid : port.base_lid);
}

std::optional<IbPortState> state_of(std::uint32_t state) {
  constexpr std::uint32_t kDown = 1;
  constexpr std::uint32_t kActive = 4;
  if (state < kDown || state > kActive) return std::nullopt;
  return static_cast<IbPortState>(state - kDown);
}

// PortPhysicalState 1 is Sleep, 7 Phy Test; 0 is "no change" and never read.
std::optional<IbPhysicalState> physical_of(std::uint32_t state) {
  constexpr std::uint32_t kSleep = 1;
  constexpr std::uint32_t kPhyTest = 7;
  if (state < kSleep || state > kPhyTest) return std::nullopt;
  return static_cast<IbPhysicalState>(state - kSleep);
}

IbPeer peer_of(const ibnd_port_t& there) {
  IbPeer peer;
  peer.type = type_of(*there.node);
  peer.node_guid = known_guid(there.node->guid);
  peer.port_guid = known_guid(there.guid);
  peer.port = there.portnum;
  peer.lid = lid_of(there);
  peer.name = name_of(*there.node);
  return peer;
}

IbPort port_of(const ibnd_port_t& here) {
  IbPort port;
  port.number = here.portnum;
  port.guid = known_guid(here.guid);
  if (here.node->type != IB_NODE_SWITCH) {
    port.lid = lid_of(here);
    port.lmc = here.lmc;
  }
  port.state = state_of(field(here.info, IB_PORT_STATE_F));
  port.physical = physical_of(field(here.info, IB_PORT_PHYS_STATE_F));
  if (here.remoteport != nullptr) {
    port.peer = peer_of(*here.remoteport);
    port.lanes = lanes_of(here);
    port.speed = speed_of(here);
  } else {
    // The library returns what it has when answers are lost: a link without an end is no data.
    port.peer_not_read = port.physical == IbPhysicalState::link_up;
  }
  return port;
}

IbNode node_of(const ibnd_node_t& seen) {
  IbNode node;
  node.type = type_of(seen);
  node.guid = known_guid(seen.guid);
  node.system_image = known_guid(wide_field(seen.info, IB_NODE_SYSTEM_GUID_F));
  node.vendor_id = field(seen.info, IB_NODE_VENDORID_F);
  node.device_id = field(seen.info, IB_NODE_DEVID_F);
  node.port_count = seen.numports;
  node.name = name_of(seen);
  const bool is_switch = seen.type == IB_NODE_SWITCH;
  if (is_switch) {
    node.lid = assigned_lid(seen.smalid);
    node.lmc = seen.smalmc;
    node.enhanced_port0 = seen.smaenhsp0 != 0;
  }
  for (int number = 1; number <= seen.numports; ++number) {
    if (const ibnd_port_t* port = seen.ports[number]; port != nullptr) {
      node.ports.push_back(port_of(*port));
    } else if (is_switch) {
      IbPort lost;
      lost.number = number;
      lost.peer_not_read = true;
      node.ports.push_back(std::move(lost));
    }
  }
  return node;
}

// Everything that is reached from the port, in order of node GUID. Not for two threads at once: the
// library counts its transactions in a static. Fails with ErrorCode::unreachable if nothing
// answers.
Result<ObservedTopology> sweep(const std::string& adapter, int port) {
  // A zeroed struct, because null crashes rdma-core 44; that means 2 requests at a time.
  constexpr unsigned kRequests = 64;
  ibnd_config_t config{};
  config.max_smps = kRequests;
  config.timeout_ms = 1000;
  config.retries = 3;
  std::string name = adapter;
  const Fabric fabric{ibnd_discover_fabric(name.data(), port, nullptr, &config)};
  if (!fabric) {
    return Error{
        ErrorCode::unreachable,
        fmt::format(
            "libibnetdisc found nothing from {}/{}: root is needed, and a physical function",
            adapter,
            port)};
  }
  ObservedTopology topology;
  ibnd_iter_nodes(
      fabric.get(),
      [](ibnd_node_t* node, void* nodes) {
        static_cast<std::vector<IbNode>*>(nodes)->push_back(node_of(*node));
      },
      &topology.nodes);
  std::ranges::sort(
      topology.nodes, [](const IbNode& a, const IbNode& b) { return a.guid < b.guid; });
  if (fabric->from_node != nullptr) {
    topology.from_node = known_guid(fabric->from_node->guid);
    const ibnd_port_t* from = fabric->from_node->ports[fabric->from_portnum];
    if (from != nullptr) topology.from_port = known_guid(from->guid);
  }
  return topology;
}

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
  return std::ranges::any_of(topology.nodes, [&](const IbNode& node) {
    return std::ranges::any_of(node.ports, [&](const IbPort& port) { return port.guid == guid; });
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
    const bool seen = std::ranges::any_of(looks, [&](const Look& look) {
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
      "nodes), or give the output of ibnetdiscover (--wire FILE)"};
}

}  // namespace fabric::ibnet

#endif

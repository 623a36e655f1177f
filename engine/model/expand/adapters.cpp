// SPDX-License-Identifier: Apache-2.0
// Cards: what they are, their firmware and settings, virtual functions, names of their interfaces.
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/parts.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::expansion {

namespace {

// Numbers of mlxconfig: parameters are compared by number, for their names differ between releases.
constexpr std::int64_t kLinkTypeInfiniband = 1;
constexpr std::int64_t kLinkTypeEthernet = 2;
constexpr std::int64_t kChainingBasic = 1;

// One card, in the order in which its resources depend on each other.
class Card {
 public:
  Card(NodeResources& node, const AdapterSpec& adapter)
      : node_{node}, adapter_{adapter}, binding_{node.adapter_binding(adapter)} {}

  void expand() {
    put_adapter();
    put_firmware();
    put_recovery();
    put_settings();
    put_sriov();
    put_passthrough();
    put_link_names();
  }

 private:
  Resource start(std::string_view kind, SourceRange origin) const {
    Resource resource = node_.start(kind, adapter_.name, origin);
    resource.binding.insert(binding_.begin(), binding_.end());
    return resource;
  }

  PortRef port_ref(std::uint32_t port) const {
    return {node_.node().name, adapter_.name, std::to_string(port)};
  }

  const NetworkSpec* network_of(std::uint32_t port) const {
    const Member* member = node_.scope().member(port_ref(port));
    return member == nullptr ? nullptr : member->network;
  }

  const NetworkSpec* chain() const {
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const NetworkSpec* network = network_of(port);
      if (network != nullptr && network->mode.value == Mode::chain) return network;
    }
    return nullptr;
  }

  void put_adapter() {
    Resource resource = start(kinds::kAdapter, adapter_.range);
    const Sourced<std::string>& minimum = adapter_.firmware.minimum;
    // With an image to be burned that decides; a card that is too old yet is no mistake.
    if (!minimum.value.empty() && adapter_.firmware.image.value.empty()) {
      want(
          resource,
          "firmware_minimum",
          minimum.value,
          minimum.range,
          "the document accepts no older firmware");
    }
    node_.put(std::move(resource));
  }

  void put_firmware() {
    const FirmwareSpec& firmware = adapter_.firmware;
    Resource resource = start(kinds::kFirmware, firmware.range);
    for (const auto& [attribute, text] :
         {std::pair{"version", &firmware.version}, std::pair{"psid", &firmware.psid}}) {
      if (text->value.empty()) continue;
      want(resource, attribute, text->value, text->range, "the document asks for this firmware");
      resource.features.push_back(
          {attribute, fmt::format("`firmware.{}`", attribute), text->range});
    }
    if (const Sourced<std::string>& image = firmware.image; !image.value.empty()) {
      resource.binding.emplace(keys::kImage, Map{{"source", image.value}});
      resource.features.push_back({"image", "`firmware.image`", image.range});
    }
    if (resource.desired.empty()) return;
    resource.after.push_back(node_.address(kinds::kAdapter, adapter_.name));
    node_.wait_for_foundation(resource);
    node_.put(std::move(resource));
  }

  void put_recovery() {
    const Sourced<bool>& allowed = adapter_.firmware.recovery_mode;
    if (!allowed.value || !node_.traits().driver_recovery) return;
    Resource resource = start(kinds::kRecovery, allowed.range);
    want(resource, "shown", true, allowed.range, "the firmware tools have to see the card");
    want(
        resource, "mode", "normal", allowed.range, "the recovery mode of a driver is for one boot");
    resource.after.push_back(node_.address(kinds::kAdapter, adapter_.name));
    node_.wait_for_foundation(resource);
    node_.put(std::move(resource));
  }

  void want_link_types(Resource& settings) const {
    if (!adapter_.hardware->vpi()) return;
    const NetworkSpec* chained = chain();
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const NetworkSpec* network = chained != nullptr ? chained : network_of(port);
      if (network == nullptr) continue;
      const Mode mode = network->mode.value;
      const bool infiniband = mode == Mode::infiniband;
      want(
          settings,
          fmt::format("LINK_TYPE_P{}", port),
          infiniband ? kLinkTypeInfiniband : kLinkTypeEthernet,
          network->mode.range,
          chained != nullptr ? std::string{"mode chain needs Ethernet on both ports"}
                             : fmt::format(
                                   "mode {} of network {} needs port {} as {}",
                                   to_string(mode),
                                   network->name,
                                   port,
                                   infiniband ? "InfiniBand" : "Ethernet"));
    }
    want_second_ethernet(settings);
    // The driver of a card of the 2010 generation sets it; no firmware tool knows the card.
    if (settings.desired.empty() || !adapter_.hardware->tool_name.empty()) return;
    settings.features.push_back(
        {"driver_link_type",
         fmt::format("setting the link type of a {}", adapter_.hardware->name),
         adapter_.model.range});
  }

  // Port 1 Ethernet beside port 2 InfiniBand is the one pair that mlx4 refuses (E-esx-port-types),
  // so an unused port 2 that came as InfiniBand stands in the way.
  void want_second_ethernet(Resource& settings) const {
    const auto first = settings.desired.find("LINK_TYPE_P1");
    const bool refused = adapter_.hardware->driver == "mlx4_core" && adapter_.ports.value == 2 &&
                         first != settings.desired.end() &&
                         first->second.value == Value{kLinkTypeEthernet};
    constexpr const char* kSecond = "LINK_TYPE_P2";
    if (!refused || settings.desired.contains(kSecond) ||
        adapter_.firmware.params.contains(kSecond))
      return;
    want(
        settings,
        kSecond,
        kLinkTypeEthernet,
        first->second.source,
        "port 1 is Ethernet, and this card refuses InfiniBand on port 2 beside it");
  }

  // One virtual function is reserved for the physical one (E-esxi-vfs); a larger number of the
  // document stands. What follows from `sriov` is a minimum: a card that has more needs no boot.
  // A card that goes to a guest has none (E-esxi-passthrough). As long as the guest has it, the
  // guest may set what it likes, and no tool of the host can read it back.
  void want_virtual_functions(Resource& settings) const {
    if (!adapter_.sriov) return;
    const SriovSpec& sriov = *adapter_.sriov;
    if (gives_cards()) settings.binding.emplace(keys::kToGuest, sriov.passthrough);
    want(
        settings,
        "SRIOV_EN",
        sriov.vfs > 0 ? 1 : 0,
        sriov.range,
        sriov.vfs > 0 ? "the document asks for virtual functions"
                      : "the document asks for no virtual functions");
    want_ethernet_subclass(settings, sriov);
    if (sriov.vfs == 0 || adapter_.firmware.params.contains("NUM_OF_VFS")) return;
    want(
        settings,
        "NUM_OF_VFS",
        sriov.vfs + 1,
        sriov.range,
        fmt::format("at least {} virtual functions, and one in reserve", sriov.vfs));
    settings.binding.emplace(keys::kAtLeast, List{"NUM_OF_VFS"});
  }

  // The driver of ESXi takes an InfiniBand card only where it shows itself as Ethernet; what it
  // speaks stays InfiniBand (E-esxi-sriov-order).
  void want_ethernet_subclass(Resource& settings, const SriovSpec& sriov) const {
    if (!node_.traits().infiniband_as_ethernet || sriov.vfs == 0) return;
    bool infiniband = false;
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const NetworkSpec* network = network_of(port);
      infiniband = infiniband || (network != nullptr && network->mode.value == Mode::infiniband);
    }
    if (!infiniband || !adapter_.hardware->vpi()) return;
    for (const char* parameter : {"ADVANCED_PCI_SETTINGS", "FORCE_ETH_PCI_SUBCLASS"})
      want(
          settings,
          parameter,
          1,
          sriov.range,
          "the driver of ESXi makes virtual functions of an InfiniBand card that shows itself as "
          "Ethernet");
  }

  // Adds the parameters of networks that are to leave nothing behind. REQUIRES: nothing else is
  // wanted yet.
  void want_restore(Resource& settings) const {
    const NetworkSpec* chained = chain();
    List names;
    SourceRange place;
    for (const auto& [name, desired] : settings.desired) {
      const bool is_of_port = name.starts_with("LINK_TYPE_P");
      const auto port = is_of_port ? parse_unsigned(name.substr(11), 10) : std::nullopt;
      const NetworkSpec* network =
          chained != nullptr || !port ? chained : network_of(static_cast<std::uint32_t>(*port));
      if (network == nullptr || !network->restore.value) continue;
      names.emplace_back(name);
      place = network->restore.range;
    }
    if (names.empty()) return;
    want(
        settings,
        keys::kRestore,
        std::move(names),
        place,
        "`restore`: the card gets its former values back");
  }

  void put_settings() {
    Resource settings = start(kinds::kSettings, adapter_.range);
    want_link_types(settings);
    if (const NetworkSpec* chained = chain()) {
      want(
          settings,
          "HOST_CHAINING_MODE",
          kChainingBasic,
          chained->mode.range,
          fmt::format("mode chain of network {} forwards in the card", chained->name));
    }
    want_restore(settings);
    want_virtual_functions(settings);
    // Parameters by a mode are there already; one that repeats them changes nothing.
    for (const auto& [name, value] : adapter_.firmware.params) {
      if (settings.desired.contains(name)) continue;
      want(
          settings,
          name,
          value.value ? number_or_text(*value.value) : Value{keys::kFactory},
          value.range,
          "the document sets this firmware parameter");
      if (value.value) continue;
      settings.features.push_back({name, "the firmware parameter value `default`", value.range});
    }
    if (settings.desired.empty()) return;
    for (const auto& [name, desired] : settings.desired)
      if (name != keys::kRestore) settings_.emplace(name, desired.value);
    settings.after.push_back(node_.address(kinds::kAdapter, adapter_.name));
    const ResourceAddress firmware = node_.address(kinds::kFirmware, adapter_.name);
    if (node_.has(firmware)) settings.after.push_back(firmware);
    const ResourceAddress recovery = node_.address(kinds::kRecovery, adapter_.name);
    if (node_.has(recovery)) settings.after.push_back(recovery);
    if (gives_cards() && adapter_.sriov && !adapter_.sriov->passthrough)
      settings.after.push_back(node_.address(kinds::kPassthrough, adapter_.name));
    node_.wait_for_foundation(settings);
    node_.put(std::move(settings));
  }

  // Hypervisors that hand whole cards to guests.
  bool gives_cards() const { return node_.traits().ports_over_all_cards; }

  // A card that goes to a guest gets its settings before, because the host does not see it then;
  // one that comes back gets them after the boot that brings it.
  void put_passthrough() {
    if (!adapter_.sriov || !gives_cards()) return;
    const SriovSpec& sriov = *adapter_.sriov;
    Resource resource = start(kinds::kPassthrough, sriov.range);
    want(
        resource,
        "passthrough",
        sriov.passthrough,
        sriov.range,
        sriov.passthrough ? "the whole card goes to a guest" : "the host keeps the card");
    resource.features.push_back({"passthrough", "`sriov.passthrough`", sriov.range});
    if (sriov.passthrough) {
      resource.binding.emplace(kinds::kSettings, settings_);
      resource.after = {
          node_.address(kinds::kAdapter, adapter_.name),
          node_.address(kinds::kSettings, adapter_.name)};
    }
    follow_passthrough(resource);
    node_.wait_for_foundation(resource);
    node_.put(std::move(resource));
  }

  void put_sriov() {
    if (!adapter_.sriov || adapter_.sriov->passthrough) return;
    const SriovSpec& sriov = *adapter_.sriov;
    Resource resource = start(kinds::kSriov, sriov.range);
    resource.binding.emplace(keys::kDriver, adapter_.hardware->driver);
    // Virtual functions that are in use; ESXi does not report them.
    const bool adopts = node_.node().adopt.value && node_.traits().linux_host;
    if (adopts) {
      resource.binding.emplace(keys::kAdopt, adopt_binding(node_.node()));
      resource.binding.emplace(keys::kAdoptedPorts, ports_with_interfaces());
    }
    want(resource, "vfs", sriov.vfs, sriov.range, "the document asks for virtual functions");
    resource.features.push_back(
        {"vfs", fmt::format("`sriov` of a {}", adapter_.hardware->name), sriov.range});
    resource.after = {
        node_.address(kinds::kAdapter, adapter_.name),
        node_.address(kinds::kSettings, adapter_.name)};
    follow_passthrough(resource);
    node_.wait_for_foundation(resource);
    node_.put(std::move(resource));
  }

  // The ports whose interface fabric configures, and takes over from its former owner.
  List ports_with_interfaces() const {
    List ports;
    for (std::uint32_t port = 1; port <= adapter_.ports.value; ++port) {
      const NetworkSpec* network = network_of(port);
      if (network != nullptr && has_interface(*network)) ports.emplace_back(port);
    }
    return ports;
  }

  static bool has_interface(const NetworkSpec& network) {
    return network.mode.value != Mode::infiniband || network.ipoib;
  }

  // The driver of ESXi counts its ports over all cards, so that each card that goes to a guest or
  // comes back moves the places of the others: first come those that come back, all at once, then
  // one after the other those that go, and virtual functions last.
  void follow_passthrough(Resource& resource) const {
    if (!gives_cards()) return;
    const bool comes = resource.address.kind == kinds::kPassthrough && !adapter_.sriov->passthrough;
    List gone, back;
    for (const AdapterSpec& other : *node_.node().adapters) {
      if (!other.sriov || other.hardware == nullptr || other.name == adapter_.name) continue;
      const bool goes = other.sriov->passthrough;
      const bool before = !adapter_.sriov->passthrough || other.name < adapter_.name;
      if (goes && (comes || !before)) continue;
      (goes ? gone : back).emplace_back(node_.adapter_binding(other));
      if (!comes) resource.after.push_back(node_.address(kinds::kPassthrough, other.name));
    }
    if (!gone.empty()) resource.binding.emplace(keys::kPassedThrough, std::move(gone));
    if (!back.empty()) resource.binding.emplace(keys::kGivenBack, std::move(back));
  }

  void put_link_names() {
    for (const auto& [port, name] : adapter_.names) {
      Resource resource = node_.start(kinds::kLinkName, port_name(port_ref(port)), name.range);
      resource.binding.insert(binding_.begin(), binding_.end());
      resource.binding.emplace(keys::kPort, port);
      if (const NetworkSpec* network = network_of(port)) {
        resource.binding.emplace(
            keys::kLinkType, network->mode.value == Mode::infiniband ? "infiniband" : "ethernet");
        if (has_interface(*network)) resource.binding.emplace(keys::kNetwork, network->name);
        if (network->lag) resource.binding.emplace(keys::kBond, network->lag->bond.value);
      }
      // The interfaces' back end runs again when the name is rolled back.
      const NetworkBackend backend = node_.node().network_backend.value;
      if (backend != NetworkBackend::automatic)
        resource.binding.emplace(keys::kBackend, to_string(backend));
      resource.after.push_back(node_.address(kinds::kAdapter, adapter_.name));
      // The name is of the interface that the link type makes.
      const ResourceAddress settings = node_.address(kinds::kSettings, adapter_.name);
      if (node_.has(settings)) resource.after.push_back(settings);
      want(resource, "name", name.value, name.range, "the document names this interface");
      node_.put(std::move(resource));
    }
  }

  NodeResources& node_;
  const AdapterSpec& adapter_;
  Map binding_;
  Map settings_{};  // the wanted parameters
};

}  // namespace

void expand_adapters(NodeResources& node) {
  for (const AdapterSpec& adapter : *node.node().adapters) {
    if (adapter.hardware != nullptr) Card{node, adapter}.expand();
  }
}

}  // namespace fabric::expansion

// SPDX-License-Identifier: Apache-2.0
// The kinds of resource of Linux hosts.
#pragma once

#include "engine/model/resource_keys.hpp"
#include "engine/provider/provider.hpp"

namespace fabric::providers {

// "adapter": that the card of the document is there, and what it is. Changes nothing.
// Observes, beside what is desired, the identity of the card as running values: pci, device_id,
// ports, firmware, psid, serial, part_number. Diagnostics: adapter-missing, adapter-ambiguous,
// firmware-too-old.
class AdapterProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kAdapter; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "cable": whether a port sees the other end of its cable. A person does the rest.
// Attribute `carrier` of what runs: true if the kernel sees one; false also while the interface is
// down, of which the kernel says nothing (sysfs-class-net: reading `carrier` then fails).
class CableProvider final : public Provider {
 public:
  // "cable", or "carrier" of what is only watched (model/resource_keys.hpp).
  explicit CableProvider(std::string_view kind) : kind_{kind} {}
  std::string_view kind() const override { return kind_; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  // One action, by hand: binding.instruction, for binding.wait_ms.
  Result<Work> work(const Change& change, const WorkContext& context) const override;

 private:
  std::string_view kind_;
};

// "drain": whether a run that disrupted the node still owes it its after_disruption.
// `drained`, running: a file of ours on the node says it (provider/disruption_hooks.hpp). Taken
// back by the document's own command alone; what the file holds is never run.
class DrainProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kDrain; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override { return {"/var/lib/fabric/"}; }
};

// "firmware": the firmware in the flash of a card, burned from an image of the document.
// Attributes: version (running: what the card runs; next boot: what is in its flash) and psid
// (running; only checked). Beside them, for the actions' own conditions: upload and backup
// (persistent; see card_firmware.hpp). Nothing is burned unless binding.image names an image, whose
// version and PSID are the desired ones; the node checks that before it burns.
// Diagnostics: firmware-psid-mismatch, firmware-downgrade.
class FirmwareProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kFirmware; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override { return {"/var/lib/fabric/firmware/"}; }
};

// network interfaces, now and after a boot. Kind "interface": MTU, addresses and
// routes of one port of a card, or its being a slave of a bond; on InfiniBand the mode of IPoIB.
// "bond": the bond of a network of mode lag, its options and its slaves; whatever the slaves need
// to become its slaves is its work too, so that a port is moved into a bond once and not twice.
// "vlan": an 802.1Q VLAN on a port or a bond. "ipoib": an IPoIB child in one partition of the
// port's subnet. They differ in what a resource is bound to (find_link).
// Diagnostics: foreign-configuration, interface-name-unknown, network-backend-unknown,
// package-missing, bond-not-aggregated. Does every form that expand() asks of these kinds.
class LinkProvider final : public Provider {
 public:
  explicit LinkProvider(std::string_view kind) : kind_{kind} {}
  std::string_view kind() const override { return kind_; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {
        "/etc/systemd/network/",
        "/etc/network/interfaces.d/",
        "/etc/netplan/",
        "/etc/NetworkManager/system-connections/",
        "/etc/sysconfig/network-scripts/",
        "/etc/udev/rules.d/"};
  }

 private:
  std::string_view kind_;
};

// "link_name": the persistent name of one port's Ethernet interface, by a .link file
// or a udev rule. In force after a boot: udev renames interfaces only as they appear.
class LinkNameProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kLinkName; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {"/etc/systemd/network/", "/etc/udev/rules.d/"};
  }
};

// "module": a kernel module that is loaded, now and at every boot, with parameters.
// `loaded`, and one attribute for each parameter, running and in files of ours below
// /etc/modules-load.d and /etc/modprobe.d. What else loads the module at boot is as good. A
// parameter that the kernel does not let change while the module is loaded needs a boot; those of
// the cards' own drivers need their files in the initramfs too. Nothing is ever unloaded.
// Diagnostics: foreign-configuration where another file gives a parameter another value, or forbids
// the module.
class ModuleProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kModule; }
  std::vector<Probe> probes() const override;
  // Features are parameters: any.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {"/etc/modprobe.d/", "/etc/modules-load.d/"};
  }
};

// "os": the release and the kernel that a node runs. Only checked.
// Attributes of what runs: `release` (by name, version or both: "debian", "12", "debian-12",
// "bookworm") and `minimum`, the oldest kernel. Satisfied reads as the desired value itself.
// Diagnostics: os-mismatch.
class OsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kOs; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "package": software of the distribution that must be there. What is missing is
// installed; nothing is ever upgraded or removed but what fabric itself installed, to roll it back.
// One attribute, `installed`, in the persistent layer. By apt-get, dnf, yum or zypper.
class PackageProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kPackage; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "qos": lossless RoCE of one port. A script of ours sets it at each boot and now, and
// what is in force is read back from the port.
class QosProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kQos; }
  std::vector<Probe> probes() const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  // Frames are lost for a moment while a port's buffers are set anew; its link stays.
  Disruption disruption(const NodeFacts&, const Resource&, std::string_view) const override {
    return Disruption::traffic;
  }
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {"/etc/fabric/", "/etc/systemd/system/", "/etc/udev/rules.d/"};
  }
};

// "settings": the firmware parameters of a card, by mlxconfig or mstconfig. A value that
// is set is in force after the next boot. The link types of a card that no such tool knows are its
// driver's matter (driver_port_types.hpp).
class SettingsProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSettings; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  // Settings that fabric has made and no document asks for, with the former values of the card.
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::map<std::string, Value, std::less<>> recorded(
      const Resource& resource, const NodeFacts& facts) const override;
  std::map<std::string, LayeredReading, std::less<>> waiting(
      const Resource& resource, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {"/etc/modprobe.d/", "/var/lib/fabric/settings/"};
  }
};

// "software": the RDMA driver stack of a node and its tools. Only checked: stacks are not
// installed over one another, and never mixed.
// Attributes of what runs: `stack`, `minimum` (its version; of inbox, the kernel's) and `mft`, the
// oldest version of the Mellanox Firmware Tools. Satisfied reads as the desired value itself.
// Diagnostics: software-mismatch.
class SoftwareProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSoftware; }
  std::vector<Probe> probes() const override;
  // Not the bundles of ESXi.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::string vendor_drivers(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

// "sriov": the virtual functions of a card, the same number on each of its ports. A udev
// rule makes them at every boot; whether the firmware has that many is the matter of "settings".
// mlx5 only: the driver of older cards takes the number as a module parameter.
class SriovProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSriov; }
  std::vector<Probe> probes() const override;
  // Virtual functions for this host; not a whole card for a guest, which is a hypervisor's matter.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  // Those in use go away when their number changes: the kernel knows no other way than by none.
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override { return {"/etc/udev/rules.d/"}; }
};

// "subnet_manager": OpenSM on one InfiniBand port of a Linux host, with its partitions.
// Persistent is what the files of this resource say (manager_files.hpp); running is what OpenSM was
// started with. `manages`: that the unit and its rule stand, and that the manager on the port
// answers as master or standby; that a process runs proves nothing (E-ib-sminfo).
// Beside what is desired, running: `state` of the manager on the port ("master", "standby", "none")
// and `master`, the port GUID of the subnet's; `routed_by`, the engine that the manager says it
// routed its switches by ("none" if none could), and `routing_error`, what went wrong before that.
// Diagnostics: package-missing without opensm; sm-foreign-master where the port hears a master that
// the document does not know, sm-stray where that is on one of the document's nodes and has the
// lower priority; foreign-configuration where OpenSM has files of somebody else's.
class SubnetManagerProvider final : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSubnetManager; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  std::map<std::string, std::string, std::less<>> port_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  std::map<std::string, std::string, std::less<>> noted_guids(
      const Resource& resource, const NodeFacts& facts) const override;
  std::map<std::string, Guid> masters_heard(const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override {
    return {"/etc/opensm/", "/etc/systemd/system/", "/etc/udev/rules.d/"};
  }
};

// "sysctl" and "tuning": kernel parameters of one purpose, in a drop-in of ours.
// Values are texts; runs of blanks count as one. Diagnostics: foreign-configuration where a file
// that is read after ours says something else.
class SysctlProvider : public Provider {
 public:
  std::string_view kind() const override { return kinds::kSysctl; }
  std::vector<Probe> probes() const override;
  // Features are keys: those that the probe reads.
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Disruption disruption(
      const NodeFacts& facts, const Resource& resource, std::string_view attribute) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
  std::vector<std::string_view> folders() const override { return {"/etc/sysctl.d/"}; }
};

// The same for a named profile, in a file that is read before those of "sysctl".
class TuningProvider final : public SysctlProvider {
 public:
  std::string_view kind() const override { return kinds::kTuning; }
};

// "forwarding": kernel parameters of the interface of one port, in a drop-in of ours by
// its name: systemd's udev rules apply it whenever an interface of that name comes.
class ForwardingProvider final : public SysctlProvider {
 public:
  std::string_view kind() const override { return kinds::kForwarding; }
  std::vector<Probe> probes() const override;
  bool supports(const Resource& resource, std::string_view feature) const override;
  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& diagnostics) const override;
  std::vector<Resource> orphans(
      std::span<const Resource> wanted, const NodeFacts& facts) const override;
  Result<Work> work(const Change& change, const WorkContext& context) const override;
};

}  // namespace fabric::providers

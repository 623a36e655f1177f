// SPDX-License-Identifier: Apache-2.0
// Card: one simulated adapter. Its settings live in its own flash, in three layers as mstconfig
// shows them: default, current (running) and next boot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/model/hardware.hpp"

namespace fabric::lab {

enum class LinkType : std::uint8_t { infiniband = 1, ethernet = 2 };

struct Setting {
  std::uint64_t standard = 0;
  std::uint64_t current = 0;
  std::uint64_t next = 0;
  bool operator==(const Setting&) const = default;
};

// The plug in a port's cage, and the link that it makes.
struct Plug {
  std::string serial;      // of the cable, the same at both ends; "" = nothing is plugged in
  std::uint32_t gbps = 0;  // of the trained link; 0 = the most of the port
  std::string fec;         // "" = the default of the speed
  // Values of an optical module; copper has neither.
  std::optional<double> temperature;   // degrees Celsius
  std::optional<double> received_dbm;  // on each lane
  bool is_optical() const { return temperature || received_dbm; }
};

// How a port sorts frames by priority, and which are lossless; a boot resets it.
struct PortQos {
  bool dcbx_by_host = true;
  bool trust_dscp = false;
  std::set<std::uint32_t> pfc;
  std::map<std::uint32_t, std::uint32_t> dscp_priorities;  // parameters that were set
  // For each priority: ECN at the end that notifies of congestion (np) and at the end that slows
  // down (rp), where it was set.
  std::map<std::string, std::map<std::uint32_t, bool>> ecn;
  std::optional<std::uint32_t> cnp_dscp;
  std::uint32_t tos = 0;    // of RDMA CM
  bool tos_folder = false;  // in configfs
  std::optional<std::uint32_t> forced_class;
};

struct CardPort {
  std::uint32_t number = 1;
  LinkType link_type = LinkType::ethernet;  // running
  std::string mac;                          // permanent, "0c:42:a1:8c:51:a8"
  std::uint64_t guid = 0;
  std::uint32_t vfs = 0;  // virtual functions that there are now; gone with the boot
  bool dirty = false;     // the plug is dirty: incoming frames are counted as damaged
  std::uint64_t damaged_frames = 0;
  std::uint64_t lost_links = 0;
  Plug plug{};
  PortQos qos{};
};

struct Card {
  std::string adapter;  // the document's name for it
  HardwareModel hardware;
  std::string pci;       // without the function: "0000:01:00"
  std::string firmware;  // the running version: "16.35.2000"
  std::string burned{};  // in flash, and runs from the next boot; "" = the running version
  std::string psid;
  std::string part_number;  // "Name" in mstconfig
  std::string description;
  std::string serial;
  std::uint64_t base_guid = 0;
  std::vector<CardPort> ports;
  std::map<std::string, Setting> settings;  // arrays element by element: "NAME[3]"
  std::uint32_t pcie_lanes = 0;             // of the trained link; 0 = all
  // HOST_CHAINING_MODE in the running firmware: only a full reboot loads it.
  bool chaining = false;

  bool mlx4() const { return hardware.driver == "mlx4_core"; }
  // ConnectX-6 Dx and later: their firmware is signed, and can't be read back.
  bool has_secure_firmware() const { return !mlx4() && device_id() >= 0x101d; }
  // One PCI function for each port on mlx5, one for all on mlx4.
  std::string function_of(std::uint32_t port) const {
    return pci + "." + std::to_string(mlx4() ? 0 : port - 1);
  }
  std::uint32_t device_id() const {
    return hardware.device_ids.empty() ? 0 : hardware.device_ids.front();
  }
  std::uint64_t next_of(const std::string& setting) const;
  std::uint64_t current_of(const std::string& setting) const;
  const std::string& flash() const { return burned.empty() ? firmware : burned; }
  // "mt4119"
  std::string mst_name() const { return "mt" + std::to_string(device_id()); }
};

// A card with factory settings. `index` counts the cards of a host, from 0; `ports` 0 = all.
Card make_card(
    const HardwareModel& hardware, std::uint32_t ports, std::uint32_t index, Random& random);
// The firmware starts: next boot becomes current, and the running state follows it.
void load_settings(Card& card);
// A reset by mlxfwreset, which loads firmware from flash too: all settings but host chaining, which
// was seen to change only by a reboot.
void reset_firmware(Card& card);

// Also sets the GUIDs and MACs of its ports, which derive from it.
void set_base_guid(Card& card, std::uint64_t guid);
// The trained speed in Gb/s, or else the most of hardware and link type; `port` from 1.
std::uint32_t port_gbps(const Card& card, std::uint32_t port);

std::string mac_text(std::uint64_t bits);
// "0c42:a103:008c:51a8", as sysfs writes GUIDs.
std::string guid_text(std::uint64_t bits);

}  // namespace fabric::lab

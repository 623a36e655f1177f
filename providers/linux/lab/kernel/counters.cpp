// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/counters.hpp"

#include <algorithm>

namespace fabric::lab {
namespace {

constexpr std::string_view kStatistics[] = {
    "rx_errors",
    "tx_errors",
    "rx_crc_errors",
    "rx_frame_errors",
    "rx_length_errors",
    "tx_carrier_errors",
    "rx_dropped",
    "tx_dropped"};
// With the bits of each; it stays at its top (E-ib-counter-widths).
struct PmaCounter {
  std::string_view name;
  unsigned bits;
};
constexpr PmaCounter kRdmaCounters[] = {
    {"symbol_error", 16},
    {"link_error_recovery", 8},
    {"link_downed", 8},
    {"port_rcv_errors", 16},
    {"port_rcv_remote_physical_errors", 16},
    {"local_link_integrity_errors", 4},
    {"excessive_buffer_overrun_errors", 4}};

// Of RoCE ports: losses on the way, and congestion control at work (E-qos-counters).
constexpr std::string_view kRoceCounters[] = {
    "out_of_sequence",
    "packet_seq_err",
    "np_cnp_sent",
    "np_ecn_marked_roce_packets",
    "rp_cnp_handled"};

const CardPort* port_of(const LinuxHost& machine, const std::string& name) {
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr || !interface->card) return nullptr;
  return &machine.state.cards[*interface->card].ports[interface->port - 1];
}

}  // namespace

void install_interface_counters(
    LinuxHost& machine, const std::string& folder, const std::string& interface) {
  FileTree& files = machine.state.files;
  for (const std::string_view counter : kStatistics) {
    const bool damaged = counter == "rx_errors" || counter == "rx_crc_errors";
    files.install_generated(
        folder + "/statistics/" + std::string{counter}, [owner = &machine, interface, damaged] {
          const CardPort* port = port_of(*owner, interface);
          return std::to_string(damaged && port != nullptr ? port->damaged_frames : 0) + "\n";
        });
  }
  // Every loss but the last was followed by a return.
  for (const bool both_ways : {false, true}) {
    files.install_generated(
        folder + (both_ways ? "/carrier_changes" : "/carrier_down_count"),
        [owner = &machine, interface, both_ways] {
          const CardPort* port = port_of(*owner, interface);
          const std::uint64_t lost = port == nullptr ? 0 : port->lost_links;
          return std::to_string(both_ways ? 2 * lost + 1 : lost) + "\n";
        });
  }
}

void install_rdma_counters(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port) {
  if (machine.state.cards[card].ports[port - 1].link_type == LinkType::ethernet) {
    for (const std::string_view counter : kRoceCounters) {
      machine.state.files.install_generated(
          folder + "/hw_counters/" + std::string{counter}, [] { return std::string{"0\n"}; });
    }
  }
  for (const PmaCounter& counter : kRdmaCounters) {
    machine.state.files.install_generated(
        folder + "/counters/" + std::string{counter.name}, [owner = &machine, card, port, counter] {
          const CardPort& hardware = owner->state.cards[card].ports[port - 1];
          // A RoCE port counts in its network device.
          const bool counts = hardware.link_type == LinkType::infiniband;
          std::uint64_t value = 0;
          if (counts && counter.name == "symbol_error") value = hardware.damaged_frames;
          if (counts && counter.name == "link_downed") value = hardware.lost_links;
          const std::uint64_t top = (std::uint64_t{1} << counter.bits) - 1;
          return std::to_string(std::min(value, top)) + "\n";
        });
  }
}

}  // namespace fabric::lab

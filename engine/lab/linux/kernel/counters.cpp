#include "engine/lab/linux/kernel/counters.hpp"

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
constexpr std::string_view kRdmaCounters[] = {
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "port_rcv_remote_physical_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors"};

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
  for (const std::string_view counter : kRdmaCounters) {
    machine.state.files.install_generated(
        folder + "/counters/" + std::string{counter}, [owner = &machine, card, port, counter] {
          const CardPort& hardware = owner->state.cards[card].ports[port - 1];
          // A RoCE port counts in its network device.
          const bool counts = hardware.link_type == LinkType::infiniband;
          std::uint64_t value = 0;
          if (counts && counter == "symbol_error") value = hardware.damaged_frames;
          if (counts && counter == "link_downed") value = hardware.lost_links;
          return std::to_string(value) + "\n";
        });
  }
}

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// FrameWalk: one Ethernet frame or IPoIB packet on its way, through switches and chaining cards.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/lab/wire/world.hpp"

namespace fabric::lab {

struct Arrival {
  const Machine* machine = nullptr;
  std::uint32_t interface = 0;  // the machine's own number for it
  std::string mac;              // of it
  std::uint32_t hops = 0;       // cables crossed
  bool damaged = false;         // came in by a dirty plug somewhere
};

class FrameWalk {
 public:
  FrameWalk(const World& world, Frame frame) : world_{world}, frame_{std::move(frame)} {}
  // Every interface that gets the frame, nearest first; it leaves by what `interface` stands on.
  std::vector<Arrival> run(const Machine& sender, std::uint32_t interface);

 private:
  struct Crossing {
    PortRef to;
    std::uint32_t hops = 0;
    bool damaged = false;
  };
  void transmit(const PortRef& from, const Crossing& so_far);
  void arrive(const Crossing& arrived);
  bool passes(const PortRef& port) const;
  void arrive_at_switch(const Crossing& arrived);
  void deliver(
      const Machine& machine, std::size_t card, std::uint32_t port, const Crossing& crossing);
  bool chains(const Machine& machine, const Card& card) const;
  bool too_long_for(const Machine& machine, const Card& card) const;

  const World& world_;
  Frame frame_;
  std::vector<Crossing> left_;
  std::set<PortRef> crossed_;    // senders: a frame leaves a port once
  std::set<NodeName> switches_;  // InfiniBand switches that have passed the packet on
  std::vector<Arrival> arrivals_;
};

}  // namespace fabric::lab

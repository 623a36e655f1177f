// FrameWalk: one Ethernet frame or IPoIB packet on its way, through switches and chaining cards.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/lab/wire/world.hpp"

namespace fabric::lab {

struct Frame {
  std::string source;       // MAC
  std::string destination;  // MAC, "" = broadcast
  std::uint32_t bytes = 0;  // of the IP packet
  std::uint32_t vlan = 0;   // 0: no tag
  bool infiniband = false;  // of IPoIB: set by whoever sends it
};

struct Arrival {
  Machine* machine = nullptr;
  Interface* interface = nullptr;
  std::uint32_t hops = 0;  // cables crossed
  bool damaged = false;    // came in by a dirty plug somewhere
};

class FrameWalk {
 public:
  FrameWalk(const World& world, Frame frame) : world_{world}, frame_{std::move(frame)} {}
  // Every interface that gets the frame, nearest first; it leaves by what `interface` stands on.
  std::vector<Arrival> run(Machine& sender, const Interface& interface);

 private:
  struct Crossing {
    PortRef to;
    std::uint32_t hops = 0;
    bool damaged = false;
  };
  void transmit(const PortRef& from, const Crossing& so_far);
  void arrive(const Crossing& arrived);
  void arrive_at_switch(const Crossing& crossing);
  void deliver(Machine& machine, std::size_t card, std::uint32_t port, const Crossing& crossing);
  bool chains(const Machine& machine, const Card& card) const;
  bool too_long_for(const Machine& machine, const Card& card) const;

  const World& world_;
  Frame frame_;
  std::vector<Crossing> left_;
  std::set<PortRef> crossed_;  // senders: a frame leaves a port once
  std::vector<Arrival> arrivals_;
};

}  // namespace fabric::lab

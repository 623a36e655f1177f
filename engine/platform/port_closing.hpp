// SPDX-License-Identifier: Apache-2.0
// A port of a bond closed as a pulled cable would close it, while pings go over the bond.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabric::platform {

struct PortClosing {
  std::string bond;                  // interface of the bond
  std::string interface;             // interface of the port that is closed
  std::vector<std::string> others;   // interfaces of the bond's other ports
  std::vector<std::string> targets;  // addresses that are pinged meanwhile
};

struct PingReplies {
  std::set<std::uint32_t> sequence;  // sequence numbers of the replies, from 1
  std::uint32_t sent = 0;
};

struct PortClosingAnswer {
  std::string untested;  // why the port was not closed; "" = it was
  bool complete = false;
  // The card keeps its link when the kernel closes a port, and its own tool could not take it down:
  // the other end may not have noticed.
  bool keeps_link = false;
  bool stays_down = false;                                // the port did not come up again
  double ping_interval = 0;                               // seconds between two pings
  std::map<std::string, PingReplies, std::less<>> pings;  // by target
  // Frames sent by each interface: at first, and after many flows while all ports were open.
  std::map<std::string, std::uint64_t> sent_at_first, sent_open;
};

}  // namespace fabric::platform

// SPDX-License-Identifier: Apache-2.0
// LeaseWatch: the holder of each node by true time, whatever clocks show (I12). Its only evidence
// is the locks on the nodes, and the times when they appeared.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/lab.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

class LeaseWatch {
 public:
  // All but `fenced`, the watched nodes, must outlive this. `reality` has the times for which hosts
  // stand still, which lengthens leases.
  LeaseWatch(
      const lab::Lab& lab,
      std::map<NodeName, const SimulatedPlatform*> fenced,
      const lab::LabSpec& reality,
      std::vector<std::string>& violations)
      : lab_{lab}, fenced_{std::move(fenced)}, reality_{reality}, violations_{violations} {}

  // The node does `step` for `run` right now, and has changed something. Reports a change without a
  // lease in force, and a lock that passes from one run to another too soon.
  void changed(
      const NodeName& node, TimePoint at, const std::string& run, const remote::Step& step);
  // The node has refused a step of `run` between these two times. Reports the refusal if the lease
  // of that run was in force all the time: a clock has then ended it too early.
  void refused(const NodeName& node, TimePoint sent, TimePoint at, const std::string& run);
  void booted(const NodeName& node, TimePoint at);
  // The run does nothing any more, so its locks may disappear at any time.
  void end(const std::string& run) { ended_.insert(run); }

 private:
  struct Seen {
    SimulatedLock lock;
    TimePoint from{};
  };
  void look(
      const NodeName& node,
      const SimulatedPlatform& simulated,
      TimePoint at,
      const std::string& by);
  // The earliest and the latest end of a lease.
  static TimePoint at_least(const Seen& seen);
  TimePoint at_most(const NodeName& node, const Seen& seen) const;

  const lab::Lab& lab_;
  std::map<NodeName, const SimulatedPlatform*> fenced_;
  const lab::LabSpec& reality_;
  std::vector<std::string>& violations_;
  std::map<NodeName, Seen> seen_;
  std::set<std::string> ended_;
};

}  // namespace fabric::rehearse

// SPDX-License-Identifier: Apache-2.0
// The watches of a rehearsal.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/lab/lab.hpp"
#include "engine/model/spec.hpp"
#include "engine/rehearse/platform/simulated_platform.hpp"
#include "plans/plan.hpp"

namespace fabric::rehearse {

// ForeignWatch: checks that only those bytes of a foreign file change that a plan showed, and that
// all bytes that a plan removes are kept.
class ForeignWatch {
 public:
  // All arguments must outlive this.
  ForeignWatch(
      lab::Lab& lab, const SimulatedPlatforms& simulated, std::vector<std::string>& violations)
      : lab_{lab}, simulated_{simulated}, violations_{violations} {}

  // Notes the file as its owner left it.
  void left(const NodeName& node, const std::string& path);
  // Notes the plan's work on such files.
  void shown(const plans::Plan& plan);
  void look() const;
  bool knows(const NodeName& node, const std::string& path) const {
    return left_.contains({node, path});
  }

 private:
  using File = std::pair<NodeName, std::string>;
  // The changes that plans showed for one content of a file, by its digest.
  struct Shown {
    std::set<std::string> lines;    // lines that may be commented out
    std::set<std::string> kept_as;  // copies of it when it is taken away
  };
  // A file as its owner left it, without fabric's marks.
  struct Left {
    std::optional<std::string> text;         // nullopt: removed
    std::optional<std::string> before;       // the content that was removed
    std::set<std::string, std::less<>> out;  // lines that were commented out already
  };
  std::string judge(const File& file, const Left& left) const;
  bool is_kept(const File& file, const std::string& was, const Shown& shown) const;

  lab::Lab& lab_;
  const SimulatedPlatforms& simulated_;
  std::vector<std::string>& violations_;
  std::map<File, Left> left_;
  std::map<std::pair<File, std::string>, Shown> shown_;
};

// LeaseWatch: the holder of each node by true time, whatever clocks show (I12). Its only evidence
// is the locks on the nodes, and the times when they appeared.
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

// MtuWatch: checks that no host sends longer packets than its network carries: the MTU of whatever
// stands on a host port against the port of every switch that it can reach, and of IPoIB against
// its group. An MTU that was too large when the watch began is ignored.
class MtuWatch {
 public:
  // All arguments must outlive this.
  MtuWatch(const lab::Lab& lab, const FabricSpec& spec, std::vector<std::string>& violations);
  // Called between any two actions. `when`: "after ..."
  void look(const std::string& when);

 private:
  // A host's port, and the port or group (then the same port) that carries less.
  using Pair = std::pair<PortRef, PortRef>;
  // The ports of switches that a frame from this port of a network may pass.
  std::set<PortRef> carriers_of(const std::string& network, const PortRef& port) const;
  std::set<Pair> excesses() const;
  std::string text(const Pair& pair) const;

  const lab::Lab& lab_;
  const FabricSpec& spec_;
  const std::set<std::pair<NodeName, NodeName>> pairs_;
  std::vector<std::string>& violations_;
  std::vector<Pair> ethernet_;  // a host's port, a port on its way
  std::vector<PortRef> ipoib_;  // ports of hosts
  std::set<Pair> known_;
};

}  // namespace fabric::rehearse

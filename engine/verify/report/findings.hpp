// SPDX-License-Identifier: Apache-2.0
// Collects findings for the report, and which of them are only consequences of another one. One
// cause is one finding for people; its consequences are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/model/spec.hpp"

namespace fabric::verify {

// The kinds of failures that a cause has, counted for people.
enum class Effect : std::uint8_t {
  finding,        // a finding about something that has no count below
  cable_unknown,  // a cable that could not be judged
  cable_dark,     // a cable without a link
  path_untried,   // a path that could not be pinged
  path_lost,
  flow_failed,       // RDMA or TCP that does not work
  flow_untried,      // a flow that could not be measured
  failover_untried,  // a bond whose fail-over could not be tried
  member             // one of many findings that the cause itself counts
};

class Findings {
 public:
  using Number = std::size_t;  // in order of adding

  // Adds a finding without a cause.
  Number add(Diagnostic finding);
  // Adds a consequence of `cause`, if that is known. It is about `number` things of the kind
  // `effect`.
  Number add(
      Diagnostic finding,
      std::optional<Number> cause,
      Effect effect = Effect::finding,
      std::size_t number = 1);
  // Adds a node besides its subject that a finding is about: the other end of a cable, of a path.
  void also_about(Number finding, std::string node) { nodes_of_[finding].insert(std::move(node)); }
  // Counts failures that follow from `cause` and have no finding of their own.
  void count(Number cause, Effect effect, std::size_t number = 1);

  // The findings so far by their subjects, so that later ones can be made their consequences.
  std::map<NodeName, Number> unreached;
  std::map<NodeName, Number> untestable;        // by nodes whose platform has no path tests
  std::map<std::size_t, Number> broken_cables;  // by index, in the order of judge_cables()
  std::map<std::pair<NodeName, std::string>, Number> unaggregated;  // LACP bonds: node and network
  std::map<PortRef, Number> without_gid;  // ports whose address RDMA can't use
  // By network: findings about subnets without manager, ports in INIT, P_Keys, IPoIB groups.
  std::map<std::string, Number> unmanaged_subnets, unmanaged_ports, wrong_keys, wrong_groups;

  struct Linked {
    std::vector<Diagnostic> findings;
    // For the index of a consequence: the index of its first cause, which is no consequence itself.
    std::map<std::size_t, std::size_t> cause_of;
    std::map<std::size_t, std::set<std::string>> nodes_of;
  };
  // A cause gets a note that counts its consequences, a consequence one that names its cause.
  Linked link() &&;

 private:
  // Failures that follow from one cause.
  struct Spoilt {
    std::map<Effect, std::size_t> counts;
    std::map<std::string, std::size_t> findings;  // number by rule; those of Effect::finding

    void add(const Spoilt& other);
    std::string text()
        const;  // "2 cables could not be judged and 12 paths were lost"; "" = nothing
  };

  Number first_cause(Number number) const;

  std::vector<Diagnostic> findings_;
  std::map<Number, Number> cause_of_;
  std::map<Number, std::set<std::string>> nodes_of_;
  std::set<Number> members_;  // findings added with Effect::member
  std::map<Number, Spoilt> spoilt_;
};

// The finding about `subject`, if there is one.
template <class Subject>
std::optional<Findings::Number> finding_of(
    const std::map<Subject, Findings::Number>& known, const Subject& subject) {
  const auto found = known.find(subject);
  return found == known.end() ? std::nullopt : std::optional{found->second};
}

// The place of the node or network in the document; an empty place if it has none.
SourceRange place_of_node(const FabricSpec& spec, const NodeName& node);
SourceRange place_of_network(const FabricSpec& spec, const std::string& network);

}  // namespace fabric::verify

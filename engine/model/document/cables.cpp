// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/cables.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/model/document/cable_pattern.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

namespace {

// A node or `node/adapter` of a ring, chain or mesh.
using Stations = std::vector<Sourced<std::string>>;

Stations read_stations(const Layers& cable, std::string_view key, Findings& findings) {
  Stations stations = read_names(cable, key, findings);
  if (stations.size() < 2 && cable.value(key)) {
    findings.error(
        "out-of-range",
        cable.value(key).node->range,
        fmt::format("a {} needs at least 2 nodes, here is {}", key, stations.size()));
    stations.clear();
  }
  return stations;
}

class CableDecoder {
 public:
  CableDecoder(const EndpointReader& endpoints, Findings& findings)
      : endpoints_{endpoints}, findings_{findings} {}

  void decode(const yaml::Node& node) {
    if (node.is_sequence()) {
      decode_ends(node, Layers{}, node.range);
      return;
    }
    const Layers cable{node};
    const Layer ends = cable.value("ends");
    if (ends) decode_ends(*ends.node, cable, node.range);
    decode_stations(cable, "ring", node.range);
    decode_stations(cable, "chain", node.range);
  }

  DecodedCables take() { return {std::move(cables_), unread_end_}; }

 private:
  void add(Sourced<PortRef> a, Sourced<PortRef> b, const Layers& cable, SourceRange range) {
    cables_.push_back(
        {std::move(a),
         std::move(b),
         range,
         read_text(cable, "label").value,
         read_text(cable, "length").value,
         read_text(cable, "type").value,
         read_text(cable, "speed").value,
         read_text(cable, "proof").value});
  }

  // Reads both ends before it judges, so that two wrong ends are two findings.
  void add_cable(
      const Sourced<std::string>& a,
      const Sourced<std::string>& b,
      const Layers& cable,
      SourceRange range) {
    std::optional<PortRef> port_a = endpoints_.port(a.value, a.range);
    std::optional<PortRef> port_b = endpoints_.port(b.value, b.range);
    if (!port_a || !port_b) {
      const SourceRange unread = port_a ? b.range : a.range;
      if (!is_known(unread_end_)) unread_end_ = unread;
      // The node at the other end may have no port in the network for this alone.
      for (const auto& port : {port_a, port_b}) {
        if (port) findings_.blame(port->node.str(), unread);
      }
      return;
    }
    add({std::move(*port_a), a.range}, {std::move(*port_b), b.range}, cable, range);
  }

  void add_zipped(
      const Sourced<std::string>& a,
      const Sourced<std::string>& b,
      const Layers& cable,
      SourceRange range) {
    const Result<NodeSet> set_a = NodeSet::parse(a.value);
    const Result<NodeSet> set_b = NodeSet::parse(b.value);
    if (!set_a) findings_.error("bad-node-set", a.range, set_a.error().message);
    if (!set_b) findings_.error("bad-node-set", b.range, set_b.error().message);
    if (!set_a || !set_b) return;
    if (set_a->group_count() == 0 && set_b->group_count() == 0) {
      add_cable(a, b, cable, range);
      return;
    }
    const Result<void> zips = check_zip(*set_a, *set_b);
    if (!zips) {
      findings_.error("bad-node-set", b.range, zips.error().message)
          .with_note(a.range, "the other end")
          .with_help("a pattern that does not zip is written with 'for'");
      return;
    }
    if (!findings_.may_expand(2 * set_a->size(), range)) return;
    for (std::size_t i = 0; i < set_a->size(); ++i) {
      add_cable({set_a->at(i), a.range}, {set_b->at(i), b.range}, cable, range);
    }
  }

  void decode_ends(const yaml::Node& ends, const Layers& cable, SourceRange range) {
    const auto wrong = [](const yaml::Node& end) {
      return !end.is_scalar();
    };
    if (ends.items.size() != 2 || std::any_of(ends.items.begin(), ends.items.end(), wrong)) return;
    const Layer variables = cable.value("for");
    const auto repetition = Repetition::read(variables.node, findings_);
    if (!repetition || !all_used(*repetition, variables, ends)) return;
    for (std::size_t i = 0; i < repetition->size(); ++i) {
      const auto a = expand_end(ends.items[0], *repetition, i);
      const auto b = expand_end(ends.items[1], *repetition, i);
      if (!a || !b || !findings_.may_expand(2, range)) return;
      add_zipped(*a, *b, cable, range);
    }
  }

  std::optional<Sourced<std::string>> expand_end(
      const yaml::Node& end, const Repetition& repetition, std::size_t index) {
    Result<std::string> text = repetition.apply(end.text, index);
    if (text) return Sourced<std::string>{std::move(text).value(), end.range};
    findings_.error("bad-node-set", end.range, text.error().message);
    return std::nullopt;
  }

  // A variable that neither end names would lay the same cable again and again.
  bool all_used(const Repetition& repetition, const Layer& variables, const yaml::Node& ends) {
    for (const std::string& name : repetition.names()) {
      const std::string written = "{" + name + "}";
      const bool used =
          std::any_of(ends.items.begin(), ends.items.end(), [&](const yaml::Node& end) {
            return end.text.find(written) != std::string::npos;
          });
      if (used) continue;
      findings_.error(
          "bad-node-set",
          variables.node->find_entry(name)->key_range,
          fmt::format("neither end names '{}'", written));
      return false;
    }
    return true;
  }

  void decode_stations(const Layers& cable, std::string_view key, SourceRange range) {
    const Stations stations = read_stations(cable, key, findings_);
    if (stations.empty()) return;
    const std::size_t count = key == "ring" ? stations.size() : stations.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Sourced<std::string>& from = stations[i];
      const Sourced<std::string>& to = stations[(i + 1) % stations.size()];
      add_cable({from.value + "/1", from.range}, {to.value + "/2", to.range}, cable, range);
    }
  }

  const EndpointReader& endpoints_;
  Findings& findings_;
  std::vector<CableSpec> cables_;
  SourceRange unread_end_;
};

}  // namespace

DecodedCables decode_cables(
    const Layers& network, const EndpointReader& endpoints, Findings& findings) {
  CableDecoder decoder{endpoints, findings};
  const Layer cables = network.value("cables");
  if (!cables) return {};
  for (const yaml::Node& cable : cables.node->items)
    decoder.decode(cable);
  return decoder.take();
}

}  // namespace fabric

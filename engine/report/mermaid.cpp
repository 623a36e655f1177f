// SPDX-License-Identifier: Apache-2.0
#include "engine/report/mermaid.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/printable.hpp"

namespace fabric::report {

namespace {

// A label in quotes. Marks that mean something there, or in HTML, become entities of Mermaid.
std::string quoted(std::string_view text) {
  std::string label = "\"";
  for (const char c : printable(text)) {
    if (std::string_view{"\"#<>&`;"}.find(c) != std::string_view::npos) {
      label += fmt::format("#{};", static_cast<int>(static_cast<unsigned char>(c)));
    } else {
      label += c;
    }
  }
  return label + '"';
}

// Names of nodes may have characters that an id may not: ids are numbers.
class Ids {
 public:
  std::string of(const std::string& name) {
    return fmt::format("n{}", numbers_.emplace(name, numbers_.size() + 1).first->second);
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

std::string port_text(const PortRef& port) {
  return port.adapter.empty() ? port.port : port.adapter + "/" + port.port;
}

}  // namespace

std::string topology_mermaid(const FabricSpec& spec) {
  Ids ids;
  std::string text = "flowchart LR\n";
  for (const auto& [name, node] : spec.nodes) {
    const bool is_a_switch = is_switch(node.platform.value);
    text += fmt::format(
        "  {}{}{}{}\n",
        ids.of(name.str()),
        is_a_switch ? "[[" : "[",
        quoted(name.str()),
        is_a_switch ? "]]" : "]");
  }
  std::set<std::string> strangers;
  std::string edges;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      const PortRef& a = cable.a.value;
      const PortRef& b = cable.b.value;
      for (const PortRef* end : {&a, &b}) {
        if (!spec.nodes.contains(end->node)) strangers.insert(end->node.str());
      }
      edges += fmt::format(
          "  {} ---|{}| {}\n",
          ids.of(a.node.str()),
          quoted(fmt::format(
              "{} - {}, {}",
              port_text(a),
              port_text(b),
              cable.label.empty() ? network.name : cable.label)),
          ids.of(b.node.str()));
    }
  }
  for (const std::string& stranger : strangers) {
    text += fmt::format("  {}[{}]\n", ids.of(stranger), quoted(stranger));
    text += fmt::format("  style {} stroke:red,stroke-dasharray:4\n", ids.of(stranger));
  }
  return text + edges;
}

std::string plan_mermaid(const plans::Plan& plan) {
  std::map<std::uint32_t, std::string> waves;
  std::string edges;
  for (const plans::Action& action : plan.actions) {
    waves[action.wave] += fmt::format(
        "    {}[{}]\n", action.id, quoted(action.node.str() + ": " + action.draft.kind));
    for (const std::string& need : action.needs)
      edges += fmt::format("  {} --> {}\n", need, action.id);
    for (const std::string& before : action.after)
      edges += fmt::format("  {} -.-> {}\n", before, action.id);
  }
  std::string text = "flowchart LR\n";
  for (const auto& [wave, nodes] : waves) {
    const std::string label = wave == 0 ? "first" : fmt::format("wave {}", wave);
    text += fmt::format("  subgraph w{} [{}]\n{}  end\n", wave, quoted(label), nodes);
  }
  return text + edges;
}

}  // namespace fabric::report

// SPDX-License-Identifier: Apache-2.0
#include "engine/report/dot.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"

namespace fabric::report {

namespace {

std::string_view shape_of(const NodeSpec& node) {
  return is_switch(node.platform.value) ? "box3d" : "box";
}

// The beginning of a long text. Graphviz reads at most 16,384 letters, and draws at most a width of
// 65,535 points.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 100;
  std::string all = printable(text);
  if (all.size() <= kMost) return all;
  std::size_t length = 0;
  for (std::size_t next = 0; next <= kMost - 3;) {
    length = next;
    next += first_character(std::string_view{all}.substr(next)).length;
  }
  return all.substr(0, length) + "...";
}

std::string port_text(const PortRef& port) {
  return port.adapter.empty() ? port.port : port.adapter + "/" + port.port;
}

std::string edge(const NetworkSpec& network, const CableSpec& cable) {
  const PortRef& a = cable.a.value;
  const PortRef& b = cable.b.value;
  return fmt::format(
      "  {} -- {} [taillabel={}, headlabel={}, label={}];\n",
      dot_quote(a.node.str()),
      dot_quote(b.node.str()),
      dot_quote(shown(port_text(a))),
      dot_quote(shown(port_text(b))),
      dot_quote(shown(cable.label.empty() ? network.name : cable.label)));
}

}  // namespace

std::string dot_quote(std::string_view text) {
  std::string quoted = "\"";
  bool is_first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_first) quoted += "\\n";
    is_first = false;
    for (const char c : printable(line)) {
      if (c == '"' || c == '\\') quoted += '\\';
      // Or "&lt;" would be shown as "<".
      quoted += c == '&' ? std::string{"&amp;"} : std::string{c};
    }
  }
  return quoted + '"';
}

std::string topology_dot(const FabricSpec& spec) {
  std::string text = fmt::format("graph {} {{\n", dot_quote(shown(spec.name.value)));
  text += "  node [shape=box, fontname=\"Helvetica\"];\n";
  text += "  edge [fontname=\"Helvetica\", fontsize=10];\n";
  for (const auto& [name, node] : spec.nodes) {
    text += fmt::format("  {} [shape={}];\n", dot_quote(name.str()), shape_of(node));
  }
  std::set<std::string> strangers;
  std::string edges;
  for (const auto& [name, network] : spec.networks) {
    for (const CableSpec& cable : network.cables) {
      for (const PortRef* end : {&cable.a.value, &cable.b.value}) {
        if (!spec.nodes.contains(end->node)) strangers.insert(end->node.str());
      }
      edges += edge(network, cable);
    }
  }
  for (const std::string& stranger : strangers) {
    text += fmt::format("  {} [style=dashed, color=red];\n", dot_quote(stranger));
  }
  return text + edges + "}\n";
}

std::string plan_dot(const plans::Plan& plan) {
  std::string text = fmt::format("digraph {} {{\n  rankdir=LR;\n", dot_quote(shown(plan.fabric)));
  text += "  node [shape=box, fontname=\"Helvetica\"];\n";
  std::map<std::uint32_t, std::string> waves;
  std::string edges;
  for (const plans::Action& action : plan.actions) {
    waves[action.wave] += fmt::format(
        "    {} [label={}];\n",
        dot_quote(shown(action.id)),
        dot_quote(fmt::format("{}\n{}", action.node.str(), shown(action.draft.kind))));
    for (const std::string& need : action.needs) {
      edges += fmt::format("  {} -> {};\n", dot_quote(shown(need)), dot_quote(shown(action.id)));
    }
    for (const std::string& before : action.after) {
      edges += fmt::format(
          "  {} -> {} [style=dashed];\n", dot_quote(shown(before)), dot_quote(shown(action.id)));
    }
  }
  for (const auto& [wave, nodes] : waves) {
    const std::string label = wave == 0 ? "first" : fmt::format("wave {}", wave);
    text += fmt::format(
        "  subgraph cluster_{} {{\n    label={};\n{}  }}\n", wave, dot_quote(label), nodes);
  }
  return text + edges + "}\n";
}

}  // namespace fabric::report

#include "engine/report/dot.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace fabric::report {

namespace {

std::string_view shape_of(const NodeSpec& node) {
  return is_switch(node.platform.value) ? "box3d" : "box";
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
      dot_quote(port_text(a)),
      dot_quote(port_text(b)),
      dot_quote(cable.label.empty() ? network.name : cable.label));
}

}  // namespace

std::string dot_quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string topology_dot(const FabricSpec& spec) {
  std::string text = fmt::format("graph {} {{\n", dot_quote(spec.name.value));
  text += "  node [shape=box, fontname=\"sans-serif\"];\n";
  text += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
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
  std::string text = fmt::format("digraph {} {{\n  rankdir=LR;\n", dot_quote(plan.fabric));
  text += "  node [shape=box, fontname=\"sans-serif\"];\n";
  std::map<std::uint32_t, std::string> waves;
  std::string edges;
  for (const plans::Action& action : plan.actions) {
    waves[action.wave] += fmt::format(
        "    {} [label={}];\n",
        dot_quote(action.id),
        dot_quote(fmt::format("{}\n{}", action.node.str(), action.draft.kind)));
    for (const std::string& need : action.needs) {
      edges += fmt::format("  {} -> {};\n", dot_quote(need), dot_quote(action.id));
    }
    for (const std::string& before : action.after) {
      edges += fmt::format("  {} -> {} [style=dashed];\n", dot_quote(before), dot_quote(action.id));
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

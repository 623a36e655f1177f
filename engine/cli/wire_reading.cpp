#include "engine/cli/wire_reading.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/everywhere.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/ibnet/look.hpp"
#include "engine/platform/peers.hpp"
#include "engine/verify/cables/wire_command.hpp"
#include "engine/verify/cables/wire_vantage.hpp"
#include "providers/parsers/infiniband/ib_messages.hpp"
#include "providers/parsers/infiniband/iblinkinfo.hpp"
#include "providers/parsers/infiniband/ibnetdiscover.hpp"

namespace fabric::cli {

namespace {

// What it said about answers that it did not get; the rest of standard error is nobody's business.
void add_warnings(ObservedTopology& topology, const std::string& errors) {
  for (const std::string_view line : split_lines(errors)) {
    if (providers::is_diagnostic(line)) topology.notes.push_back({1, std::string{line}});
  }
}

verify::WireView view_of(const verify::WireText& look) {
  verify::WireView view{look.from, {}, look.why_not, {}};
  if (!look.why_not.empty()) return view;
  Result<ObservedTopology> topology = providers::parse_ibnetdiscover(look.text);
  if (!topology) {
    view.why_not = topology.error().message;
    return view;
  }
  add_warnings(*topology, look.errors);
  view.topology = std::move(*topology);
  return view;
}

Result<verify::WireView> read_file(const std::string& path) {
  const std::string text = FABRIC_TRY(read_text_file(path, limits::kCommandOutputBytes));
  // Either arrow of iblinkinfo; ibnetdiscover has none.
  const bool link_info = text.find(")==>") != std::string::npos;
  Result<ObservedTopology> topology =
      link_info ? providers::parse_iblinkinfo(text) : providers::parse_ibnetdiscover(text);
  if (!topology) return with_context(topology.error(), path);
  return verify::WireView{path, std::move(*topology), {}, {}};
}

Result<void> look_from_here(verify::WireEvidence& wire) {
  for (ibnet::Look& look : FABRIC_TRY(ibnet::look())) {
    wire.views.push_back(
        {fmt::format("this machine{}", look.from.empty() ? "" : " (" + look.from + ")"),
         std::move(look.topology),
         std::move(look.why_not),
         std::move(look.dark)});
  }
  return {};
}

void ask_nodes(
    Context& context,
    const FabricSpec& spec,
    const std::set<NodeName>& may_be_asked,
    remote::StepRunner& runner,
    verify::WireEvidence& wire) {
  std::set<NodeName> asked;
  while (true) {
    std::map<NodeName, remote::Command> commands;
    for (const NodeName& node : verify::next_vantages(spec, wire, may_be_asked, asked))
      commands.emplace(node, verify::wire_command());
    if (commands.empty()) return;
    for (const auto& [node, result] :
         run_on_nodes(context, commands, runner, "reading the subnet from")) {
      asked.insert(node);
      if (result.outcome != remote::Outcome::succeeded) {
        wire.views.push_back({node.str(), {}, result.error.message, {}});
        continue;
      }
      verify::WireAnswer answer = verify::parse_wire_answer(node, result.output);
      for (const verify::WireText& look : answer.looks)
        wire.views.push_back(view_of(look));
      wire.views.back().dark = std::move(answer.dark);
    }
  }
}

using Reached = std::map<NodeName, const NodeFacts*>;

std::map<PortRef, Guid> known_port_guids(const Wanted& wanted, const Reached& reached) {
  std::map<PortRef, Guid> known;
  for (const auto& [port, text] : all_port_guids(wanted.resources, reached, wanted.registry)) {
    const std::vector<std::string_view> parts = split(port, '/');
    const Result<Guid> guid = Guid::parse(text);
    if (parts.size() != 3 || !guid) continue;
    if (const Result<NodeName> node = NodeName::parse(parts[0]))
      known.emplace(PortRef{*node, std::string{parts[1]}, std::string{parts[2]}}, *guid);
  }
  return known;
}

bool has_infiniband(const FabricSpec& spec) {
  return std::any_of(spec.networks.begin(), spec.networks.end(), [](const auto& each) {
    return each.second.mode.value == Mode::infiniband;
  });
}

}  // namespace

Result<verify::WireEvidence> read_wire(
    Context& context,
    const Wanted& wanted,
    const discovery::Snapshot* snapshot,
    const std::vector<std::string>& ways,
    remote::StepRunner* runner) {
  const FabricSpec& spec = wanted.document->spec();
  verify::WireEvidence wire;
  if (!has_infiniband(spec)) return wire;
  std::set<NodeName> may_be_asked{wanted.nodes.begin(), wanted.nodes.end()};
  if (snapshot != nullptr) {
    Reached reached;
    may_be_asked.clear();
    for (const auto& [name, node] : snapshot->nodes) {
      if (!node.facts.reachable()) continue;
      reached.emplace(name, &node.facts);
      may_be_asked.insert(name);
    }
    wire.port_guids = known_port_guids(wanted, reached);
  }
  for (const std::string& way : ways) {
    if (way == kWireNodes) {
      if (runner != nullptr) ask_nodes(context, spec, may_be_asked, *runner, wire);
    } else if (way == kWireLocal) {
      FABRIC_TRY(look_from_here(wire));
    } else {
      wire.views.push_back(FABRIC_TRY(read_file(way)));
    }
  }
  return wire;
}

}  // namespace fabric::cli

// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/hosts.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/description/subnet.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/registry.hpp"
#include "engine/workflow/run_on_nodes.hpp"
#include "engine/workflow/wanted.hpp"
#include "providers/builtin.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::cli {

namespace {

// Beside the nodes' files there is nothing that begins with a dot.
Result<std::vector<NodeName>> saved_nodes(const std::string& folder) {
  std::vector<NodeName> nodes;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry{folder, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() != ".json") continue;
    nodes.push_back(FABRIC_TRY(NodeName::parse(entry->path().stem().string())));
  }
  if (failure)
    return Error{ErrorCode::not_found, fmt::format("--facts: {}: {}", folder, failure.message())};
  if (nodes.empty())
    return Error{ErrorCode::not_found, fmt::format("--facts: there are no facts in {}", folder)};
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

Result<std::vector<NodeName>> named_nodes(const std::vector<std::string>& hosts) {
  std::vector<NodeName> nodes;
  for (const std::string& host : hosts) {
    for (const std::string& name : FABRIC_TRY(expand_name_list(host)))
      nodes.push_back(FABRIC_TRY(NodeName::parse(name)));
  }
  return nodes;
}

using Platforms = std::map<NodeName, Platform>;

// A document of nothing but these hosts, for a user without a document.
Result<workflow::Wanted> want_hosts(const Platforms& nodes) {
  std::string text = "apiVersion: fabric/v1\nname: hosts\nnodes:\n";
  for (const auto& [node, platform] : nodes)
    text += fmt::format("  \"{}\": {{platform: {}}}\n", node.str(), to_string(platform));
  auto document = std::make_unique<workflow::Document>();
  document->files.push_back(document->sources.add("hosts", std::move(text)));
  document->loaded = load_document(document->sources, document->files);
  Registry registry;
  providers::add_builtin_providers(registry);
  document->loaded.spec.reached = registry.platforms();
  return workflow::want(std::move(document), {});
}

Result<std::vector<NodeFacts>> ask(Context& context, const Platforms& nodes) {
  const workflow::Wanted wanted = FABRIC_TRY(want_hosts(nodes));
  Random random = fresh_random(context.clock());
  const std::unique_ptr<remote::StepRunner> runner = FABRIC_TRY(connect(context, *wanted.document));
  return read_facts(context, wanted, runner.get(), random);
}

}  // namespace

Result<std::vector<NodeFacts>> facts_of_hosts(
    Context& context, const std::vector<std::string>& hosts) {
  const std::string& folder = context.options().facts;
  if (!folder.empty()) {
    const std::vector<NodeName> nodes =
        hosts.empty() ? FABRIC_TRY(saved_nodes(folder)) : FABRIC_TRY(named_nodes(hosts));
    return saved_facts(folder, nodes);
  }
  Platforms nodes;
  for (const NodeName& node : FABRIC_TRY(named_nodes(hosts)))
    nodes.emplace(node, kUsualPlatform);
  std::vector<NodeFacts> facts = FABRIC_TRY(ask(context, nodes));
  // A switch with NVUE shows which one it is at the second time.
  constexpr int kTimes = 2;
  Platforms asked;
  for (int again = 0; again < kTimes; ++again) {
    Platforms others;
    std::map<Platform, std::vector<NodeName>> shown_as;
    for (const NodeFacts& each : facts) {
      const Platform shown = providers::shown_platform(each);
      if (shown == each.platform) continue;
      others.emplace(each.node, shown);
      shown_as[shown].push_back(each.node);
    }
    if (others.empty() || others == asked) break;
    asked = others;
    for (const auto& [platform, names] : shown_as)
      context.note(fmt::format(
          "{} does not answer like {}: fabric asks again as {}",
          fold(names),
          traits(nodes.at(names.front())).called,
          to_string(platform)));
    for (NodeFacts& answer : FABRIC_TRY(ask(context, others))) {
      if (!providers::is_of_its_platform(answer)) continue;
      nodes[answer.node] = answer.platform;
      const auto same = std::find_if(facts.begin(), facts.end(), [&answer](const NodeFacts& each) {
        return each.node == answer.node;
      });
      if (same != facts.end()) *same = std::move(answer);
    }
  }
  return facts;
}

namespace {

// Port GUIDs of the cards of a node, or of all.
void add_guids(const description::Node& node, std::set<std::string>& guids) {
  for (const auto& [name, adapter] : node.adapters)
    for (const auto& [number, evidence] : adapter.evidence)
      if (!evidence.port_guid.empty()) guids.insert(evidence.port_guid);
}

// Hosts with a port in an InfiniBand network.
std::set<std::string> in_subnets(const description::Description& hosts) {
  std::set<std::string> nodes;
  for (const auto& [name, network] : hosts.networks) {
    if (network.mode != "infiniband") continue;
    for (const description::End& end : network.ports)
      nodes.insert(end.node);
    for (const description::Cable& cable : network.cables) {
      nodes.insert(cable.a.node);
      nodes.insert(cable.b.node);
    }
  }
  return nodes;
}

}  // namespace

Result<std::vector<description::Source>> subnets_of_hosts(
    Context& context, const description::Description& hosts, const std::vector<NodeFacts>& facts) {
  Platforms platforms;
  const std::set<std::string> members = in_subnets(hosts);
  for (const NodeFacts& each : facts)
    if (each.reachable() && members.contains(each.node.str()))
      platforms.emplace(each.node, each.platform);
  std::vector<description::Source> sources;
  if (platforms.empty()) return sources;
  const workflow::Wanted wanted = FABRIC_TRY(want_hosts(platforms));
  const std::unique_ptr<remote::StepRunner> runner = FABRIC_TRY(connect(context, *wanted.document));
  std::set<std::string> seen;
  for (const auto& [node, platform] : platforms) {
    std::set<std::string> own;
    add_guids(hosts.nodes.at(node.str()), own);
    const platform::PathTests* tests = wanted.registry.host(platform).path_tests();
    if (tests == nullptr || std::includes(seen.begin(), seen.end(), own.begin(), own.end()))
      continue;
    const auto results = workflow::run_on_nodes(
        context.listener(), {{node, tests->look_at_subnets()}}, *runner, "reading the subnet from");
    const remote::StepResult& result = results.at(node);
    if (result.outcome != remote::Outcome::succeeded) {
      context.note(fmt::format("{}: {}", node.str(), result.error.message));
      continue;
    }
    for (const platform::SubnetLook& look : tests->subnet_looks(node, result).looks) {
      const auto topology = providers::parse_ibnetdiscover(look.text);
      auto subnet = topology ? description::describe(*topology)
                             : Result<description::Description>{topology.error()};
      if (!look.why_not.empty() || !subnet) {
        context.note(fmt::format(
            "the subnet was not read from {}: {}",
            look.from,
            look.why_not.empty() ? subnet.error().message : look.why_not));
        continue;
      }
      for (const auto& [name, each] : subnet->nodes)
        add_guids(each, seen);
      sources.push_back(
          {fmt::format("the subnet of {}", look.from),
           *std::move(subnet),
           description::Nearness::subnet});
    }
  }
  return sources;
}

}  // namespace fabric::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/foreign_files.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/description/merge.hpp"
#include "engine/description/subnet.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/files/write.hpp"
#include "engine/model/document/load.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/registry.hpp"
#include "engine/report/terminal/style.hpp"
#include "engine/workflow/discovering.hpp"
#include "engine/workflow/importing/seen_fabric.hpp"
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

// The facts of these hosts by SSH (or in the lab); with --facts, of all hosts that have a file in
// that folder, or of those named. Takes node sets. A node that turns out to be no Linux host is
// asked again, by its own platform. Fails with ErrorCode::invalid for a text that is no name of a
// host, and as read_facts.
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
      const auto same = std::ranges::find_if(
          facts, [&answer](const NodeFacts& each) { return each.node == answer.node; });
      if (same != facts.end()) *same = std::move(answer);
    }
  }
  return facts;
}

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

// The InfiniBand subnets of these hosts, each as its first host sees it: sources of cables. `hosts`
// is made from `facts`. Hosts that could not read their subnet are noted.
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

// True for a file's ending, even if missing: a mistyped file name is no host to look up.
bool is_file(const std::string& source) {
  const std::filesystem::path path{source};
  const std::string ending = path.extension().string();
  for (const std::string_view each :
       {".txt",
        ".csv",
        ".ndt",
        ".topo",
        ".lst",
        ".dot",
        ".conf",
        ".yaml",
        ".yml",
        ".ini",
        ".json"}) {
    if (ending == each) return true;
  }
  std::error_code failure;
  return source.find('/') != std::string::npos || std::filesystem::exists(path, failure);
}

class ImportVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    std::string formats = "format of the files; left out, it is recognised:";
    std::vector<std::string> names;
    for (const ForeignName& each : foreign_names()) {
      formats += fmt::format("\n{} ({})", each.name, each.summary);
      names.push_back(each.name);
    }
    app.add_option(
        "SOURCE",
        sources_,
        "sources of the fabric: files of other tools, and hosts that are read by SSH, in any "
        "order; where two sources differ, the source nearer to the hardware wins. With --facts, "
        "the hosts of that folder come first");
    app.add_option("--from", format_, formats)->check(CLI::IsMember(names))->type_name("FORMAT");
    app.add_option("--name", name_, "the name of the fabric")->default_val("imported");
    app.add_option("--out", out_, "write the document to this file")->type_name("FILE");
  }

  Result<ExitCode> run(Context& context) override {
    std::vector<description::Source> sources;
    std::map<std::string, std::string> formats;
    std::vector<std::string> hosts;
    bool complete = true;
    for (const std::string& source : sources_) {
      if (format_.empty() && !is_file(source)) {
        hosts.push_back(source);
        continue;
      }
      ForeignFile read = FABRIC_TRY(read_foreign_file(source, format_));
      formats.emplace(source, read.format);
      sources.push_back(std::move(read.source));
    }
    const std::string& saved = context.options().facts;
    if (!hosts.empty() || !saved.empty()) {
      const std::vector<NodeFacts> facts = FABRIC_TRY(facts_of_hosts(context, hosts));
      const auto reached =
          std::ranges::count_if(facts, [](const NodeFacts& each) { return each.reachable(); });
      if (reached == 0) return Error{ErrorCode::unreachable, "none of the hosts was reached"};
      complete = static_cast<std::size_t>(reached) == facts.size();
      const std::string called = saved.empty() ? "the hosts themselves" : saved;
      if (!saved.empty()) formats.emplace(saved, "facts");
      sources.push_back({called, workflow::describe(facts), description::Nearness::hosts});
      if (saved.empty()) {
        const description::Description seen = sources.back().says;
        for (description::Source& each : FABRIC_TRY(subnets_of_hosts(context, seen, facts)))
          sources.push_back(std::move(each));
      }
    }
    if (sources.empty())
      return Error{
          ErrorCode::invalid, "there is nothing to import: name files or hosts, or give --facts"};
    description::sort_by_nearness(sources);
    std::vector<std::string> named;
    for (const description::Source& source : sources) {
      const auto format = formats.find(source.name);
      named.push_back(
          format == formats.end() ? source.name
                                  : fmt::format("{} ({})", source.name, format->second));
    }
    const description::Description whole = description::merge(std::move(sources));
    if (whole.nodes.empty())
      return Error{
          ErrorCode::invalid, "the files name no node: name the subnet or the hosts as well"};
    const std::string text = description::write_document(whole, name_, named);
    const ExitCode code = FABRIC_TRY(hand_over(context, text));
    if (!out_.empty()) context.hint(context.command("plan", out_));
    return complete ? code : ExitCode::unreachable;
  }

 private:
  // Prints the document and its errors: the source may declare what no fabric can have.
  Result<ExitCode> hand_over(Context& context, const std::string& text) const {
    SourceMap sources;
    const FileId file = sources.add(out_.empty() ? "imported document" : out_, text);
    const LoadedDocument loaded = load_document(sources, {file});
    if (!out_.empty()) {
      FABRIC_TRY(files::write_file(out_, text, files::Readers::everybody));
      context.note(fmt::format("written to {}", out_));
    }
    if (context.json()) {
      context.events().emit(
          "info", "import_result", "the document", {{"result", Map{{"document", text}}}});
    } else if (out_.empty()) {
      context.result(text);
    }
    print_errors(context, sources, loaded.diagnostics);
    const FabricSpec& spec = loaded.spec;
    std::size_t cables = 0;
    for (const auto& [network, value] : spec.networks)
      cables += value.cables.size();
    context.note(fmt::format(
        "{}, {}{}",
        report::count(spec.nodes.size(), "node"),
        report::count(cables, "cable"),
        loaded.diagnostics.has_errors() ? "; the document is not valid yet: see the findings above"
                                        : ""));
    return ExitCode::done;
  }

  std::vector<std::string> sources_;
  std::string format_, name_, out_;
};

}  // namespace

std::unique_ptr<Verb> make_import() {
  return std::make_unique<ImportVerb>();
}

}  // namespace fabric::cli

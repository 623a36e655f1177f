#include "engine/cli/reality.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/discovery/discover.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/model/node_set.hpp"
#include "engine/value/json.hpp"
#include "providers/builtin.hpp"

namespace fabric::cli {

namespace {

Result<std::set<std::string>> node_names(
    const FabricSpec& spec, std::string_view option, const std::string& limit) {
  std::vector<std::string> known;
  for (const auto& [name, node] : spec.nodes)
    known.push_back(name.str());
  std::set<std::string> names;
  for (const std::string& name : FABRIC_TRY(expand_name_list(limit))) {
    if (spec.find_node(name) == nullptr) {
      const std::string meant = nearest(name, known);
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: the document has no node '{}'{}",
              option,
              name,
              meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant))};
    }
    names.insert(name);
  }
  return names;
}

discovery::ProbesByPlatform all_probes(const Registry& registry) {
  discovery::ProbesByPlatform probes;
  for (const Platform platform : registry.platforms())
    probes.emplace(platform, registry.all_probes(platform));
  return probes;
}

std::string facts_file(const std::string& folder, const NodeName& node) {
  return (std::filesystem::path{folder} / (node.str() + ".json")).string();
}

}  // namespace

Error already_printed() {
  return {ErrorCode::invalid, ""};
}

Result<Wanted> read_wanted(
    const Context& context, const std::vector<std::string>& files, const std::string& limit) {
  Wanted wanted;
  wanted.document = FABRIC_TRY(load_files(files));
  const Document& document = *wanted.document;
  print_problems(context, document.sources, document.loaded.diagnostics);
  if (!document.valid()) return already_printed();
  providers::add_builtin_providers(wanted.registry);
  wanted.document->loaded.spec.reached = wanted.registry.platforms();
  std::set<std::string> names;
  if (!limit.empty()) names = FABRIC_TRY(node_names(document.spec(), "--limit", limit));
  const auto included = [&](const NodeName& node) {
    return limit.empty() || names.contains(node.str());
  };
  for (const auto& [name, node] : document.spec().nodes) {
    if (is_reached(document.spec(), node) && included(name)) wanted.nodes.push_back(name);
  }
  for (Resource& resource : expand(document.spec(), wanted.diagnostics)) {
    if (included(resource.address.node)) wanted.resources.push_back(std::move(resource));
  }
  return wanted;
}

void want_cables(Wanted& wanted, Duration wait) {
  const std::vector<Resource> all = wanted.resources;
  for (Resource& cable : cables_to_connect(wanted.document->spec(), all, wait)) {
    const bool asked = std::find(wanted.nodes.begin(), wanted.nodes.end(), cable.address.node) !=
                       wanted.nodes.end();
    if (asked) wanted.resources.push_back(std::move(cable));
  }
  std::sort(
      wanted.resources.begin(), wanted.resources.end(), [](const Resource& a, const Resource& b) {
        return a.address < b.address;
      });
}

Result<void> want_cables(Wanted& wanted, const std::string& option) {
  if (option.empty()) return {};
  const Result<Duration> wait = parse_duration(option);
  if (!wait) return with_context(wait.error(), "--wait-for-cables");
  if (wanted.stage) {
    return Error{
        ErrorCode::invalid,
        "--stage activates nothing, so no port gets a carrier: --wait-for-cables excludes it"};
  }
  want_cables(wanted, *wait);
  return {};
}

Result<void> allow_no_rollback(Wanted& wanted, const std::string& option) {
  if (option.empty()) return {};
  for (const std::string& name :
       FABRIC_TRY(node_names(wanted.document->spec(), "--allow-no-rollback", option)))
    wanted.allow_no_rollback.insert(FABRIC_TRY(NodeName::parse(name)));
  return {};
}

Result<std::vector<NodeFacts>> read_facts(
    Context& context, const Wanted& wanted, remote::StepRunner* runner, Random& random) {
  if (!context.options().facts.empty()) return saved_facts(context.options().facts, wanted.nodes);
  discovery::DiscoverOptions options;
  options.timeout = context.options().timeout;
  options.parallelism = context.options().parallelism;
  options.node_done = [&](const NodeFacts& facts) {
    context.reporter().discover_node(facts);
  };
  options.still_waiting = [&](const std::vector<NodeName>& nodes) {
    context.reporter().discover_waiting(nodes);
  };
  context.reporter().discover_started(wanted.nodes.size());
  std::vector<NodeFacts> facts = discovery::discover(
      platform::platforms_of(wanted.nodes, wanted.document->spec(), wanted.registry),
      all_probes(wanted.registry),
      *runner,
      random,
      options);
  context.reporter().discover_ended();
  return facts;
}

bool complete(const discovery::Snapshot& snapshot) {
  return std::all_of(snapshot.nodes.begin(), snapshot.nodes.end(), [](const auto& node) {
    return node.second.facts.reachable();
  });
}

Random fresh_random(const Clock& clock) {
  constexpr unsigned kProcessBits = 22;  // Linux: at most 4,194,304 processes
  const auto now = static_cast<std::uint64_t>(clock.unix_milliseconds());
  return Random{(now << kProcessBits) ^ static_cast<std::uint64_t>(getpid())};
}

Result<void> save_facts(const std::string& folder, const std::vector<NodeFacts>& facts) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return Error{ErrorCode::denied, fmt::format("{}: {}", folder, failure.message())};
  for (const NodeFacts& node : facts) {
    Result<void> written =
        write_text_file(facts_file(folder, node.node), to_json_pretty(to_value(node)));
    if (!written) return written;
  }
  return {};
}

Result<std::vector<NodeFacts>> saved_facts(
    const std::string& folder, const std::vector<NodeName>& nodes) {
  std::error_code failure;
  if (!std::filesystem::is_directory(folder, failure)) {
    return Error{
        ErrorCode::not_found,
        fmt::format("--facts: expected a directory, found none at {}", folder)};
  }
  std::vector<NodeFacts> all;
  for (const NodeName& node : nodes) {
    const std::string path = facts_file(folder, node);
    if (!std::filesystem::exists(path, failure)) {
      NodeFacts missing{node, {}, {}, {}, {}};
      missing.failure = Error{ErrorCode::unreachable, fmt::format("no saved facts in {}", path)};
      all.push_back(std::move(missing));
      continue;
    }
    const std::string text = FABRIC_TRY(read_text_file(path, limits::kCommandOutputBytes * 4));
    Result<Value> value = parse_json(text);
    if (!value) return with_context(std::move(value).error(), path);
    Result<NodeFacts> facts = facts_from_value(*value);
    if (!facts) return with_context(std::move(facts).error(), path);
    if (facts->node != node) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: expected facts of {}, found those of {}", path, node.str(), facts->node.str())};
    }
    all.push_back(std::move(*facts));
  }
  return all;
}

}  // namespace fabric::cli

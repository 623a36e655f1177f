// SPDX-License-Identifier: Apache-2.0
// Keys that fit the platform of their node, by the table of platform_keys.hpp.
#include "engine/model/platform_keys.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kPlatformKeyRules[] = {
    {"key-not-on-platform",
     Severity::error,
     RuleStage::document,
     "The key can't be done on this platform: adapters are in hosts, MLAG is between switches, "
     "ESXi and ESX have no packages of Linux, no sysctl and no files of a network service.",
     "E-grammar: docs/document.md; E-esxi-no-boot-id: what ESXi has in place of a Linux system",
     "Remove the key, write the replacement in the message, or correct `platform`. "
     "docs/platforms.md has every key with every platform."},
    {"key-without-effect",
     Severity::error,
     RuleStage::document,
     "The key is valid and has no effect: the document has no node that the key could apply to. "
     "The effect that its author expects does not happen.",
     "E-grammar: docs/document.md",
     "Remove the key, or write it where there is a node of a platform that has it."},
    {"key-conflict",
     Severity::error,
     RuleStage::document,
     "Two keys of the document write one parameter, option or file with different values, or ask "
     "for two versions of one thing: each apply would undo one of the two.",
     "E-grammar: docs/document.md",
     "Remove one of the two."},
};

void note_platform(const NodeSpec& node, Diagnostic& finding) {
  if (is_known(node.platform.range)) {
    finding.with_note(node.platform.range, "the platform is given here");
  } else {
    finding.with_note(
        node.range, fmt::format("without `platform` it is {}", to_string(node.platform.value)));
  }
}

// Null if no row is for the key alone. A mapping whose keys differ is judged key by key.
const KeyRow* row_of(const PlatformTraits& platform, const WrittenKey& written) {
  const bool differs = written.value.empty() && has_rows_below(platform, written.key);
  return differs ? nullptr : find_key_row(platform, written.key, written.value);
}

Diagnostic& report(
    const NodeSpec& node, SourceRange range, std::string message, Diagnostics& diagnostics) {
  Diagnostic& finding = diagnostics.error("key-not-on-platform", range, std::move(message));
  note_platform(node, finding.about(node.name));
  return finding;
}

std::string because(const KeyRow& row) {
  return row.why.empty() ? "" : fmt::format(": {}", row.why);
}

bool is_refused(const KeyRow& row) {
  return row.use == KeyUse::refused && row.rule == "key-not-on-platform";
}

// Behind a word of `row`, or all of `value` without one; nullopt: a word of another platform.
std::optional<std::string> behind_word(const KeyRow& row, std::string_view value) {
  const std::string lower = to_lower(value);
  const auto begins = [&lower](std::string_view word) {
    return !word.empty() && lower.starts_with(word) &&
           (lower.size() == word.size() || lower[word.size()] == '-' || lower[word.size()] == ' ');
  };
  for (const std::string_view word : split(row.words, ' '))
    if (begins(word)) return lower.substr(std::min(word.size() + 1, lower.size()));
  for (const PlatformTraits& other : platforms()) {
    const KeyRow* of_other = find_key_row(other, row.key);
    const auto words = split(of_other == nullptr ? "" : of_other->words, ' ');
    if (std::any_of(words.begin(), words.end(), begins)) return std::nullopt;
  }
  return lower;
}

bool is_version(std::string_view text) {
  return text.find_first_not_of("0123456789.") == std::string_view::npos && Version::parse(text);
}

// Reports a value that no answer of the node can agree with.
void check_value(
    const NodeSpec& node, const WrittenKey& written, const KeyRow& row, Diagnostics& diagnostics) {
  constexpr std::string_view kVersions[] = {
      "nodes.*.os.minimum",
      "nodes.*.software.minimum",
      "nodes.*.software.mft",
      "nodes.*.adapters.*.firmware.minimum",
      "nodes.*.adapters.*.firmware.version"};
  const bool is_minimum =
      std::find(std::begin(kVersions), std::end(kVersions), written.key) != std::end(kVersions);
  const auto refuse = [&](std::string why, std::string_view help) {
    diagnostics
        .error(
            "out-of-range",
            written.range,
            fmt::format(
                "`{}` of {} is '{}', {}",
                shown_key(written.key),
                node.name.str(),
                written.value,
                why))
        .about(node.name)
        .with_help(std::string{help});
  };
  if (is_minimum && !Version::parse(trim(written.value)))
    refuse("which is no version", "begin it with its numbers, in quotes: \"5.15\"");
  if (written.key != "nodes.*.os.release") return;
  const std::optional<std::string> version = behind_word(row, written.value);
  const std::string system{traits(node.platform.value).called};
  if (!version) return refuse(fmt::format("and {} is {}", node.name.str(), system), row.example);
  if (row.words.empty() || version->empty()) return;
  // What is left out of a version does not matter: "3" may be 3.10.
  const Result<Version> newest = Version::parse(*version + ".99999");
  const Result<Version> oldest = Version::parse(row.oldest);
  if (!is_version(*version)) {
    refuse("which is no release of " + system, row.example);
  } else if (newest && oldest && *newest < *oldest) {
    refuse(fmt::format("and fabric works from {} on", row.oldest), row.example);
  }
  // A Linux host has the minimum of its kernel; a number alone is one of a build.
  const std::string& minimum = node.os->minimum.value;
  const Result<Version> least = Version::parse(minimum);
  if (!traits(node.platform.value).linux_host && newest && least && *newest < *least &&
      minimum.find('.') != std::string::npos)
    refuse(fmt::format("and `os.minimum` asks for {}", minimum), "correct one of the two");
}

// One finding for each row: a mapping is refused as a whole.
void check_node(const NodeSpec& node, Diagnostics& diagnostics) {
  const PlatformTraits& platform = traits(node.platform.value);
  std::set<const KeyRow*> told;
  for (const WrittenKey& each : *node.written) {
    const KeyRow* row = row_of(platform, each);
    if (row == nullptr || told.contains(row)) continue;
    const bool lacks = !row->needs.empty() && !find_written(*node.written, row->needs);
    if (is_refused(*row) || lacks) {
      told.insert(row);
      report(
          node,
          each.range,
          fmt::format(
              "{} is {}, which has no `{}`{}{}",
              node.name.str(),
              platform.called,
              shown_key(row->key),
              lacks ? fmt::format(" without `{}`", shown_key(row->needs)) : "",
              because(*row)),
          diagnostics)
          .with_help(std::string{row->instead});
    } else if (row->use == KeyUse::no_effect && each.is_own) {
      told.insert(row);
      Diagnostic& finding = diagnostics.error(
          "key-without-effect",
          each.range,
          fmt::format(
              "{} is {}, where `{}` has no effect",
              node.name.str(),
              platform.called,
              shown_key(row->key)));
      note_platform(node, finding);
      finding.with_help("remove it, or correct `platform`");
    } else {
      check_value(node, each, *row, diagnostics);
    }
  }
}

// Drivers of the other system, by how their names begin. ESXi 5 has mlx4 drivers of Linux
// (E-esxi-module-options).
void check_modules(const NodeSpec& node, Diagnostics& diagnostics) {
  const bool is_esxi = is_esx(node.platform.value) && !traits(node.platform.value).service_console;
  const std::string_view foreign = is_esxi ? "mlx5_" : "nmlx";
  for (const auto& [module, options] : node.modules) {
    if (!module.starts_with(foreign)) continue;
    const WrittenKey* written = find_written(*node.written, "nodes.*.modules");
    const SourceRange range = !options.empty()     ? options.begin()->second.range
                              : written == nullptr ? node.range
                                                   : written->range;
    report(
        node,
        range,
        fmt::format(
            "{} is {}, and {} is a driver of {}",
            node.name.str(),
            traits(node.platform.value).called,
            module,
            is_esxi ? "Linux" : "ESXi"),
        diagnostics)
        .with_help(
            is_esxi ? "drivers of ESXi are nmlx5_core and nmlx5_rdma"
                    : "drivers of Linux are mlx5_core and mlx5_ib");
  }
}

// The bundles of ESX 3.5 and 4 end before the cards of the mlx5 driver begin (E-esx-bundles).
void check_cards(const NodeSpec& node, Diagnostics& diagnostics) {
  if (!traits(node.platform.value).service_console) return;
  for (const AdapterSpec& adapter : *node.adapters) {
    if (adapter.hardware == nullptr || adapter.hardware->driver != "mlx5_core") continue;
    report(
        node,
        adapter.model.range,
        fmt::format(
            "{} is {}, which has no driver for a {}",
            node.name.str(),
            traits(node.platform.value).called,
            adapter.hardware->name),
        diagnostics)
        .with_help("correct `model` or `platform`: ESXi 7 and 8 are `esxi`");
  }
}

// What the managers of a network are asked; the rest its ports are. The MTU of an InfiniBand subnet
// is its manager's.
bool is_of_manager(const NetworkSpec& network, std::string_view key) {
  return key.starts_with("networks.*.subnet_manager") || key.starts_with("networks.*.partitions") ||
         (key == "networks.*.mtu" && network.mode.value == Mode::infiniband);
}

using Nodes = std::vector<const NodeSpec*>;
using Networks = std::vector<const NetworkSpec*>;

Nodes members_of(const Context& context, const NetworkSpec& network) {
  Nodes nodes;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (node != nullptr && (nodes.empty() || nodes.back() != node)) nodes.push_back(node);
  }
  return nodes;
}

Nodes managers_of(const Context& context, const NetworkSpec& network) {
  Nodes nodes;
  for (const SubnetManagerPlacement& placement : network.subnet_managers) {
    if (const NodeSpec* node = context.spec().find_node(placement.node.value))
      nodes.push_back(node);
  }
  return nodes;
}

// True if the node has IPoIB: if ports are named, one must be its own.
bool has_ipoib(const NetworkSpec& network, const NodeSpec& node) {
  const auto& ports = network.ipoib->ports;
  return ports.empty() || std::any_of(ports.begin(), ports.end(), [&node](const auto& port) {
           return port.value.node == node.name;
         });
}

bool is_asked(const NetworkSpec& network, const NodeSpec& node, const WrittenKey& key) {
  if (node.state.value != NodeState::managed || is_made_elsewhere(network, node)) return false;
  return !network.ipoib || !key.key.starts_with("networks.*.ipoib") || has_ipoib(network, node);
}

void report_for_network(
    const NetworkSpec& network,
    const NodeSpec& node,
    const WrittenKey& key,
    const KeyRow& row,
    Diagnostics& diagnostics) {
  report(
      node,
      key.range,
      fmt::format(
          "network {} asks for `{}`, and {} is {}{}",
          network.name,
          shown_key(row.key),
          node.name.str(),
          traits(node.platform.value).called,
          because(row)),
      diagnostics)
      .with_help(std::string{row.instead});
}

// True if all its ports in the network are of cards that the host gives to guests: their
// configuration is the guests'.
bool is_given_away(const Context& context, const NetworkSpec& network, const NodeSpec& node) {
  const std::vector<PortRef>& members = context.members(network);
  return std::all_of(members.begin(), members.end(), [&](const PortRef& port) {
    const AdapterSpec* adapter = port.node == node.name ? context.adapter(port) : nullptr;
    return port.node != node.name ||
           (adapter != nullptr && adapter->sriov && adapter->sriov->passthrough);
  });
}

// If the platform does not have the mode, nothing else is reported of the node.
void check_member(
    const Context& context,
    const NetworkSpec& network,
    const NodeSpec& node,
    Diagnostics& diagnostics) {
  const PlatformTraits& platform = traits(node.platform.value);
  std::set<const KeyRow*> told;
  const auto judge = [&](const WrittenKey& each) {
    const KeyRow* row = row_of(platform, each);
    const std::string_view name = std::string_view{each.key}.substr(each.key.find("*.") + 2);
    if (row == nullptr || is_of_manager(network, each.key) || !is_asked(network, node, each) ||
        is_misplaced(name.substr(0, name.find('.')), network.mode.value))
      return;
    const bool lacks = !row->needs.empty() && !find_written(*network.written, row->needs);
    if ((is_refused(*row) || lacks) && told.insert(row).second)
      report_for_network(network, node, each, *row, diagnostics);
  };
  const WrittenKey* mode = find_written(*network.written, "networks.*.mode");
  if (mode == nullptr) return;
  judge(*mode);
  const KeyRow* of_mode = row_of(platform, *mode);
  const bool has_mode = of_mode != nullptr && of_mode->use != KeyUse::refused && told.empty();
  // Settings of a card before a guest has it are the host's, so `restore` applies to them.
  const bool is_guests = is_given_away(context, network, node);
  for (const WrittenKey& each : *network.written) {
    if (has_mode && (!is_guests || each.key == "networks.*.restore")) judge(each);
  }
}

void check_manager(const NetworkSpec& network, const NodeSpec& node, Diagnostics& diagnostics) {
  std::set<const KeyRow*> told;
  for (const WrittenKey& each : *network.written) {
    const KeyRow* row = row_of(traits(node.platform.value), each);
    if (row != nullptr && is_of_manager(network, each.key) && is_refused(*row) &&
        told.insert(row).second)
      report_for_network(network, node, each, *row, diagnostics);
  }
}

// Reports a key that is for none of the members. An unmanaged node counts for nothing.
void check_effect(
    const Context& context,
    const NetworkSpec& network,
    const Nodes& members,
    Diagnostics& diagnostics) {
  const bool has_asked = std::any_of(members.begin(), members.end(), [](const NodeSpec* node) {
    return traits(node->platform.value).is_managed;
  });
  // Nothing is known of a node whose platform can't be read.
  const bool has_unread = std::any_of(members.begin(), members.end(), [](const NodeSpec* node) {
    return !is_known(node->platform.range) && find_written(*node->written, "nodes.*.platform");
  });
  if (!has_asked || has_unread) return;
  std::set<std::string_view> told, effective;
  const auto judge = [&](const WrittenKey& each, std::string_view& longest) {
    return std::all_of(members.begin(), members.end(), [&](const NodeSpec* node) {
      const KeyRow* row = row_of(traits(node->platform.value), each);
      const bool of_guest =
          each.key == "networks.*.vswitch" && is_given_away(context, network, *node);
      if (row == nullptr || (row->use != KeyUse::no_effect && !of_guest)) return false;
      if (row->key.size() > longest.size()) longest = row->key;
      return true;
    });
  };
  for (const WrittenKey& each : *network.written) {
    const bool has_effect = std::any_of(members.begin(), members.end(), [&](const NodeSpec* node) {
      const KeyRow* row = row_of(traits(node->platform.value), each);
      // A value of one key has none by itself.
      return row != nullptr && row->use != KeyUse::no_effect && row->key.find('=') == row->key.npos;
    });
    if (has_effect) effective.insert(each.key);
  }
  for (const WrittenKey& each : *network.written) {
    std::string_view longest;
    if (is_of_manager(network, each.key) || !judge(each, longest)) continue;
    // A mapping of which another key has an effect stays.
    const std::string mapping = std::string{longest} + ".";
    const auto below = effective.lower_bound(mapping);
    if (below != effective.end() && below->starts_with(mapping)) longest = each.key;
    if (!told.insert(longest).second) continue;
    diagnostics
        .error(
            "key-without-effect",
            each.range,
            fmt::format(
                "`{}` of network {} has no effect: it is for none of its nodes",
                shown_key(longest),
                network.name))
        .with_note(network.range, "the network")
        .with_help("remove it; docs/platforms.md says which platforms have it");
  }
}

// The node's setting that `target` of `writes` names; null if it has none, or an equal value.
const Sourced<std::string>* find_own(const NodeSpec& node, std::string_view target) {
  const std::size_t dot = target.find('.');
  const std::string_view kind = target.substr(0, dot);
  const std::size_t equals = std::min(target.find('='), target.size());
  const std::string name{target.substr(dot + 1, equals - dot - 1)};
  const auto in = [&](const std::map<std::string, Sourced<std::string>>& values,
                      const std::string& key) -> const Sourced<std::string>* {
    const auto found = values.find(key);
    const bool differs =
        equals == target.size() ||
        (found != values.end() && found->second.value == target.substr(equals + 1));
    return found == values.end() || !differs ? nullptr : &found->second;
  };
  if (kind == "sysctl") return in(node.sysctl, name);
  if (kind == "modules") {
    const std::size_t option = name.find('.');
    const auto module = node.modules.find(name.substr(0, option));
    return module == node.modules.end() ? nullptr : in(module->second, name.substr(option + 1));
  }
  const std::string_view begin = std::string_view{name}.substr(0, name.size() - 1);  // "doca-*"
  const auto package = std::find_if(
      node.packages.begin(), node.packages.end(), [begin](const Sourced<std::string>& each) {
        return each.value.starts_with(begin);
      });
  return package == node.packages.end() ? nullptr : &*package;
}

// What the node has of `row`, itself or by a network that it is in.
const WrittenKey* find_of_row(const NodeSpec& node, const Networks& networks, const KeyRow& row) {
  const auto in = [&](const WrittenKeys& keys) -> const WrittenKey* {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const WrittenKey& each) {
      return find_key_row(traits(node.platform.value), each.key, each.value) == &row;
    });
    return found == keys.end() ? nullptr : &*found;
  };
  if (const WrittenKey* found = in(*node.written)) return found;
  for (const NetworkSpec* network : networks) {
    if (const WrittenKey* found = in(*network->written)) return found;
  }
  return nullptr;
}

void check_conflicts(const NodeSpec& node, const Networks& networks, Diagnostics& diagnostics) {
  for (const std::span<const KeyRow> rows : traits(node.platform.value).keys->rows) {
    for (const KeyRow& row : rows) {
      for (const std::string_view target : split(row.writes, ' ')) {
        const Sourced<std::string>* own = target.empty() ? nullptr : find_own(node, target);
        const WrittenKey* other = own == nullptr ? nullptr : find_of_row(node, networks, row);
        if (other == nullptr) continue;
        diagnostics
            .error(
                target.starts_with("modules.") ? "firmware-param-conflict" : "key-conflict",
                own->range,
                fmt::format(
                    "`{}` of {} is decided here and by `{}`: each apply would undo one of the two",
                    target.substr(0, target.find('=')),
                    node.name.str(),
                    shown_key(row.key)))
            .about(node.name)
            .with_note(other->range, "this key decides it too")
            .with_help("remove one of the two; the other keys stay as they are");
      }
    }
  }
}

}  // namespace

RuleRows platform_key_rules() {
  return kPlatformKeyRules;
}

void check_platform_keys(const Context& context, Diagnostics& diagnostics) {
  std::map<NodeName, Networks> networks;
  for (const auto& [name, network] : context.spec().networks) {
    for (const NodeSpec* node : members_of(context, network))
      networks[node->name].push_back(&network);
  }
  for (const auto& [name, node] : context.spec().nodes) {
    const About about{diagnostics, name};
    check_node(node, diagnostics);
    check_modules(node, diagnostics);
    check_cards(node, diagnostics);
    check_conflicts(node, networks[name], diagnostics);
  }
  for (const auto& [name, network] : context.spec().networks) {
    const About about{diagnostics, name};
    const Nodes members = members_of(context, network);
    for (const NodeSpec* node : members)
      check_member(context, network, *node, diagnostics);
    for (const NodeSpec* node : managers_of(context, network))
      check_manager(network, *node, diagnostics);
    check_effect(context, network, members, diagnostics);
  }
}

}  // namespace fabric::rules

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"
#include "engine/model/hardware.hpp"
#include "engine/model/statement_pattern.hpp"
#include "engine/model/tuning.hpp"
#include "engine/schema/mapping_keys.hpp"

namespace fabric {

namespace {

// The decoded section; if it is not given, the same value for all nodes, kept once.
template <class T>
Shared<T> decoded(const Layers& section, T (*decode)(const Layers&)) {
  static const Shared<T> left_out{decode(Layers{})};
  return section.empty() ? left_out : Shared<T>{decode(section)};
}

OsSpec decode_os(const Layers& os) {
  return {read_text(os, "release"), read_text(os, "minimum")};
}

SoftwareSpec decode_software(const Layers& software) {
  return {
      read_text(software, "stack", "inbox"),
      read_text(software, "minimum"),
      read_text(software, "mft"),
      read_texts(software, "bundles")};
}

std::map<std::string, TextMap> decode_modules(const Layers& node, Findings& findings) {
  const Layers modules = node.section("modules");
  std::map<std::string, TextMap> result;
  std::map<std::string, const yaml::Entry*> spelled;
  for (const Layer& layer : modules.all()) {
    for (const yaml::Entry& entry : layer.node->entries) {
      // '-' and '_' are the same in the name of a module.
      std::string plain = entry.key;
      std::replace(plain.begin(), plain.end(), '-', '_');
      const auto [same, is_new] = spelled.emplace(std::move(plain), &entry);
      if (same->second->key != entry.key)
        findings
            .error(
                "duplicate-key",
                entry.key_range,
                fmt::format("'{}' and '{}' are one module", same->second->key, entry.key))
            .with_note(same->second->key_range, "first given here")
            .with_help("remove one of the two, or spell both alike");
      if (result.contains(entry.key)) continue;
      result.emplace(entry.key, read_text_map(modules.section(entry.key)));
    }
  }
  return result;
}

// Sysctls by the normal form of the key: a layer overrules another in whichever form.
TextMap decode_sysctl(const Layers& node, Findings& findings) {
  const Layers sysctl = node.section("sysctl");
  TextMap values;
  for (const Layer& layer : sysctl.all()) {
    std::map<std::string, const yaml::Entry*> first;
    for (const yaml::Entry& entry : layer.node->entries) {
      if (!entry.value.is_scalar()) continue;
      std::string key = sysctl_key(entry.key);
      const auto [same, is_new] = first.emplace(key, &entry);
      if (!is_new) {
        findings
            .error(
                "duplicate-key",
                entry.key_range,
                fmt::format("'{}' and '{}' are one kernel parameter", same->second->key, entry.key))
            .with_note(same->second->key_range, "first given here")
            .with_help("remove one of the two");
        continue;
      }
      // The kernel has numbers for these; text values, as names of algorithms, are no such words.
      constexpr std::string_view kWords[] = {"yes", "no", "on", "off", "true", "false"};
      if (std::find(std::begin(kWords), std::end(kWords), to_lower(entry.value.text)) !=
          std::end(kWords)) {
        findings
            .error(
                "out-of-range",
                entry.value.range,
                fmt::format("the kernel has a number for {}, not '{}'", key, entry.value.text))
            .with_help("write 1 or 0");
        continue;
      }
      values.insert_or_assign(
          std::move(key), Sourced<std::string>{entry.value.text, entry.value.range});
    }
  }
  return values;
}

// `true`, or a mapping that says what may be lost.
void decode_adopt(const Layers& layers, NodeSpec& node, Findings& findings) {
  const Layers adopt = layers.section("adopt");
  if (adopt.empty()) {
    node.adopt = read_flag(layers, "adopt");
    return;
  }
  node.adopt = {true, adopt.all().back().node->range};
  if (const Sourced<std::string> all = read_text(adopt, "drop"); all.value == "all") {
    node.adopt_drops.push_back({kEveryStatement, all.range});
    return;
  }
  for (Sourced<std::string>& each : read_texts(adopt, "drop")) {
    const Result<StatementPattern> pattern = StatementPattern::parse(each.value);
    if (!pattern) {
      findings.error("out-of-range", each.range, pattern.error().message);
    } else {
      node.adopt_drops.push_back(std::move(each));
    }
  }
}

std::shared_ptr<const MlagSpec> decode_mlag(const Layers& node, Findings& findings) {
  const Layers mlag = node.section("mlag");
  if (mlag.empty()) return nullptr;
  return std::make_shared<MlagSpec>(MlagSpec{
      read_text(mlag, "domain"),
      read_text(mlag, "peer"),
      read_names(mlag, "ipl", findings),
      read_text(mlag, "system_mac"),
      read_text(mlag, "backup"),
      read_text(mlag, "vip"),
      read_number(mlag, "vlan", 0),
      read_text(mlag, "address"),
      read_text(mlag, "by"),
      read_text_map(mlag.section("segment")),
      read_number(mlag, "segment")});
}

// A model of another maker is none of the table, and right: only a misprint of a known one is told.
void judge_switch_model(const Sourced<std::string>& model, Findings& findings) {
  if (find_switch_model(model.value) == nullptr && find_hardware(model.value) != nullptr) {
    findings
        .error(
            "model-unknown",
            model.range,
            fmt::format("'{}' is the model of a card, and this node is a switch", model.value))
        .with_help("write the model of the switch, as QM8700 or SN3700, or leave it out");
    return;
  }
  std::vector<std::string> names;
  for (const SwitchModel& each : switch_table())
    names.insert(names.end(), each.names.begin(), each.names.end());
  // "qm87" stands for QM8700 and QM8790, which are listed: of QM8709 it says nothing.
  std::erase_if(names, [all = names](const std::string& name) {
    return std::isdigit(static_cast<unsigned char>(name.back())) != 0 &&
           std::any_of(all.begin(), all.end(), [&](const auto& other) {
             return other.size() > name.size() && other.starts_with(name);
           });
  });
  // "MQM8700" is the order number of QM8700.
  std::string written = to_lower(trim(model.value));
  if (written.starts_with('m')) written.erase(0, 1);
  const bool is_known = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return written.starts_with(name);
  });
  const std::string meant = is_known ? "" : misprinted_model(written, names);
  if (meant.empty()) return;
  findings
      .warning(
          "model-unknown",
          model.range,
          fmt::format(
              "no switch model '{}' is known, so its ports are {}",
              model.value,
              find_switch_model(model.value) == nullptr ? "not judged"
                                                        : "judged as those of its series"))
      .with_help(schema::did_you_mean(meant));
}

// Decodes the values that all members of a node set have in common.
NodeSpec decode_shared(NodeName name, const Layers& layers, Findings& findings) {
  NodeSpec node{std::move(name)};
  const Sourced<std::string> platform = read_text(layers, "platform");
  if (const auto named = platform_of(platform.value)) node.platform = {*named, platform.range};
  node.profiles = read_texts(layers, "profiles");
  node.labels = read_text_map(layers.section("labels"));
  if (!layers.section("ssh").empty()) node.ssh = decode_ssh(layers, findings);
  node.adapters = decode_adapters(layers, findings);
  node.os = decoded(layers.section("os"), decode_os);
  node.software = decoded(layers.section("software"), decode_software);
  node.modules = decode_modules(layers, findings);
  node.packages = read_texts(layers, "packages");
  node.network_backend = read_choice(
      layers,
      "network_backend",
      {NetworkBackend::automatic,
       NetworkBackend::ifupdown,
       NetworkBackend::ifcfg,
       NetworkBackend::networkmanager,
       NetworkBackend::netplan,
       NetworkBackend::networkd});
  decode_adopt(layers, node, findings);
  node.sysctl = decode_sysctl(layers, findings);
  node.tuning = read_texts(layers, "tuning");
  node.hooks = decoded(layers.section("hooks"), decode_hooks);
  node.mlag = decode_mlag(layers, findings);
  node.model = read_text(layers, "model");
  judge_switch_model(node.model, findings);
  node.mtu = read_number(layers, "mtu");
  node.proof = read_text(layers, "proof");
  node.state = read_choice(
      layers,
      "state",
      {NodeState::managed, NodeState::observe, NodeState::absent, NodeState::offline});
  node.restore = read_flag(layers, "restore");
  node.written = written_keys(layers, "nodes.*");
  return node;
}

std::optional<std::uint32_t> host_number_of(std::string_view text) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

// `host`, or the trailing digits of the name, of one with a domain else those of its first label;
// none if they say 0.
void decode_host_number(const Layers& layers, NodeSpec& node, Findings& findings) {
  const Sourced<std::string> written = read_zipped(layers, "host", findings);
  if (!written.value.empty()) {
    const auto number = host_number_of(written.value);
    if (number) {
      node.host_number = Sourced<std::uint32_t>{*number, written.range};
    } else if (layers.value("host").node->quoted) {
      findings.error(
          "out-of-range",
          written.range,
          fmt::format("'{}' is not a host number: a whole number from 1", written.value));
    }
    return;
  }
  const std::string_view name = node.name.str();
  for (const std::string_view label : {name, name.substr(0, name.find('.'))}) {
    const std::size_t digits = label.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
    const auto number = host_number_of(label.substr(digits));
    if (!number) continue;
    node.host_number = Sourced<std::uint32_t>{*number, {}};
    return;
  }
}

// Could members of a node set get different values of this section?
bool may_zip(const Layers& section) {
  return std::any_of(section.all().begin(), section.all().end(), [](const Layer& layer) {
    const auto& entries = layer.node->entries;
    return std::any_of(entries.begin(), entries.end(), [](const yaml::Entry& entry) {
      return !entry.value.is_scalar() || entry.value.text.find('[') != std::string::npos;
    });
  });
}

// A label is any text: a node set zips with its key, any other text is taken as it is.
void decode_zipped_labels(const Layers& layers, NodeSpec& node, Findings& findings) {
  for (auto& [label, value] : node.labels) {
    const Layers section = layers.section("labels");
    const Layer written = section.value(label);
    if (!written || written.key == nullptr || written.key->size() < 2) continue;
    const Result<NodeSet> named = NodeSet::parse(value.value);
    if (named && named.value().size() > 1) value = read_zipped(section, label, findings);
  }
}

// Decodes one member's own values: its name and the values that zip with it.
void decode_own(const Layers& layers, NodeSpec& node, Findings& findings) {
  node.address = read_zipped(layers, "address", findings);
  if (node.address.value.empty()) node.address = {node.name.str(), {}};
  node.node_guid = read_zipped(layers, "node_guid", findings);
  node.system_name = read_zipped(layers, "system_name", findings);
  // A malformed GUID stays as written, for `switch-guid-invalid` to name.
  if (const Result<Guid> guid = Guid::parse(node.node_guid.value))
    node.node_guid.value = guid->str();
  decode_zipped_labels(layers, node, findings);
  node.host_number.reset();
  decode_host_number(layers, node, findings);
}

class NodeDecoder {
 public:
  NodeDecoder(const yaml::Node& document, FabricSpec& spec, Findings& findings)
      : layering_{document}, spec_{spec}, findings_{findings} {}

  void decode(const NodeKey& key) {
    Layers layers = layering_.layers_of(key, findings_);
    const SourceRange place = key.entry->key_range;
    if (!findings_.may_expand(key.members.size() * expanded_size(layers), place)) return;
    std::optional<NodeSpec> shared;
    bool selectors_zip = false;
    const bool ssh_zips = may_zip(layers.section("ssh"));
    for (std::size_t member = 0; member < key.members.size(); ++member) {
      Result<NodeName> name = NodeName::parse(key.members.at(member));
      if (!name) {
        findings_.error("wrong-type", place, name.error().message);
        return;
      }
      const auto at = spec_.nodes.lower_bound(*name);
      if (at != spec_.nodes.end() && at->first == *name) {
        report_twice(at->second, place);
        continue;
      }
      layers.select_member(member);
      if (!shared) {
        shared = decode_shared(*name, layers, findings_);
        shared->range = place;
        selectors_zip = std::any_of(
            shared->adapters->begin(), shared->adapters->end(), [](const AdapterSpec& adapter) {
              return !adapter.selector.empty();
            });
      }
      const bool is_last = member + 1 == key.members.size();
      NodeSpec node = is_last ? std::move(*shared) : *shared;
      node.name = std::move(name).value();
      decode_own(layers, node, findings_);
      if (member > 0 && ssh_zips) node.ssh = decode_ssh(layers, findings_);
      if (member > 0 && selectors_zip)
        decode_adapter_selectors(layers, node.adapters.edit(), findings_);
      NodeName same_name = node.name;
      spec_.nodes.emplace_hint(at, std::move(same_name), std::move(node));
    }
  }

 private:
  void report_twice(const NodeSpec& first, SourceRange again) {
    findings_
        .error(
            "duplicate-key", again, fmt::format("the node '{}' is given twice", first.name.str()))
        .with_note(first.range, "first given here");
  }

  NodeLayering layering_;
  FabricSpec& spec_;
  Findings& findings_;
};

}  // namespace

void decode_nodes(const yaml::Node& document, FabricSpec& spec, Findings& findings) {
  const yaml::Node* nodes = document.find("nodes");
  if (nodes == nullptr) return;
  NodeDecoder decoder{document, spec, findings};
  std::size_t total = 0;
  for (const NodeKey& key : read_node_keys(*nodes, findings)) {
    total += key.members.size();
    if (total > limits::kNodes) {
      findings.error(
          "out-of-range",
          key.entry->key_range,
          fmt::format("the document has more than {} nodes", limits::kNodes));
      return;
    }
    findings.set_subject(key.members.size() == 1 ? key.members.at(0) : key.entry->key);
    decoder.decode(key);
  }
  findings.set_subject({});
}

}  // namespace fabric

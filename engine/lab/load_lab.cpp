// SPDX-License-Identifier: Apache-2.0
// lab.yaml to LabSpec: shape by the schema, then what only the document can judge.
#include <charconv>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/lab/lab_spec.hpp"
#include "engine/model/node_set.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/schema/schema.hpp"
#include "engine/schema/validate.hpp"
#include "engine/yaml/parse.hpp"

namespace fabric::lab {
namespace {

std::optional<std::string> text_at(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  if (node == nullptr || !node->is_scalar()) return std::nullopt;
  return node->text;
}

std::uint64_t number_at(const yaml::Node& mapping, std::string_view key, std::uint64_t otherwise) {
  const std::optional<std::string> text = text_at(mapping, key);
  return text ? parse_unsigned(*text, 10).value_or(otherwise) : otherwise;
}

// The schema has seen to the shape.
std::optional<double> decimal_at(const yaml::Node& mapping, std::string_view key) {
  const std::optional<std::string> text = text_at(mapping, key);
  if (!text) return std::nullopt;
  double number = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  return failure == std::errc{} ? std::optional{number} : std::nullopt;
}

std::map<std::string, std::string> texts_at(const yaml::Node& mapping, std::string_view key) {
  std::map<std::string, std::string> result;
  const yaml::Node* node = mapping.find(key);
  if (node == nullptr) return result;
  for (const yaml::Entry& entry : node->entries) {
    if (entry.value.is_scalar()) result[entry.key] = entry.value.text;
  }
  return result;
}

// "500ms", "2s", "15m"; the schema has seen to the shape.
std::optional<Duration> duration_at(const yaml::Node& mapping, std::string_view key) {
  const std::optional<std::string> text = text_at(mapping, key);
  if (!text) return std::nullopt;
  const std::size_t unit_start = text->find_first_not_of("0123456789");
  const std::optional<std::int64_t> count = parse_integer(text->substr(0, unit_start));
  if (!count || unit_start == std::string::npos) return std::nullopt;
  const std::string unit = text->substr(unit_start);
  const std::int64_t factor = unit == "ms"  ? 1
                              : unit == "s" ? 1000
                              : unit == "m" ? 60'000
                                            : 3'600'000;
  return Duration{*count * factor};
}

class LabReader {
 public:
  LabReader(const FabricSpec& fabric, Diagnostics& diagnostics)
      : fabric_{fabric}, diagnostics_{diagnostics} {}

  LabSpec read(const yaml::Node& root) {
    LabSpec lab;
    lab.seed = number_at(root, "seed", lab.seed);
    lab.fault_percent = static_cast<std::uint32_t>(number_at(root, "fault_percent", 0));
    if (const yaml::Node* hosts = root.find("hosts")) {
      for (const yaml::Entry& entry : hosts->entries)
        hosts_of(entry, lab);
    }
    if (const yaml::Node* cables = root.find("cables")) {
      lab.cables.emplace();
      for (const yaml::Node& cable : cables->items)
        add_cable(cable, *lab.cables);
    }
    add_ports(root, "unplugged", lab.unplugged);
    add_ports(root, "dirty", lab.dirty);
    add_ports(root, "saturated", lab.saturated);
    if (const yaml::Node* plugs = root.find("plugs")) {
      for (const yaml::Node& plug : plugs->items)
        add_plug(plug, lab.plugs);
    }
    return lab;
  }

 private:
  void hosts_of(const yaml::Entry& entry, LabSpec& lab) {
    const Result<std::vector<std::string>> names = expand_name_list(entry.key);
    if (!names) {
      diagnostics_.error("bad-node-set", entry.key_range, names.error().message);
      return;
    }
    for (const std::string& name : *names) {
      const NodeSpec* node = fabric_.find_node(name);
      if (node == nullptr) {
        diagnostics_.error(
            "node-unknown", entry.key_range, fmt::format("the document has no node '{}'", name));
        continue;
      }
      lab.hosts[name] = host_of(entry.value, *node);
    }
  }

  LabHost host_of(const yaml::Node& mapping, const NodeSpec& node) {
    LabHost host;
    host.backend = text_at(mapping, "backend");
    host.bridge = text_at(mapping, "bridge");
    host.tool = text_at(mapping, "tool");
    host.tool_version = text_at(mapping, "tool_version");
    host.boot_time = duration_at(mapping, "boot_time");
    host.archive = text_at(mapping, "archive");
    host.client = text_at(mapping, "client");
    host.boot_id = text_at(mapping, "boot_id");
    host.files = texts_at(mapping, "files");
    host.fault_after = static_cast<std::uint32_t>(number_at(mapping, "fault_after", 0));
    if (const std::optional<std::string> lacp = text_at(mapping, "lacp"))
      host.lacp = *lacp == "true";
    if (const std::optional<std::string> lldpd = text_at(mapping, "lldpd"))
      host.lldpd = *lldpd == "true";
    if (const std::optional<std::string> fault = text_at(mapping, "fault")) {
      if (const Result<Fault> parsed = parse_fault(*fault)) host.fault = *parsed;
    }
    const yaml::Node* adapters = mapping.find("adapters");
    if (adapters == nullptr) return host;
    for (const yaml::Entry& entry : adapters->entries) {
      if (node.find_adapter(entry.key) == nullptr) {
        diagnostics_.error(
            "port-unknown",
            entry.key_range,
            fmt::format(
                "node '{}' has no adapter '{}' in the document", node.name.str(), entry.key));
        continue;
      }
      host.adapters[entry.key] = adapter_of(entry.value);
    }
    return host;
  }

  LabAdapter adapter_of(const yaml::Node& mapping) {
    LabAdapter adapter;
    adapter.firmware = text_at(mapping, "firmware");
    adapter.settings = texts_at(mapping, "settings");
    adapter.next_boot = texts_at(mapping, "next_boot");
    adapter.pci = text_at(mapping, "pci");
    adapter.pcie_lanes = static_cast<std::uint32_t>(number_at(mapping, "pcie_lanes", 0));
    adapter.missing = text_at(mapping, "missing") == "true";
    adapter.model = text_at(mapping, "model");
    if (adapter.model && find_hardware(*adapter.model) == nullptr) {
      diagnostics_.error(
          "model-unknown",
          mapping.find("model")->range,
          fmt::format("unknown model '{}'", *adapter.model));
    }
    return adapter;
  }

  void add_ports(const yaml::Node& root, std::string_view key, std::vector<PortRef>& ports) {
    const yaml::Node* listed = root.find(key);
    if (listed == nullptr) return;
    for (const yaml::Node& item : listed->items) {
      if (const std::optional<PortRef> port = port_of(item)) ports.push_back(*port);
    }
  }

  void add_cable(const yaml::Node& cable, std::vector<LabCable>& cables) {
    if (cable.items.size() != 2) return;
    const std::optional<PortRef> a = port_of(cable.items[0]);
    const std::optional<PortRef> b = port_of(cable.items[1]);
    if (a && b) cables.push_back(LabCable{*a, *b});
  }

  void add_plug(const yaml::Node& mapping, std::vector<std::pair<PortRef, Plug>>& plugs) {
    const yaml::Node* at = mapping.find("port");
    const std::optional<PortRef> port = at == nullptr ? std::nullopt : port_of(*at);
    if (!port) return;
    Plug plug;
    plug.gbps = static_cast<std::uint32_t>(number_at(mapping, "gbps", 0));
    plug.fec = text_at(mapping, "fec").value_or("");
    plug.temperature = decimal_at(mapping, "temperature");
    plug.received_dbm = decimal_at(mapping, "received_dbm");
    plugs.emplace_back(*port, std::move(plug));
  }

  std::optional<PortRef> port_of(const yaml::Node& item) {
    const std::string& text = item.text;
    const std::size_t slash = text.find('/');
    const NodeSpec* node = fabric_.find_node(text.substr(0, slash));
    if (node == nullptr) {
      diagnostics_.error(
          "node-unknown",
          item.range,
          fmt::format("the document has no node '{}'", text.substr(0, slash)));
      return std::nullopt;
    }
    const std::string rest = slash == std::string::npos ? "" : text.substr(slash + 1);
    if (is_switch(node->platform.value)) {
      // In the document's form: swp3 and 3 are one port.
      const std::optional<fabric::SwitchPort> native = fabric::SwitchPort::parse(rest);
      return PortRef{node->name, "", native ? native->str() : rest};
    }
    const std::size_t second = rest.find('/');
    std::string adapter = second == std::string::npos ? "" : rest.substr(0, second);
    if (adapter.empty() && node->adapters->size() == 1) adapter = node->adapters->front().name;
    const std::string port = second == std::string::npos ? rest : rest.substr(second + 1);
    const AdapterSpec* found = node->find_adapter(adapter);
    const std::optional<std::uint64_t> number = parse_unsigned(port, 10);
    if (found == nullptr || !number || *number < 1 || *number > found->ports.value) {
      diagnostics_.error(
          "port-unknown",
          item.range,
          fmt::format("'{}' names no port of node '{}'", text, node->name.str()));
      return std::nullopt;
    }
    return PortRef{node->name, adapter, port};
  }

  const FabricSpec& fabric_;
  Diagnostics& diagnostics_;
};

const schema::Schema& lab_schema() {
  static const Result<schema::Schema> shape = schema::Schema::load(schema::find_schema("lab"));
  FABRIC_CHECK(shape.has_value(), "the schema that is compiled in can be loaded");
  return *shape;
}

}  // namespace

LabSpec load_lab(
    const SourceMap& sources,
    std::optional<FileId> file,
    const FabricSpec& fabric,
    Diagnostics& diagnostics) {
  if (!file) return LabSpec{};
  // A lab of ten thousand hosts has fewer, and a text of some megabytes can have a million.
  constexpr std::size_t kFindings = 10'000;
  diagnostics.keep_at_most(kFindings);
  const yaml::Node root = yaml::parse(sources, *file, diagnostics);
  if (!root.cut_short) schema::validate(root, lab_schema(), diagnostics);
  return LabReader{fabric, diagnostics}.read(root);
}

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// Targets for file_sd_configs of Prometheus: the node exporter of each Linux host, with facts of
// the document as labels.
#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

namespace {

constexpr int kNodeExporterPort = 9100;

// Letters, digits and '_'; no digit in front. Names that begin with "__" are Prometheus' own.
std::string label_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += good ? c : '_';
  }
  const bool bad_begin =
      name.empty() || (name.front() >= '0' && name.front() <= '9') || name.starts_with("__");
  return bad_begin ? "label_" + name : name;
}

}  // namespace

Result<std::string> prometheus_targets(const FabricSpec& spec) {
  List targets;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node) || !traits(node.platform.value).linux_host) continue;
    Map labels;
    for (const auto& [label, value] : node.labels)
      labels.insert_or_assign(label_name(label), value.value);
    labels.insert_or_assign("fabric", spec.name.value);
    labels.insert_or_assign("node", name.str());
    const std::string& address = node.address.value;
    const bool is_ipv6 = address.find(':') != std::string::npos;
    std::string target = is_ipv6 ? "[" + address + "]" : address;
    target += fmt::format(":{}", kNodeExporterPort);
    targets.push_back(Map{{"targets", List{std::move(target)}}, {"labels", std::move(labels)}});
  }
  if (targets.empty()) return Error{ErrorCode::invalid, "the document has no Linux host"};
  return to_json_pretty(targets);
}

}  // namespace fabric::report

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/qos/qos_files.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/port/port_match.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

std::string numbers(const std::vector<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

template <class Number>
std::string pairs(const std::map<std::int64_t, Number>& values) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values)
    texts.push_back(fmt::format("{}:{}", key, static_cast<std::int64_t>(value)));
  return join(texts, " ");
}

std::string text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}

// "none" is no priority; "" is left alone.
std::string pfc_text(const QosValues& values) {
  if (!values.pfc) return "";
  return values.pfc->empty() ? "none" : numbers(*values.pfc);
}

// The variables of the script.
std::vector<std::pair<std::string_view, std::string>> variables(
    const Card& card, const AdapterPort& port, const QosValues& values) {
  const bool shares = card.shares_function();
  return {
      {"function", port.function.str()},
      {"dev_port", std::to_string(shares ? port.number - 1 : 0)},
      {"device_port", std::to_string(shares ? port.number : 1)},
      {"dcbx", values.dcbx},
      {"trust", values.trust},
      {"pfc", pfc_text(values)},
      {"map", pairs(values.dscp_priorities)},
      {"ecn", pairs(values.ecn)},
      {"cnp_dscp", text(values.cnp_dscp)},
      {"tos", text(values.tos)}};
}

using Fields = std::map<std::string, std::string, std::less<>>;

// The fields of the lines "name='value'" at the beginning.
Fields fields_in(const std::string& content) {
  Fields fields;
  for (const std::string_view line : split_lines(content)) {
    const std::size_t equals = line.find("='");
    if (equals == std::string_view::npos || !line.ends_with('\'')) break;
    fields.emplace(line.substr(0, equals), line.substr(equals + 2, line.size() - equals - 3));
  }
  return fields;
}

// A text that is no number is left out: the script differs then.
std::map<std::int64_t, std::int64_t> pairs_in(const std::string& text) {
  std::map<std::int64_t, std::int64_t> found;
  for (const std::string_view word : split_words(text)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = parse_integer(word.substr(0, colon));
    const auto value = parse_integer(word.substr(colon + 1));
    if (key && value) found.emplace(*key, *value);
  }
  return found;
}

}  // namespace

QosPaths qos_paths(const ResourceAddress& address) {
  const std::string unit = "fabric-qos-" + address.name;
  return {
      "/etc/fabric/qos-" + address.name + ".sh",
      "/etc/systemd/system/" + unit + ".service",
      "/etc/udev/rules.d/96-" + unit + ".rules",
      unit + ".service"};
}

std::string qos_script(const Card& card, const AdapterPort& port, const QosValues& values) {
  std::string script;
  for (const auto& [name, value] : variables(card, port, values))
    script += fmt::format("{}='{}'\n", name, value);
  return script += sh::qos.text;
}

remote::Argv qos_command(const Card& card, const AdapterPort& port, const QosValues& values) {
  remote::Argv argv{"sh", "-c", sh::qos_set, "fabric"};
  for (const auto& [name, value] : variables(card, port, values))
    argv.push_back(fmt::format("{}={}", name, value));
  return argv;
}

std::optional<QosValues> values_in_script(
    const Card& card, const AdapterPort& port, const std::string& content) {
  const std::string script = without_marker(content);
  const Fields fields = fields_in(script);
  const auto field = [&fields](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string{} : found->second;
  };
  QosValues values;
  values.dcbx = field("dcbx");
  values.trust = field("trust");
  if (const std::string pfc = field("pfc"); !pfc.empty()) {
    values.pfc.emplace();
    for (const std::string_view word : split_words(pfc)) {
      if (const auto priority = parse_integer(word)) values.pfc->push_back(*priority);
    }
  }
  values.dscp_priorities = pairs_in(field("map"));
  for (const auto& [priority, on] : pairs_in(field("ecn")))
    values.ecn.emplace(priority, on == 1);
  values.cnp_dscp = parse_integer(field("cnp_dscp"));
  values.tos = parse_integer(field("tos"));
  if (qos_script(card, port, values) != script) return std::nullopt;
  return values;
}

std::string qos_unit(const QosPaths& paths, const std::string& port) {
  return fmt::format(
      "[Unit]\n"
      "Description=Lossless RoCE of {}, by fabric\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStart=/bin/sh {}\n",
      port,
      paths.script);
}

// Starts with the interface, and again with the RDMA device, which appears later and after each
// loading of the driver.
std::string qos_rule(const Card& card, const AdapterPort& port, const QosPaths& paths) {
  const std::string wants =
      fmt::format("TAG+=\"systemd\", ENV{{SYSTEMD_WANTS}}+=\"{}\"\n", paths.unit_name);
  return udev_port_match(card, port, false) + wants +
         fmt::format(
             "ACTION==\"add\", SUBSYSTEM==\"infiniband\", KERNELS==\"{}\", ", port.function.str()) +
         wants;
}

std::string without_marker(const std::string& content) {
  std::string kept;
  bool marker = true;
  for (const std::string_view line : split_lines(content)) {
    marker = marker && line.starts_with('#');
    if (!marker) kept += std::string{line} + "\n";
  }
  return kept;
}

}  // namespace fabric::providers

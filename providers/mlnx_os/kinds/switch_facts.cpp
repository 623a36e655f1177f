// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/kinds/switch_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_configuration.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr std::string_view kChannel = "channel-group";
constexpr std::string_view kMlagChannel = "mlag-channel-group";

Result<OnyxShow> read_show(const NodeFacts& facts, std::string_view probe) {
  const std::string_view text = FABRIC_TRY(answer(facts, probe));
  Result<OnyxShow> show = parse_onyx_show(text);
  if (!show)
    return Error{
        ErrorCode::invalid, fmt::format("{} can't be read: {}", probe, show.error().message)};
  return show;
}

Result<Configuration> read_configuration(const NodeFacts& facts, const char* probe, bool saved) {
  const std::string_view text = FABRIC_TRY(answer(facts, probe));
  Result<Configuration> configuration = Configuration::read(text, saved);
  if (!configuration)
    return Error{
        ErrorCode::invalid,
        fmt::format("{} can't be read: {}", probe, configuration.error().message)};
  return configuration;
}

// "1/7-1/8" as its ports, "1-11" as its numbers; anything else is itself.
std::vector<std::string> each_of(std::string_view range) {
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {std::string{range}};
  const auto last_number = [](std::string_view text) {
    const std::size_t slash = text.rfind('/');
    return parse_integer(slash == std::string_view::npos ? text : text.substr(slash + 1));
  };
  const auto from = last_number(range.substr(0, dash));
  const auto to = last_number(range.substr(dash + 1));
  constexpr std::int64_t kMost = 4096;
  if (!from || !to || *to < *from || *to - *from > kMost) return {std::string{range}};
  const std::size_t slash = range.substr(0, dash).rfind('/');
  const std::string_view start =
      slash == std::string_view::npos ? std::string_view{} : range.substr(0, slash + 1);
  std::vector<std::string> all;
  for (std::int64_t number = *from; number <= *to; ++number)
    all.push_back(fmt::format("{}{}", start, number));
  return all;
}

bool is_in(std::string_view list, std::int64_t id) {
  if (list == "all") return true;
  const std::vector<std::string_view> ranges = split(list, ',');
  return std::any_of(ranges.begin(), ranges.end(), [&](std::string_view range) {
    const std::size_t dash = range.find('-');
    const auto from = parse_integer(range.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : parse_integer(range.substr(dash + 1));
    return from && to && *from <= id && id <= *to;
  });
}

void add_line(std::vector<std::string>& lines, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  std::size_t at = 0;
  while (at < words.size() && words[at] != "interface")
    ++at;
  constexpr std::size_t kPort = 2;
  const bool one = at + kPort >= words.size();
  const std::vector<std::string> ports =
      one ? std::vector<std::string>{""} : each_of(words[at + kPort]);
  for (const std::string& port : ports) {
    std::string made;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i > 0) made += ' ';
      made += !one && i == at + kPort ? std::string_view{port} : words[i];
    }
    lines.push_back(std::move(made));
  }
}

}  // namespace

Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe) {
  const auto found = facts.probes.find(probe);
  if (found == facts.probes.end())
    return Error{ErrorCode::invalid, fmt::format("{} was not asked", probe)};
  const ProbeOutput& output = found->second;
  if (output.exit_status == 0) return std::string_view{output.standard_output};
  const std::string_view said = trim(output.standard_output);
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the switch says to {}: {}", trim(output.script), said.substr(0, said.find('\n')))};
}

bool is_unrecognized(const NodeFacts& facts, std::string_view probe) {
  const auto found = facts.probes.find(probe);
  return found != facts.probes.end() && found->second.exit_status != 0 &&
         trim(found->second.standard_output).starts_with("% Unrecognized command");
}

Result<Configuration> Configuration::read(std::string_view text, bool saved) {
  const OnyxShow show = FABRIC_TRY(parse_onyx_show(text));
  if (show.form != OnyxForm::configuration)
    return Error{ErrorCode::invalid, "line 1: no line names the database"};
  // `## Active saved database "initial"`, `## Running database "initial"` (E-onyx-configuration).
  const bool is_saved = text.find("saved database \"") != std::string_view::npos;
  if (is_saved != saved)
    return Error{
        ErrorCode::invalid,
        fmt::format("it is of the {} configuration", is_saved ? "saved" : "running")};
  Configuration configuration;
  constexpr std::string_view kHostName = "## Hostname: ";
  for (const std::string_view line : split_lines(text)) {
    if (trim(line).starts_with(kHostName))
      configuration.host_name_ = trim(trim(line).substr(kHostName.size()));
  }
  // Ranges multiply: no switch has so many lines.
  constexpr std::size_t kMostLines = 65'536;
  for (const OnyxCommand& command : show.commands) {
    add_line(configuration.lines_, command.text);
    if (configuration.lines_.size() > kMostLines)
      return Error{
          ErrorCode::invalid,
          fmt::format("line {}: more than {} settings", command.line, kMostLines)};
  }
  return configuration;
}

bool Configuration::has(std::string_view line) const {
  return std::ranges::find(lines_, line) != lines_.end();
}

std::optional<std::string> Configuration::after(std::string_view start) const {
  std::optional<std::string> found;
  for (const std::string& line : lines_) {  // the last one counts
    if (line == start) found = "";
    if (line.starts_with(std::string{start} + " ")) found = line.substr(start.size() + 1);
  }
  return found;
}

std::string Configuration::channel_of(std::string_view port) const {
  for (const std::string_view word : {kChannel, kMlagChannel}) {
    const auto rest = after(fmt::format("interface ethernet {} {}", port, word));
    if (!rest || split_words(*rest).empty()) continue;
    return fmt::format(
        "{} {}",
        word == kChannel ? "port-channel" : "mlag-port-channel",
        split_words(*rest).front());
  }
  return {};
}

std::vector<std::string> Configuration::members_of(std::string_view channel) const {
  std::vector<std::string> members;
  for (const std::string& line : lines_) {
    const std::vector<std::string_view> words = split_words(line);
    constexpr std::size_t kNumber = 4;
    if (words.size() <= kNumber || words[0] != "interface" || words[1] != "ethernet") continue;
    if (words[3] != kChannel && words[3] != kMlagChannel) continue;
    if (channel_of(words[2]) != channel) continue;
    if (std::ranges::find(members, words[2]) == members.end()) members.emplace_back(words[2]);
  }
  return members;
}

bool Configuration::has_vlan(std::int64_t id) const {
  return std::any_of(lines_.begin(), lines_.end(), [id](const std::string& line) {
    const std::vector<std::string_view> words = split_words(line);
    return words.size() > 1 && words[0] == "vlan" && is_in(words[1], id);
  });
}

std::string Configuration::switchport_of(std::string_view interface) const {
  const std::string start = fmt::format("interface {}", interface);
  if (after(start + " no switchport") || after("no " + start + " switchport")) return "routed";
  const auto mode = after(start + " switchport mode");
  return mode && !split_words(*mode).empty() ? std::string{split_words(*mode).front()} : "access";
}

std::string Configuration::untagged_vlan(std::string_view interface) const {
  const std::string mode = switchport_of(interface);
  if (mode == "routed" || mode == "trunk") return {};
  const auto vlan = after(fmt::format("interface {} switchport access vlan", interface));
  return vlan && !trim(*vlan).empty() ? std::string{trim(*vlan)} : "1";
}

// "switchport hybrid allowed-vlan add 100", or without `add`, which gives all of them; a trunk
// without such a line carries all (E-onyx-vlans).
bool Configuration::carries(std::string_view interface, std::int64_t id) const {
  const std::string mode = switchport_of(interface);
  if (!has_vlan(id) || (mode != "hybrid" && mode != "trunk")) return false;
  const std::string start =
      fmt::format("interface {} switchport {} allowed-vlan ", interface, mode);
  bool carried = mode == "trunk";
  bool is_told = false;
  for (const std::string& line : lines_) {
    if (!line.starts_with(start)) continue;
    const std::vector<std::string_view> words =
        split_words(std::string_view{line}.substr(start.size()));
    if (words.empty()) continue;
    if (words.front() == "remove") {
      if (words.size() > 1 && is_in(words[1], id)) carried = false;
      continue;
    }
    const bool adds = words.front() == "add" && words.size() > 1;
    const bool named = is_in(adds ? words[1] : words.front(), id);
    // The first that adds to nothing said before begins a list.
    carried = named || (adds && is_told && carried);
    is_told = true;
  }
  return carried;
}

bool Configuration::is_shut(std::string_view interface) const {
  const std::string start = fmt::format("interface {}", interface);
  if (has(start + " shutdown")) return true;
  return interface.starts_with("mlag-") && !has(start + " no shutdown") &&
         !has("no " + start + " shutdown");
}

std::string Configuration::mode_of(std::string_view port) const {
  for (const std::string_view word : {kChannel, kMlagChannel}) {
    const auto rest = after(fmt::format("interface ethernet {} {}", port, word));
    if (!rest) continue;
    return rest->ends_with("mode on") ? "static" : "lacp";
  }
  return {};
}

SwitchFacts::SwitchFacts(const NodeFacts& facts)
    : ethernet{read_show(facts, kEthernetProbe)},
      infiniband{read_show(facts, kInfinibandProbe)},
      running{read_configuration(facts, kRunningProbe, false)},
      saved{read_configuration(facts, kSavedProbe, true)} {}

std::optional<std::string> SwitchFacts::said(
    bool infiniband_port, std::string_view port, std::string_view key) const {
  const Result<OnyxShow>& show = infiniband_port ? infiniband : ethernet;
  if (!show) return std::nullopt;
  // At the prompt "IB1/1 state", in JSON "IB1/1".
  const std::string heading = fmt::format("{}{}", infiniband_port ? "IB" : "Eth", port);
  for (const OnyxSection& section : show->sections) {
    if (section.headings.empty()) continue;
    const std::string& found = section.headings.front();
    if (found != heading && !(infiniband_port && found == heading + " state")) continue;
    for (const OnyxEntry& entry : section.entries)
      if (entry.key == key) return entry.value.value_or("");
  }
  return std::nullopt;
}

std::vector<Probe> configuration_probes() {
  return {
      {kRunningProbe, "show running-config"},
      {kSavedProbe, "show configuration"},
      {kEthernetProbe, "show interfaces ethernet"},
      {kInfinibandProbe, "show interfaces ib"}};
}

Reading access_vlan_in(const Configuration& tree, const std::string& interface) {
  const auto id = parse_integer(tree.untagged_vlan(interface));
  return id ? Reading::of(*id) : Reading::absent();
}

bool is_in_bridge(const std::string& mode, const Resource& resource) {
  if (mode == "routed") return false;
  return mode != "trunk" || resource.binding.contains(switch_configuration::kTagsOnly);
}

std::vector<std::string> ports_of(const Value& list) {
  std::vector<std::string> ports;
  for (const Value& port : list.items())
    ports.push_back(to_text(port));
  return ports;
}

}  // namespace fabric::providers::onyx

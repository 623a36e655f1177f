// SPDX-License-Identifier: Apache-2.0
// Running lines that are not saved and that the document does not have: a save would keep them.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/model/switch_port.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

namespace fabric::providers::onyx {

namespace {

namespace whole_keys = switch_configuration;

std::vector<std::string> texts_at(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(std::string{key});
  return found == resource.binding.end() ? std::vector<std::string>{} : ports_of(found->second);
}

// Lines of the document begin so, or with "no " before it. Lines for the whole switch (LACP, the
// pair, the manager, RoCE) are taken for the document's.
std::set<std::string> own_starts(
    const Resource& resource, const Configuration& running, const Configuration& saved) {
  std::set<std::string> starts{
      "lacp", "ip routing", "protocol mlag", "mlag", "mlag-vip", "roce", "ib sm", "ib smnode"};
  for (const std::string& port : texts_at(resource, whole_keys::kPorts)) {
    starts.insert("interface ethernet " + port);
    starts.insert("interface ib " + port);
    for (const Configuration* tree : {&running, &saved}) {
      if (const std::string channel = tree->channel_of(port); !channel.empty())
        starts.insert("interface " + channel);
    }
    // If a run died between a channel and its ports, the channel has the number of one of them.
    const auto parsed = SwitchPort::parse(port);
    if (parsed && !parsed->numbers.empty())
      starts.insert(fmt::format("interface port-channel {}", parsed->numbers.back()));
  }
  for (const std::string& number : texts_at(resource, whole_keys::kChannels))
    starts.insert("interface mlag-port-channel " + number);
  for (const std::string& id : texts_at(resource, whole_keys::kVlans)) {
    starts.insert("vlan " + id);
    starts.insert("interface vlan " + id);
  }
  for (const std::string& name : texts_at(resource, whole_keys::kPartitions))
    starts.insert("ib partition " + name);
  return starts;
}

bool is_own(const std::string& written, const std::set<std::string>& starts) {
  constexpr std::string_view kNo = "no ";
  const std::string_view line =
      written.starts_with(kNo) ? std::string_view{written}.substr(kNo.size()) : written;
  return std::any_of(starts.begin(), starts.end(), [line](const std::string& start) {
    return line.starts_with(start) && (line.size() == start.size() || line[start.size()] == ' ');
  });
}

// In order: lines that run alone, then, with "no " before them, those that are saved alone.
List foreign_lines(
    const Resource& resource, const Configuration& running, const Configuration& saved) {
  const std::set<std::string> starts = own_starts(resource, running, saved);
  List foreign;
  for (const std::string& line : running.lines()) {
    if (!saved.has(line) && !is_own(line, starts)) foreign.emplace_back(line);
  }
  for (const std::string& line : saved.lines()) {
    if (!running.has(line) && !is_own(line, starts)) foreign.emplace_back("no " + line);
  }
  return foreign;
}

Reading foreign_reading(const SwitchFacts& facts, const Resource& resource) {
  if (!facts.running) return Reading::unknown(facts.running.error().message);
  if (!facts.saved) return Reading::unknown(facts.saved.error().message);
  return Reading::of(foreign_lines(resource, *facts.running, *facts.saved));
}

void tell(const Resource& resource, const Reading& reading, Diagnostics& diagnostics) {
  const List* lines = reading.value() == nullptr ? nullptr : reading.value()->as_list();
  if (lines == nullptr || lines->empty()) return;
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(lines->size(), kShown); ++i)
    shown.push_back(fmt::format("`{}`", to_text((*lines)[i])));
  if (lines->size() > kShown) shown.push_back(fmt::format("{} more", lines->size() - kShown));
  const std::string& node = resource.address.node.str();
  diagnostics
      .warning(
          "switch-not-saved",
          resource.origin,
          fmt::format(
              "{} runs lines that are not saved and not part of this document: {}",
              node,
              fmt::join(shown, ", ")))
      .about(resource.address.node)
      .with_help(fmt::format(
          "type `configuration write` at {} to keep these lines, or remove them there", node));
}

std::vector<Observation> observe_configuration(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const SwitchFacts found{facts};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    Reading& reading = observation.attributes[std::string{whole_keys::kForeign}].running.emplace(
        foreign_reading(found, resource));
    tell(resource, reading, diagnostics);
  });
}

}  // namespace

// The configuration of the whole switch, as far as another login has typed it and not saved it.
Provider configuration_provider() {
  return {
      .kind = switch_configuration::kKind,
      .probes = configuration_probes,
      .observe = observe_configuration,
      .disruption = always(Disruption::none),
      .work = [](const Change&, const WorkContext&) -> Result<Work> { return Work{}; },
  };
}

}  // namespace fabric::providers::onyx

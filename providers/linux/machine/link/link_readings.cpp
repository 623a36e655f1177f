// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/link/link_readings.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/pcie.hpp"
#include "engine/platform/link_tools/link_tools.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kLinkTimeout{120'000};

// The texts of one link, by the word before each line.
using Texts = std::map<std::string, std::string, std::less<>>;

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number > 65'535) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<std::uint32_t> lanes(std::string_view text) {
  const auto number = small_number(text);
  return number && *number > 0 ? number : std::nullopt;
}

// "TOTAL_ERR_COR 12"; the lines before it tell their kind.
void add_errors(std::optional<std::uint64_t>& errors, std::string_view value) {
  if (!value.starts_with("TOTAL_ERR_")) return;
  const std::size_t blank = value.find(' ');
  if (blank == std::string_view::npos) return;
  if (const auto number = parse_unsigned(trim(value.substr(blank)), 10))
    errors = errors.value_or(0) + *number;
}

void read_device(PcieReading& pcie, std::string_view name, std::string_view value) {
  if (name == "current_link_speed") pcie.generation = pcie_generation(value);
  if (name == "current_link_width") pcie.width = lanes(value);
  if (name == "max_link_speed") pcie.most_generation = pcie_generation(value);
  if (name == "max_link_width") pcie.most_width = lanes(value);
  if (name == "numa_node") pcie.numa_node = small_number(value);  // -1 = the machine has none
  if (name == "iommu_domain") pcie.iommu_domain = value;
  if (name == "read_request") pcie.read_request = small_number(value);
  if (name == "aer_dev_correctable") add_errors(pcie.correctable, value);
  if (name == "aer_dev_nonfatal" || name == "aer_dev_fatal") add_errors(pcie.uncorrectable, value);
}

void read_slot(PcieReading& pcie, std::string_view name, std::string_view value) {
  if (name == "max_link_speed") pcie.slot_generation = pcie_generation(value);
  if (name == "max_link_width") pcie.slot_width = lanes(value);
}

// "current_link_speed:16.0 GT/s PCIe"
void read_pcie(PcieReading& pcie, std::string_view text, bool of_slot) {
  for (const std::string_view line : split_lines(text)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim(line.substr(colon + 1));
    if (of_slot) {
      read_slot(pcie, name, value);
    } else {
      read_device(pcie, name, value);
    }
  }
}

// "* HOST_CHAINING_DESCRIPTORS[3] 7 7 0": default, running, next boot, or next boot alone. Arrays
// are shown by element where they are asked for so; a card that can't chain has none.
void read_chaining(std::set<std::uint32_t>& without_buffers, std::string_view text) {
  for (const std::string_view line : split_lines(text)) {
    std::vector<std::string_view> words = split_words(line);
    if (!words.empty() && words.front() == "*") words.erase(words.begin());
    if (words.size() != 2 && words.size() != 4) continue;
    const std::string_view name = words.front();
    const std::size_t bracket = name.find('[');
    if (!name.starts_with("HOST_CHAINING_") || bracket == std::string_view::npos) continue;
    const auto priority = small_number(name.substr(bracket + 1, name.size() - bracket - 2));
    const auto value = small_number(words.size() == 4 ? words[2] : words[1]);
    if (priority && *priority < 8 && value && *value == 0) without_buffers.insert(*priority);
  }
}

// The kernel's values take precedence over those of the card's own tool.
void add_card(LinkReading& link, const CardLink& card) {
  // The kernel tells no link of an interface that is down, and no speed of InfiniBand.
  link.card_speed = card.speed;
  if (card.state == "Active") link.has_link = true;
  link.raw_ber = card.raw_ber;
  link.effective_ber = card.effective_ber;
  if (link.fec.active.empty()) link.fec.active = card.fec;
  if (!link.module) link.module = card.module;
  if (link.module && card.module && !link.module->temperature) {
    link.module->temperature = card.module->temperature;
    link.module->temperature_most = card.module->temperature_most;
  }
  if (link.has_link != true) link.why_down = card.why_down;
}

LinkReading reading_of(const std::string& interface, const Texts& texts) {
  LinkReading link;
  link.interface = interface;
  const auto text = [&](std::string_view key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::string_view{} : std::string_view{found->second};
  };
  if (const auto settings = parse_link_settings(text("settings"))) {
    link.has_link = settings->has_link;
    link.speed_mbps = settings->speed_mbps;
    link.capable_mbps = settings->capable_mbps;
    link.auto_negotiation = settings->auto_negotiation;
  }
  if (auto fec = parse_fec(text("fec"))) link.fec = *std::move(fec);
  if (auto module = parse_module(text("module"))) link.module = *std::move(module);
  read_pcie(link.pcie, text("pcie"), false);
  read_pcie(link.pcie, text("slot"), true);
  read_chaining(link.chaining_without_buffers, text("chaining"));
  if (const auto card = parse_mlxlink(text("card"))) add_card(link, *card);
  return link;
}

}  // namespace

remote::Command link_readings_command() {
  return {{"sh", "-s"}, std::string{sh::link_readings.text}, kLinkTimeout};
}

LinkReadings parse_link_readings(std::string_view text) {
  LinkReadings readings;
  std::vector<std::pair<std::string, Texts>> links;
  bool begun = false;
  for (const std::string_view line : split_lines(text)) {
    begun = begun || line == "fabric-links";
    const std::size_t blank = line.find(' ');
    if (!begun || blank == std::string_view::npos) continue;
    const std::string_view word = line.substr(0, blank);
    const std::string_view rest = line.substr(blank + 1);
    if (word == "link") {
      links.emplace_back(std::string{trim(rest)}, Texts{});
    } else if (!links.empty()) {
      (links.back().second[std::string{word}] += rest) += '\n';
    }
  }
  for (const auto& [interface, texts] : links)
    readings.links.push_back(reading_of(interface, texts));
  if (!begun) readings.why_not = "the node did not answer the script that reads its links";
  return readings;
}

}  // namespace fabric::platform

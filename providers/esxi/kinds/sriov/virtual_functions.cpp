// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/kinds/sh/scripts.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kVirtualFunctionsProbe = "esxi-virtual-functions";
constexpr std::string_view kNic = "== nic ";

}  // namespace

// Recognised by name, not by column: "structure[0].Nic.Name.string=vmnic0".
Probe virtual_functions_probe() {
  return {kVirtualFunctionsProbe, std::string{sh::probe_esxi_virtual_functions.text}};
}

Result<std::map<std::string, std::string>> virtual_functions_said(const NodeFacts& facts) {
  const std::string_view output = FABRIC_TRY(answer(facts, kVirtualFunctionsProbe));
  std::map<std::string, std::string> said;
  std::string* current = nullptr;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kNic)) {
      current = &said[std::string{trim(line.substr(kNic.size()))}];
    } else if (current != nullptr) {
      *current += std::string{line} + "\n";
    }
  }
  return said;
}

Result<std::set<std::string>> owners_of_functions(const NodeFacts& facts) {
  const auto said = FABRIC_TRY(virtual_functions_said(facts));
  std::set<std::string> owners;
  for (const auto& [nic, text] : said) {
    const auto functions = parse_esxcli_vf_list(text);
    if (!functions) return with_context(functions.error(), nic);
    for (const EsxVirtualFunction& function : *functions) {
      if (!function.owner.empty()) owners.insert(function.owner);
    }
  }
  return owners;
}

Ports driver_ports(const std::vector<EsxCard>& cards, const std::set<PciAddress>& gone) {
  Ports ports;
  for (const EsxCard& card : cards) {
    if (gone.contains(card.card.address) || card.module.starts_with("nmlx4")) continue;
    for (const AdapterPort& port : card.card.ports)
      ports.push_back(port.function);
  }
  return ports;
}

std::optional<std::size_t> place_of(const Ports& ports, const AdapterPort& port) {
  const auto found = std::ranges::find(ports, port.function);
  if (found == ports.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ports.begin());
}

std::optional<std::int64_t> entry_of(const std::string& list, std::size_t place) {
  const std::vector<std::string_view> entries = split(std::string_view{list}, ',');
  if (place >= entries.size() || trim(entries[place]).empty()) return 0;
  return parse_integer(trim(entries[place]));
}

std::string list_moved(const std::string& list, const Ports& now, const Ports& then) {
  if (list.empty()) return list;
  const std::vector<std::string_view> entries = split(std::string_view{list}, ',');
  std::vector<std::string> moved;
  std::size_t told = 0;  // without the entries at the end that were not written
  for (const PciAddress& port : then) {
    const auto place = static_cast<std::size_t>(std::ranges::find(now, port) - now.begin());
    const bool written = place < now.size() && place < entries.size();
    moved.emplace_back(written ? entries[place] : "0");
    if (written) told = moved.size();
  }
  if (entries.size() <= now.size()) moved.resize(told);
  for (std::size_t place = now.size(); place < entries.size(); ++place)
    moved.emplace_back(entries[place]);
  return join(moved, ",");
}

namespace {

constexpr const char* kNotesProbe = "esxi-notes";
constexpr std::string_view kFunctionsNoteFolder = "/UserVars/";
constexpr std::string_view kNote = "FabricFunctions";

// "hca0@0000:3b:00.0"
std::string entry_of(const std::string& adapter, const Card& card) {
  return fmt::format("{}@{}", adapter, card.address.str());
}

// The words of the note; none if it can't be read.
std::vector<std::string> entries(const NodeFacts& facts) {
  const Result<std::string> note = note_of(facts, kNote);
  std::vector<std::string> found;
  if (!note) return found;
  for (const std::string_view word : split_words(*note))
    found.emplace_back(word);
  return found;
}

bool is_of(const Resource& resource, const std::string& adapter, const Card& card) {
  const auto pci = resource.binding.find(keys::kPci);
  return resource.address.name == adapter ||
         (pci != resource.binding.end() && to_text(pci->second) == card.address.str());
}

}  // namespace

Probe notes_probe() {
  return {kNotesProbe, "esxcli --formatter=keyvalue system settings advanced list -t /UserVars\n"};
}

// The settings of a host's own are a tree that is never empty: a note that is not in it was never
// made.
Result<std::string> note_of(const NodeFacts& facts, std::string_view name) {
  const std::string_view text = FABRIC_TRY(answer(facts, kNotesProbe));
  const std::vector<EsxcliRow> rows =
      FABRIC_TRY(read_esxcli_keyvalue(text, {"path", "stringvalue"}));
  if (rows.empty()) return Error{ErrorCode::invalid, "esxcli lists no advanced settings"};
  for (const EsxcliRow& row : rows) {
    const std::string_view path = row.cell("path");
    if (path.starts_with(kFunctionsNoteFolder) && path.substr(kFunctionsNoteFolder.size()) == name)
      return std::string{row.cell("stringvalue")};
  }
  return std::string{};
}

remote::Argv note_functions(const std::string& adapter, const Card& card, bool has_functions) {
  return {
      "sh",
      "-c",
      sh::esxi_note_functions,
      "fabric-note-functions",
      entry_of(adapter, card),
      has_functions ? "on" : "off"};
}

bool has_noted(const NodeFacts& facts, const std::string& adapter, const Card& card) {
  const std::vector<std::string> noted = entries(facts);
  return std::ranges::find(noted, entry_of(adapter, card)) != noted.end();
}

std::vector<Resource> left_on_cards(
    std::string_view kind,
    std::span<const Resource> wanted,
    const NodeFacts& facts,
    const Map& before,
    const DesiredAttributes& desired) {
  std::vector<Resource> left;
  const std::vector<std::string> noted = entries(facts);
  const Result<std::vector<EsxCard>> cards = cards_of(facts);
  if (noted.empty() || !cards) return left;
  for (const EsxCard& each : *cards) {
    const std::string end = entry_of("", each.card);
    for (const std::string& entry : noted) {
      if (!entry.ends_with(end)) continue;
      const std::string adapter = entry.substr(0, entry.size() - end.size());
      const bool is_wanted = std::any_of(wanted.begin(), wanted.end(), [&](const Resource& one) {
        return is_of(one, adapter, each.card) &&
               std::any_of(desired.begin(), desired.end(), [&](const auto& attribute) {
                 return one.desired.contains(attribute.first);
               });
      });
      if (is_wanted || adapter.empty()) continue;
      Resource& resource = left.emplace_back(
          Resource{{facts.node, std::string{kind}, adapter}, {}, desired, {}, {}});
      resource.binding.emplace(keys::kAdapter, adapter);
      resource.binding.emplace(keys::kPci, each.card.address.str());
      resource.binding.emplace(keys::kDeviceIds, List{each.card.device_id});
      resource.binding.emplace(keys::kGiveBack, before);
    }
  }
  return left;
}

}  // namespace fabric::providers::esxi

// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/verify/links/links.hpp"

namespace fabric::verify {

namespace {

struct Runs {
  std::map<std::string, std::set<std::string>> nodes;  // by firmware
  PortRef first;
};

void add_firmware(
    const FabricSpec& spec, const std::vector<LinkReport>& links, Findings& findings) {
  std::map<std::pair<std::string, std::string>, Runs> runs;  // by model and PSID
  for (const LinkReport& link : links) {
    if (link.firmware.empty() || link.psid.empty()) continue;
    Runs& run = runs.try_emplace({link.model, link.psid}, Runs{{}, link.port}).first->second;
    run.nodes[link.firmware].insert(link.port.node.str());
  }
  for (const auto& [card, run] : runs) {
    if (run.nodes.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [firmware, nodes] : run.nodes)
      parts.push_back(fmt::format(
          "{} at {}", firmware, fold(std::vector<std::string>{nodes.begin(), nodes.end()})));
    findings.add(
        {Severity::warning,
         "firmware-not-uniform",
         place_of_node(spec, run.first.node),
         fmt::format(
             "{} cards with the PSID {} run {} firmwares: {}",
             card.first,
             card.second,
             run.nodes.size(),
             join(parts, ", ")),
         "burn one version on all of them (`firmware: {image: ...}`)",
         {}});
  }
}

// The ports of one bond share an address, so only those of other nodes count.
void add_duplicates(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<LinkReport>& links,
    Findings& findings) {
  std::map<std::string, PortRef> owners;
  std::set<std::pair<NodeName, NodeName>> told;
  for (const LinkReport& link : links) {
    const discovery::PortEvidence found = evidence.port(link.port);
    if (!found.device || !found.device->mac) continue;
    const auto [owner, is_new] = owners.emplace(found.device->mac->str(), link.port);
    if (is_new || owner->second.node == link.port.node) continue;
    if (!told.emplace(owner->second.node, link.port.node).second) continue;
    const Findings::Number number = findings.add(
        {Severity::error,
         "address-duplicate",
         place_of_node(spec, link.port.node),
         fmt::format(
             "{} and {} have the same address, {}",
             owner->second.str(),
             link.port.str(),
             owner->first),
         "a card was given the addresses of another one: restore its own with the firmware tool",
         {},
         link.port.subject()});
    findings.also_about(number, owner->second.node.str());
  }
}

std::string card_of(const LinkReport& link) {
  return fmt::format("{}/{}", link.port.node.str(), link.port.adapter);
}

// Both cost bandwidth at most, so they are information. Each card is reported once.
void add_slots(const FabricSpec& spec, const std::vector<LinkReport>& links, Findings& findings) {
  std::set<std::string> told;
  for (const LinkReport& link : links) {
    const platform::LinkReading& reading = link.reading;
    const bool is_fast =
        reading.capable_mbps.value_or(reading.speed_mbps.value_or(0)) >= kFastLinkMbps;
    if (!is_fast || !told.insert(card_of(link)).second) continue;
    const auto add = [&](const char* rule, std::string message, const char* help) {
      findings.add(
          {Severity::info,
           rule,
           place_of_node(spec, link.port.node),
           std::move(message),
           help,
           {},
           {link.port.node, link.port.adapter}});
    };
    if (const auto& bytes = reading.pcie.read_request; bytes && *bytes < kReadRequest) {
      add("read-request-small",
          fmt::format(
              "{} reads at most {} bytes at a time (MaxReadReq); expected {} for a fast link",
              card_of(link),
              *bytes,
              kReadRequest),
          "set MaxReadReq in the BIOS, or by setpci in a unit for each boot");
    }
    if (reading.pcie.iommu_domain.starts_with("DMA")) {
      add("iommu-translates",
          fmt::format(
              "the IOMMU of {} translates each access of {}", link.port.node.str(), card_of(link)),
          "if no guest needs it, boot with the kernel parameter iommu=pt");
    }
  }
}

}  // namespace

void add_card_findings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<LinkReport>& links,
    Findings& findings) {
  add_firmware(spec, links, findings);
  add_duplicates(spec, evidence, links, findings);
  add_slots(spec, links, findings);
}

}  // namespace fabric::verify

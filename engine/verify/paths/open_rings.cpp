// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/discovery/reach_fabric.hpp"
#include "engine/verify/cables/cables.hpp"
#include "engine/verify/paths/lost_paths.hpp"
#include "engine/verify/report/findings.hpp"

namespace fabric::verify {

namespace {

// These take some seconds.
constexpr std::size_t kMostPairs = 100'000;
constexpr std::size_t kCablesShown = 4;

// True if hosts have addresses, whether or not these reach each other, and not too many.
bool is_set_up(const reach::NetworkNow& now) {
  const std::size_t pairs = reach::address_pair_count(now.fabric);
  return pairs != 0 && pairs <= kMostPairs;
}

// The broken cables of each network, in order of the document.
std::map<std::string, std::vector<CableReport>> misplaced_cables(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::set<std::string>& networks) {
  std::map<std::string, std::vector<CableReport>> cables;
  if (networks.empty()) return cables;
  FabricSpec alone = spec;
  std::erase_if(
      alone.networks, [&](const auto& network) { return !networks.contains(network.first); });
  for (CableReport& cable : judge_cables(alone, evidence, WireCables{alone, {}})) {
    // Apply opens a port that is shut, and makes a device of a card that has none yet.
    const bool is_elsewhere =
        is_broken(cable.state) && cable.state != CableState::shut && cable.lack != WireLack::device;
    if (is_elsewhere) cables[cable.network].push_back(std::move(cable));
  }
  return cables;
}

std::string cables_text(const std::vector<CableReport>& cables) {
  std::vector<std::string> texts;
  for (const CableReport& cable : cables) {
    if (texts.size() == kCablesShown) break;
    texts.push_back(fmt::format("{} - {} ({})", cable.a.str(), cable.b.str(), cable.detail));
  }
  if (cables.size() > kCablesShown)
    texts.push_back(fmt::format("{} more", cables.size() - kCablesShown));
  return join(texts, ", ");
}

std::string losses_text(const reach::Losses& losses) {
  const std::string lost = fmt::format("{} of {} pairs of addresses", losses.lost, losses.worked);
  if (losses.apart.empty())
    return fmt::format(
        "the ring is open: {} have no path, but every two hosts still reach each other", lost);
  return fmt::format(
      "the ring is in pieces: {} and {} of {} pairs of hosts have no path",
      lost,
      losses.apart.size(),
      losses.host_pairs);
}

std::string what_if_command(const std::vector<CableReport>& cables) {
  std::string command = "fabric graph";
  for (const CableReport& cable : cables)
    command += fmt::format(" --cut {} {}", cable.a.str(), cable.b.str());
  return command;
}

}  // namespace

void report_open_rings(
    const FabricSpec& spec,
    const discovery::Evidence& evidence,
    const std::vector<reach::NetworkNow>& now,
    Diagnostics& diagnostics) {
  std::set<std::string> running;
  for (const reach::NetworkNow& ring : now) {
    if (is_set_up(ring)) running.insert(ring.network);
  }
  const auto misplaced = misplaced_cables(spec, evidence, running);
  if (misplaced.empty()) return;
  for (const reach::NetworkNow& whole : discovery::declared_paths(spec)) {
    const auto found = misplaced.find(whole.network);
    if (found == misplaced.end()) continue;
    const std::vector<CableReport>& cables = found->second;
    std::set<PortRef> dark;
    for (const CableReport& cable : cables)
      dark.insert({cable.a, cable.b});
    const bool is_one = cables.size() == 1;
    diagnostics
        .warning(
            "ring-open",
            place_of_network(spec, whole.network),
            fmt::format(
                "in network {} {} not where the document has {}: {}; until an operator moves {}, "
                "{}",
                whole.network,
                is_one ? "a cable is" : "cables are",
                is_one ? "it" : "them",
                cables_text(cables),
                is_one ? "it" : "all of them",
                losses_text(reach::losses_without(whole, {}, dark))))
        .with_help(fmt::format(
            "apply first, so that the card of a new node forwards frames; then move the cables one "
            "after the other, and run `fabric verify`; `{}` names the pairs of addresses to use "
            "meanwhile",
            what_if_command(cables)));
  }
}

}  // namespace fabric::verify

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/firmware/card_firmware.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/cards/card_query.hpp"
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/parsers/card_tools.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kQueryProbe = "flint";
constexpr std::string_view kFilesProbe = "firmware-files";
constexpr std::string_view kRefused = "connectx-3";

void read_query(CardFirmware& firmware, std::string_view output, const std::string& card) {
  firmware.tool = querying_tool(output);
  if (firmware.tool.empty()) {
    firmware.why = "the node has neither flint nor mstflint";
    return;
  }
  const CardQuery query = card_query(output, card);
  if (query.status == kRefused) {
    firmware.why = fmt::format(
        "the {} of this node does not know ConnectX-3; mstflint before 4.26 does", firmware.tool);
    return;
  }
  if (query.status.empty()) {
    firmware.why = fmt::format("{} did not query {}", firmware.tool, card);
    return;
  }
  const Result<Value> parsed = parse_mstflint_query(query.text);
  // Output before a failure is no evidence: a query that crashed may have printed only a part.
  if (!parsed || query.status != "0") {
    firmware.why = fmt::format(
        "{} of {} (exit {}): {}{}",
        firmware.tool,
        card,
        query.status,
        parsed ? std::string{"the query failed"} : parsed.error().message,
        way_past_lockdown(output, query.text));
    return;
  }
  firmware.flash = parsed->string_or_empty("fw_version");
  firmware.psid = parsed->string_or_empty("psid");
  // "secure-fw", or a list with it: mstflint, flint/subcommands.cpp.
  firmware.secure =
      parsed->string_or_empty("security_attributes").find("secure-fw") != std::string::npos;
  const std::string running = parsed->string_or_empty("fw_version_running");
  firmware.running = running.empty() ? firmware.flash : running;
}

void read_files(CardFirmware& firmware, std::string_view output, const std::string& card) {
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 3 && words[0] == "upload") {
      firmware.uploads.emplace(words[2], words[1]);
    } else if (words.size() == 2 && words[0] == "backup") {
      firmware.backups.emplace(words[1]);
    } else if (words.size() == 2 && words[0] == "burning" && words[1] == card) {
      firmware.burning = true;
    }
  }
}

// The text with only characters that may be in a file name.
std::string plain(std::string_view text) {
  std::string name{text};
  std::replace_if(
      name.begin(),
      name.end(),
      [](char c) {
        const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
        return !harmless;
      },
      '_');
  return name;
}

}  // namespace

std::vector<Probe> firmware_probes() {
  return {
      {std::string{kQueryProbe}, std::string{sh::probe_flint.text}},
      {std::string{kFilesProbe}, std::string{sh::probe_firmware_files.text}}};
}

CardFirmware firmware_of(const NodeFacts& facts, const Card& card) {
  CardFirmware firmware;
  const std::string address = card.address.str();
  if (const std::string* output = facts.output(kQueryProbe)) {
    read_query(firmware, *output, address);
  } else {
    firmware.why = "the firmware of the cards could not be read";
  }
  if (firmware.running.empty()) firmware.running = card.firmware;
  if (firmware.psid.empty()) firmware.psid = card.psid;
  if (const std::string* output = facts.output(kFilesProbe)) read_files(firmware, *output, address);
  return firmware;
}

std::string upload_path(const PciAddress& card, std::string_view sha256) {
  constexpr std::size_t kEnough = 16;
  return fmt::format("{}/upload-{}-{}", kFirmwareFolder, card.str(), sha256.substr(0, kEnough));
}

std::string backup_path(const Card& card, const CardFirmware& firmware) {
  return fmt::format(
      "{}/backup-{}-{}-{}.{}",
      kFirmwareFolder,
      plain(card.serial.empty() ? card.address.str() : card.serial),
      plain(firmware.psid),
      plain(firmware.flash),
      firmware.secure ? "query" : "bin");
}

}  // namespace fabric::providers

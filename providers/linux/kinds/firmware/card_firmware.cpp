// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/firmware/card_firmware.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/card_settings.hpp"
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/parsers/rdma_tools.hpp"

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

namespace {

// The tool reads or writes up to 32 MB of flash at some 100 KB/s on the slowest cards.
constexpr Duration kFlashTimeout{600'000};

// The actions of one card. Each depends on the former one's result and on an unchanged flash.
class Burn {
 public:
  explicit Burn(const BurnInputs& inputs) : in_{inputs}, pci_{inputs.card.address.str()} {}

  Work make() const { return {{backup(), upload(), burn()}}; }

 private:
  Condition persistent(const char* attribute, const std::string& value) const {
    return {in_.resource.address, attribute, Layer::persistent, value};
  }
  Condition flash(const std::string& version) const {
    return {in_.resource.address, "version", Layer::next_boot, version};
  }

  // The conditions of every action: the card of the document, unchanged since the plan.
  ActionDraft draft(std::string_view kind, std::string title) const {
    ActionDraft draft;
    draft.kind = kind;
    draft.title = std::move(title);
    draft.stage = Stage::prepare;
    draft.timeout = kFlashTimeout;
    draft.preconditions = {
        {in_.resource.address, "psid", Layer::running, in_.psid}, flash(in_.firmware.flash)};
    return draft;
  }

  std::string where() const { return fmt::format("{} ({})", in_.resource.address.name, pci_); }
  std::string backup_file() const { return backup_path(in_.card, in_.firmware); }
  std::string image_file() const { return upload_path(in_.card.address, in_.image.sha256); }

  ActionDraft backup() const {
    ActionDraft action = draft(
        methods::kFirmwareBackup,
        in_.firmware.secure
            ? fmt::format(
                  "save the settings of {}, whose secure firmware {} can't be read back",
                  where(),
                  in_.firmware.flash)
            : fmt::format("save firmware {} and the settings of {}", in_.firmware.flash, where()));
    action.steps.run(
        {"sh",
         "-c",
         sh::firmware_backup,
         "fabric-backup",
         pci_,
         backup_file(),
         in_.firmware.tool,
         in_.settings_tool});
    action.postconditions = {persistent(kBackup, in_.firmware.flash)};
    for (const char* suffix : {".boot", ".settings.raw", ".settings", ""})
      action.undo.remove(backup_file() + suffix);
    return action;
  }

  ActionDraft upload() const {
    ActionDraft action = draft(
        methods::kFirmwareUpload,
        fmt::format("bring the image of firmware {} for {}", in_.version, where()));
    action.steps.copy(
        {in_.image.source, in_.image.sha256, in_.image.bytes, image_file(), 0600, "root:root"});
    action.postconditions = {persistent(kUpload, in_.image.sha256)};
    action.undo.remove(image_file());
    return action;
  }

  ActionDraft burn() const {
    ActionDraft action = draft(
        methods::kFirmwareBurn,
        fmt::format(
            "burn firmware {} on {}, which has {}", in_.version, where(), in_.firmware.flash));
    const std::string& tool = in_.firmware.tool;
    action.steps.run(
        {"sh",
         "-c",
         sh::firmware_check,
         "fabric-check",
         pci_,
         image_file(),
         in_.image.sha256,
         in_.version,
         in_.psid,
         tool});
    action.steps.run(
        {"sh", "-c", sh::firmware_burn, "fabric-burn", pci_, image_file(), kFirmwareFolder, tool});
    action.steps.run({"rm", "-f", image_file()});
    action.once = true;
    action.preconditions.push_back(persistent(kBackup, in_.firmware.flash));
    action.preconditions.push_back(persistent(kUpload, in_.image.sha256));
    action.postconditions = {flash(in_.version)};
    action.irreversible =
        in_.firmware.secure
            ? fmt::format(
                  "a burn is not rolled back, and no copy of the flash can be made: have the "
                  "maker's image of {} for PSID {} at hand",
                  in_.firmware.flash,
                  in_.psid)
            : fmt::format(
                  "a burn is not rolled back; the former content of the flash is saved on the "
                  "node: {}",
                  backup_file());
    return action;
  }

  const BurnInputs& in_;
  std::string pci_;
};

}  // namespace

std::optional<Image> image_of(const Resource& resource) {
  const Value* found = resource.bound(keys::kImage);
  if (found == nullptr) return std::nullopt;
  const Value& image = *found;
  const Value* bytes = image.find("bytes");
  if (image.string_or_empty("sha256").empty() || bytes == nullptr ||
      bytes->as_integer() == nullptr) {
    return std::nullopt;
  }
  return Image{
      image.string_or_empty("source"),
      image.string_or_empty("sha256"),
      static_cast<std::uint64_t>(*bytes->as_integer())};
}

Work burn_work(const BurnInputs& inputs) {
  FABRIC_CHECK(!inputs.firmware.flash.empty(), "a burn needs the firmware version in the flash");
  FABRIC_CHECK(inputs.firmware.flash != inputs.version, "nothing is burned twice");
  return Burn{inputs}.make();
}

}  // namespace fabric::providers

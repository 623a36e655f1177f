// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/firmware/burn.hpp"

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

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
  const auto found = resource.binding.find(keys::kImage);
  if (found == resource.binding.end()) return std::nullopt;
  const Value& image = found->second;
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

// SPDX-License-Identifier: Apache-2.0
// The values that a card had before fabric first wrote it, kept on the node beside the record of
// what was set ("<card>.before"), and their restoration. A value that was given back is fabric's no
// longer once the node has booted: "<card>.given_back" has the boot in which it was given back.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

struct FormerValues {
  // The former value of each parameter; null: the card hid it, so it is unknown.
  std::map<std::string, Value, std::less<>> values;
  std::set<std::string, std::less<>>
      restore;  // given back without being asked for, when the document no longer has them
  std::set<std::string, std::less<>> given_back;  // in this boot: the next one brings them about
  Resource written;  // the resource that wrote the values; REQUIRES: there are values
};

// Nullopt: fabric has written no value of this card, or another card is in its place now.
std::optional<FormerValues> former_values(
    const NodeName& node, const CardSettings& settings, const Card& card);

// Orphans for parameters that fabric has set and `wanted` does not have (Provider::orphans), with
// keys::kFormer, keys::kPresent and keys::kRestore for the code that decides about them.
std::vector<Resource> left_settings(std::span<const Resource> wanted, const NodeFacts& facts);

// The parameters noted to be given back once no document asks for them (keys::kRestore).
LayeredReading restore_reading(
    const Value& desired, const NodeName& node, const CardSettings& settings, const Card& card);

// Records, in the action of `change`, the values that it overwrites and those that it gives back;
// `notes` are to follow once all files are there. False if there is nothing new to record.
bool keep_former_values(
    const Change& change,
    const CardSettings& settings,
    const Card& card,
    ActionDraft& draft,
    WorkSteps& notes);

// An argument for replace_file: null = there is no file.
const std::string* former_text(const std::optional<std::string>& file);
// The command that writes the id of the running boot to a file.
remote::Argv note_boot(const std::string& path);

}  // namespace fabric::providers

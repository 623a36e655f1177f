// SPDX-License-Identifier: Apache-2.0
// What a card had before fabric first wrote it, kept on the node beside the record of what was set
// ("<card>.before"), and the way back to it. A value that was given back is fabric's no longer once
// the node has booted: "<card>.given_back" has the boot in which it was.
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
  // By parameter; null: the card hid the value, so it is unknown.
  std::map<std::string, Value, std::less<>> values;
  std::set<std::string, std::less<>>
      restore;  // given back without being asked for, when the document no longer has them
  std::set<std::string, std::less<>> given_back;  // in this boot: the next one brings them about
  Resource written;                               // that wrote them; REQUIRES: there are values
};

// Nullopt: fabric has written nothing of this card, or another card is in its place now.
std::optional<FormerValues> former_values(
    const NodeName& node, const CardSettings& settings, const Card& card);

// Parameters that fabric has set and `wanted` does not ask for (Provider::orphans), with
// keys::kFormer, keys::kPresent and keys::kRestore for the code that decides about them.
std::vector<Resource> left_settings(std::span<const Resource> wanted, const NodeFacts& facts);

// Which of the resource's parameters are to be given back by themselves later (keys::kRestore).
LayeredReading restore_reading(
    const Value& desired, const NodeName& node, const CardSettings& settings, const Card& card);

// Writes down what `change` is about to overwrite, and what it gives back, in the same action;
// `notes` are to follow once all its files are there. False if nothing new is to be written down.
bool keep_former_values(
    const Change& change,
    const CardSettings& settings,
    const Card& card,
    ActionDraft& draft,
    WorkSteps& notes);

// For replace_file: null = there is none.
const std::string* former_text(const std::optional<std::string>& file);
// Writes the running boot's id to a file.
remote::Argv note_boot(const std::string& path);

}  // namespace fabric::providers

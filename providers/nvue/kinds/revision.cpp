// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/kinds/revision.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/nvue/kinds/switch_facts.hpp"
#include "providers/nvue/parsers/nvue_json.hpp"

namespace fabric::providers::nvue {

namespace {

constexpr Duration kApplyTimeout{180'000};

// The value at all words but the last, and whether the last word is its member or its value.
struct Place {
  const Value* parent = nullptr;  // null: nothing is set that far
  std::size_t depth = 0;          // how many words lead to something that is set
  bool is_set = false;
};

Place place_of(const Value& tree, const Words& words) {
  Place place{&tree, 0, false};
  const Value* at = &tree;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Value* next = at->find(words[i]);
    if (next != nullptr) {
      place.depth = i + 1;
      place.is_set = i + 1 == words.size();
      at = next;
      continue;
    }
    place.is_set = i + 1 == words.size() && nvue_word(at) == words[i];
    place.parent = i + 1 == words.size() ? at : nullptr;
    return place;
  }
  place.parent = at;
  return place;
}

remote::Argv nv(const char* verb, const Words& words) {
  remote::Argv argv{"nv", verb};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

// A tree as the lines that set it.
void set_lines(const Value& value, Words words, std::vector<remote::Argv>& lines) {
  std::vector<std::pair<Words, const Value*>> left{{std::move(words), &value}};
  while (!left.empty()) {
    auto [at, each] = std::move(left.back());
    left.pop_back();
    const Map* map = each->as_map();
    if (map == nullptr || map->empty()) {
      if (map == nullptr && !each->is_null()) at.push_back(to_text(*each));
      lines.push_back(nv("set", at));
      continue;
    }
    for (auto entry = map->rbegin(); entry != map->rend(); ++entry) {
      Words deeper = at;
      deeper.push_back(entry->first);
      left.emplace_back(std::move(deeper), &entry->second);
    }
  }
}

std::vector<Condition> read_back(const Change& change, Layer layer) {
  std::vector<Condition> conditions;
  for (const AttributeChange& each : change.attributes) {
    if (layer == Layer::running && !each.activate) continue;
    conditions.push_back({change.resource.address, each.attribute, layer, each.desired});
  }
  return conditions;
}

// The words are the difference, as `nv config diff` would show it.
std::string titled(const std::string& title, const std::vector<remote::Argv>& commands) {
  std::vector<std::string> lines;
  for (const remote::Argv& argv : commands)
    lines.push_back(join(std::vector<std::string>{argv.begin() + 1, argv.end()}, " "));
  return fmt::format("{}: {}", title, fmt::join(lines, "; "));
}

}  // namespace

void Revision::set(Words words) {
  const Place place = place_of(applied_, words);
  if (place.is_set) return;
  done_.push_back(nv("set", words));
  const Value* old = place.parent;
  // {"state": {"down": {}}} is a value too (E-nvue-json).
  const bool is_choice = words.size() > 1 && words[words.size() - 2] == "state";
  const bool has_value =
      old != nullptr && (is_choice || (old->as_map() == nullptr && !old->is_null()));
  if (has_value && !nvue_word(old).empty()) {
    words.back() = nvue_word(old);
    undone_.push_back(nv("set", words));
    return;
  }
  // A new branch is unset at its first word; never the whole of a branch such as `interface`.
  constexpr std::size_t kLeast = 2;
  const bool is_member = old != nullptr && old->as_map() != nullptr;
  const std::size_t deepest = is_member ? words.size() : words.size() - 1;
  words.resize(std::min(std::max(place.depth + 1, kLeast), std::max(deepest, kLeast)));
  undone_.push_back(nv("unset", words));
}

void Revision::makes(const Words& words) {
  if (!place_of(applied_, words).is_set) undone_.push_back(nv("unset", words));
}

void Revision::unset(Words words) {
  const Place place = place_of(applied_, words);
  if (!place.is_set) return;
  done_.push_back(nv("unset", words));
  set_lines(*place.parent, std::move(words), undone_);
}

ActionDraft Revision::draft(const std::string& title, const Change& change) const {
  ActionDraft draft;
  draft.kind = methods::kNvueApply;
  // Of equal lines of the way back the first, which is done last.
  std::vector<remote::Argv> back;
  for (auto line = undone_.rbegin(); line != undone_.rend(); ++line)
    if (std::find(undone_.rbegin(), line, *line) == line) back.push_back(*line);
  draft.title = titled(title, done_);
  draft.way_back = titled("undo: " + title, back);
  draft.stage = Stage::activate;
  draft.disruption = change.disruption();
  draft.timeout = kApplyTimeout;
  // Drops a pending change of fabric, which is from a run that was cut short. It is no failure if
  // there is none.
  const remote::Argv begin{"sh", "-c", "nv config detach >/dev/null 2>&1 || true"};
  // Questions are answered: without -y an apply waits for an answer (E-nvue-confirm).
  const remote::Argv apply{"nv", "config", "apply", "-y"};
  draft.steps.run(begin);
  draft.steps.run_each(done_);
  draft.steps.run(apply);
  draft.undo.run(begin);
  draft.undo.run_each(back);
  draft.undo.run(apply);
  // The switch applies a revision as a whole, with all other settings in it.
  draft.activation = {"one revision", 1, 1};
  draft.postconditions = read_back(change, Layer::running);
  draft.may_cut_off = true;
  return draft;
}

void set_access_vlan(
    Revision& revision,
    const Value& applied,
    const Resource& resource,
    const std::string& interface,
    const std::string& id) {
  const std::string bridge = bridge_of(applied, interface);
  const Value* own = own_vlans(applied, interface);
  const auto at = [&](const char* key) {
    return Words{
        "interface",
        interface,
        "bridge",
        "domain",
        bridge.empty() ? bridge_domain(applied) : bridge,
        key};
  };
  const auto set = [&](const char* key) {
    Words words = at(key);
    words.push_back(id);
    revision.set(std::move(words));
  };
  const Value* vlans = own == nullptr ? nullptr : own->find("vlan");
  const bool has_tags = vlans != nullptr || (own != nullptr && own->find("untagged") != nullptr) ||
                        resource.binding.contains(switch_configuration::kTags);
  if (!has_tags) return set("access");
  revision.unset(at("access"));
  set("untagged");
  if (vlans != nullptr && !has_vlan(vlans, parse_unsigned(id, 10).value_or(0))) set("vlan");
}

ActionDraft save_draft(const Change& change) {
  ActionDraft draft;
  draft.kind = methods::kConfigurationSave;
  draft.title = "save what is applied";
  draft.stage = Stage::activate;
  draft.steps.run({"nv", "config", "save"});
  draft.irreversible = "the former value for the next boot was not recorded";
  draft.postconditions = read_back(change, Layer::persistent);
  return draft;
}

Error not_in_force(const Change& change) {
  std::vector<std::string> said;
  for (const AttributeChange& each : change.attributes) {
    if (each.activate && each.observed.running)
      said.push_back(fmt::format("{} is {}", each.attribute, each.observed.running->text()));
  }
  return {
      ErrorCode::invalid,
      fmt::format(
          "{}: it is applied, but the switch does not run with it ({}); compare the columns "
          "operational and applied of `nv show`",
          change.resource.address.str(),
          fmt::join(said, ", "))};
}

std::vector<remote::Argv> set_commands(const Value& tree) {
  std::vector<remote::Argv> lines;
  const Map* map = tree.as_map();
  if (map != nullptr && !map->empty()) set_lines(tree, {}, lines);
  return lines;
}

}  // namespace fabric::providers::nvue

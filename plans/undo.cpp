// SPDX-License-Identifier: Apache-2.0
#include "plans/undo.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/file_digests.hpp"
#include "engine/value/digest.hpp"
#include "plans/undo_stays.hpp"

namespace fabric::plans {

namespace {

constexpr RuleInfo kUndoRules[] = {
    {"undo-stays",
     Severity::warning,
     RuleStage::plan,
     "`fabric undo` can't bring back a value that was there before the run. The run burned "
     "firmware, it loaded a driver, or a person plugged a cable. Or a setting had one value that "
     "ran and another value for the next boot, and a boot ended the first one. Or a file and the "
     "running state had different values, and one command sets both. Or nothing showed the value "
     "before the run, and it shows now because another value stays. `fabric undo` names the value "
     "and brings back the rest. A value that only waits for a boot is not named: an undo that was "
     "cut off before its boot is planned again with that boot. Nor is a value that a sequence of "
     "boots set: it is listed as left.",
     "E-grammar: docs/document.md",
     "Set the value by hand if it must be as before the run."},
    {"undo-document",
     Severity::info,
     RuleStage::plan,
     "`fabric undo` changes no document. The next plan of the document does again what these lines "
     "ask for.",
     "E-grammar: docs/document.md",
     "Revert the lines, or keep the document and plan again when the cause is mended."},
};

std::string text_of(const Value& value) {
  return value.is_null() ? "absent" : to_text(value);
}

Value value_of(const Reading& reading) {
  return reading.value() == nullptr ? Value{} : *reading.value();
}

// Of work on a resource, and not of its node's health, boots or drains.
bool is_work(const Action& action) {
  const std::string_view kind = action.draft.kind;
  return !action.covers.empty() && kind != methods::kReboot && kind != methods::kHealthCheck &&
         kind != methods::kHookBefore && kind != methods::kHookAfter &&
         kind != methods::kMaintenanceEnter;
}

ChangeKind inverse(ChangeKind kind) {
  if (kind == ChangeKind::add) return ChangeKind::remove;
  return kind == ChangeKind::remove ? ChangeKind::add : kind;
}

// What is there now of one attribute, and what was there before the run.
struct Attribute {
  const PlannedChange* planned = nullptr;
  Platform platform = kUsualPlatform;
  bool by_boot = false;  // no action sets it, and nothing keeps it: it came with a boot
  // Of an undo that is undone: what its document wants. The work makes that of every layer, also
  // where the layers differed before.
  const Value* made_again = nullptr;
  const LayeredReading* now = nullptr;  // null: it was not observed

  // Null if the layer was unknown then, or is not read any more; and of what runs, if no boot
  // brings it back: another value was set for the next one, or none, which only a loaded driver
  // shows.
  const Reading* former(Layer layer) const {
    const LayeredReading& then = planned->attribute.observed;
    const std::optional<Reading>& before = then.layer(layer);
    if (layer == Layer::running && then.next_boot &&
        (then.next_boot->is_absent() || then.next_boot != before))
      return nullptr;
    if (by_boot) return nullptr;
    if (!before || before->is_unknown() || (now != nullptr && !now->layer(layer))) return nullptr;
    return &*before;
  }
  // Null of a layer without a former value. `made`: with the work being done.
  std::optional<Value> wanted(Layer layer, bool made = true) const {
    const Reading* before = former(layer);
    if (before == nullptr) return std::nullopt;
    return made && made_again != nullptr && differed() ? *made_again : value_of(*before);
  }
  bool shows(Layer layer, const Value& value) const {
    return now != nullptr && holds(
                                 {planned->address, planned->attribute.attribute, layer, value},
                                 *now->layer(layer),
                                 platform);
  }
  bool is_back(Layer layer) const {
    return former(layer) == nullptr || shows(layer, *wanted(layer)) ||
           shows(layer, *wanted(layer, false));
  }
  // No file said before the run that a boot makes another value run.
  bool was_kept() const {
    const Reading* kept = former(Layer::persistent);
    return kept == nullptr || kept->is_absent() || !differed();
  }
  bool is_back() const {
    return std::ranges::all_of(kEveryLayer, [this](Layer layer) { return is_back(layer); });
  }
  // The value that a boot is to make run; null where no file said it and the machine shows it of
  // its own accord, as the MTU that a manager gives a subnet. REQUIRES: `running` has a former
  // value.
  Value after_boot() const {
    const Reading* kept = former(Layer::persistent);
    const bool is_said = kept != nullptr && !kept->is_absent();
    const Value value = *wanted(Layer::running);
    return !is_said && is_given(Reading::of(value)) ? Value{} : value;
  }
  // The machine shows it where nobody has set anything.
  bool is_given(const Reading& runs) const {
    return holds(
        {planned->address, planned->attribute.attribute, Layer::running, {}}, runs, platform);
  }
  bool is_given_now() const {
    return now != nullptr && now->running && !now->running->is_absent() && is_given(*now->running);
  }

 private:
  bool differed() const {
    const Reading* runs = former(Layer::running);
    const Reading* kept = former(Layer::persistent);
    return runs != nullptr && kept != nullptr && *runs != *kept;
  }
};

struct Undone {
  const Resource* resource = nullptr;
  std::vector<Attribute> attributes;     // all that the run planned to change
  std::vector<const Action*> actions{};  // that were begun, in their order
  std::string left{};                    // why it stays as it is
  bool is_back() const {
    return std::ranges::all_of(attributes, [](const Attribute& each) { return each.is_back(); });
  }
};

class Inverse {
 public:
  Inverse(const UndoInputs& inputs, Diagnostics& diagnostics)
      : inputs_{inputs}, plan_{inputs.undone.plan}, diagnostics_{diagnostics} {
    for (const Resource& resource : inputs.resources)
      resources_.emplace(resource.address, &resource);
    for (const Action& action : plan_.actions) {
      if (!action.sequence.empty()) sequences_.insert(action.node);
      if (inputs.undone.begun.contains(action.id)) {
        for (const std::string& path : paths_of(action.draft.steps))
          writers_[{action.node, path}] = &action;
        if (is_for_boot(action.draft))
          for (remote::Argv& argv : action.draft.undo.commands())
            restores_[action.node].push_back(std::move(argv));
      }
      for (const WorkSteps* steps : {&action.draft.steps, &action.draft.undo})
        for (const remote::step::WriteFile& write : steps->writes())
          modes_[write.path.substr(0, write.path.rfind('/'))] = write.mode;
      if (action.draft.kind == methods::kReboot && action.guard > Duration{0})
        for (const std::string& path : paths_of(action.draft.undo))
          guarded_.emplace(action.node, path);
      for (const Condition& each : action.draft.postconditions) {
        made_[{each.address, each.attribute, each.layer}].push_back(&each.equals);
        if (is_work(action)) worked_.emplace(each.address, each.attribute);
      }
    }
  }

  Undoing run() && {
    collect();
    Undoing undoing;
    for (auto& [address, undone] : undone_) {
      if (!undone.is_back()) undone.left = why_left(undone);
      if (plan_.backwards) continue;
      Change done{*undone.resource, undone.attributes.front().planned->kind, {}};
      for (const Attribute& each : undone.attributes)
        done.attributes.push_back(each.planned->attribute);
      undoing.forwards.push_back(std::move(done));
    }
    leave_together();
    for (const auto& [address, undone] : undone_) {
      if (undone.is_back()) continue;
      undoing.candidates.push_back(candidate_of(undone));
    }
    leave_to_boots(undoing.candidates);
    for (const Candidate& each : undoing.candidates)
      if (plan_.backwards) undoing.forwards.push_back(each.change);
    return undoing;
  }

 private:
  using Key = std::tuple<ResourceAddress, InternedText, Layer>;

  static std::vector<std::string> paths_of(const WorkSteps& steps) {
    std::vector<std::string> paths = steps.removes();
    for (const remote::step::WriteFile& write : steps.writes())
      paths.push_back(write.path);
    return paths;
  }

  void collect() {
    for (const PlannedChange& change : plan_.changes) {
      const auto resource = resources_.find(change.address);
      // Whether a node is drained, each plan judges for itself.
      const bool is_drain = change.address.kind == kinds::kDrain;
      if (change.withheld || is_drain || resource == resources_.end()) continue;
      const LayeredReading& then = change.attribute.observed;
      const bool by_boot = !then.next_boot && !then.persistent &&
                           !sequences_.contains(change.address.node) &&
                           !worked_.contains({change.address, change.attribute.attribute});
      Attribute& attribute = add(change, *resource->second, by_boot);
      const auto wanted = resource->second->desired.find(change.attribute.attribute.str());
      if (plan_.backwards && wanted != resource->second->desired.end())
        attribute.made_again = &wanted->second.value;
    }
    add_passing();
    std::set<ResourceAddress> of_work;  // of which the plan has work
    std::set<NodeName> passed;          // nodes within a sequence of boots
    for (const Action& action : plan_.actions) {
      if (!is_work(action)) continue;
      of_work.insert(action.covers.begin(), action.covers.end());
      if (!inputs_.undone.begun.contains(action.id)) continue;
      if (sequences_.contains(action.node)) passed.insert(action.node);
      for (const ResourceAddress& address : action.covers) {
        const auto found = undone_.find(address);
        if (found != undone_.end()) found->second.actions.push_back(&action);
      }
    }
    // What the run never touched is none of its doing; a sequence may set a value by boots alone.
    std::erase_if(undone_, [&](const auto& each) {
      return each.second.actions.empty() &&
             (of_work.contains(each.first) || !passed.contains(each.first.node));
    });
  }

  Attribute& add(const PlannedChange& change, const Resource& resource, bool by_boot) {
    Undone& undone = undone_[change.address];
    undone.resource = &resource;
    undone.attributes.push_back({&change, resource.platform, by_boot});
    Attribute& attribute = undone.attributes.back();
    attribute.now = observed_of(inputs_.snapshot, change.address, change.attribute.attribute);
    return attribute;
  }

  // What a sequence of boots sets on its way, no change of the plan tells: it was before the run
  // what the end of the sequence makes of it.
  void add_passing() {
    for (const Action& action : plan_.actions) {
      const bool is_begun = inputs_.undone.begun.contains(action.id);
      if (!sequences_.contains(action.node) || !is_work(action) || !is_begun) continue;
      for (const Condition& each : action.draft.postconditions) {
        const auto resource = resources_.find(each.address);
        const Value& last = *made_.at({each.address, each.attribute, each.layer}).back();
        if (each.layer != Layer::next_boot || resource == resources_.end() || last == each.equals ||
            find(each.address, each.attribute) != nullptr)
          continue;
        const Reading before = last.is_null() ? Reading::absent() : Reading::of(last);
        AttributeChange change;
        change.attribute = each.attribute;
        change.observed = {before, before, std::nullopt};
        change.desired = each.equals;
        change.disruption = Disruption::reboot;
        passing_.push_back({each.address, ChangeKind::update, change, {}, {}});
        add(passing_.back(), *resource->second, false);
      }
    }
  }

  bool is_made(const Attribute& attribute, Layer layer) const {
    const PlannedChange& planned = *attribute.planned;
    // What the kernel shows of something that was removed, the document did not say.
    if (planned.kind == ChangeKind::remove && layer == Layer::running) return true;
    if (attribute.shows(layer, planned.attribute.desired)) return true;
    // Nobody has set it, neither then nor now: a manager has come or gone.
    if (layer == Layer::running && attribute.is_given(*attribute.former(layer)) &&
        attribute.is_given_now())
      return true;
    const auto made = made_.find({planned.address, planned.attribute.attribute, layer});
    return made != made_.end() && std::ranges::any_of(made->second, [&](const Value* value) {
             return attribute.shows(layer, *value);
           });
  }

  // "" = it is as the run left it, in whole or in part.
  std::string why_left(const Undone& undone) const {
    for (const Attribute& each : undone.attributes) {
      if (each.now == nullptr) continue;
      for (const Layer layer : kEveryLayer) {
        const std::optional<Reading>& now = each.now->layer(layer);
        if (each.is_back(layer) || now->is_unknown() || is_made(each, layer)) continue;
        return fmt::format(
            "{} ({}) was changed since the run: it is {}, and the run made it {}",
            each.planned->attribute.attribute,
            to_string(layer),
            now->text(),
            text_of(each.planned->attribute.desired));
      }
    }
    const auto node = inputs_.snapshot.nodes.find(undone.resource->address.node);
    for (const Action* action : undone.actions) {
      if (node == inputs_.snapshot.nodes.end() || !node->second.facts.reachable()) break;
      const std::vector<std::string> changed = changed_files(draft_of(*action), node->second.facts);
      if (!changed.empty()) return changed.front();
    }
    const bool boots = std::ranges::any_of(undone.attributes, [](const Attribute& each) {
      return each.planned->attribute.disruption >= Disruption::reboot;
    });
    if (boots && sequences_.contains(undone.resource->address.node))
      return "the run set the values in a sequence of boots, and `fabric undo` takes no sequence "
             "back: write the former values into the document";
    return {};
  }

  // What is as before for the next boot comes back by it: an undo was cut off before its boot, or a
  // boot of the run alone has brought it, as IPoIB of a port that became one of InfiniBand. For the
  // latter alone nothing is booted, unless the boot may be missing: nothing shows what runs of a
  // setting that the run made, and something else still runs as the run made it.
  void leave_to_boots(Candidates& candidates) const {
    std::set<NodeName> boots, unread;
    for (const auto& [address, undone] : undone_)
      for (const Attribute& each : undone.attributes)
        if (each.planned->attribute.disruption >= Disruption::reboot && !undone.actions.empty() &&
            each.former(Layer::running) == nullptr)
          unread.insert(address.node);
    for (const Candidate& each : candidates) {
      const NodeName& node = each.address().node;
      const auto found = of_boots_.find(each.address());
      const bool is_of_boots = found != of_boots_.end();
      const bool goes = is_of_boots ? !found->second.back().after_boot.empty() : !each.withheld;
      if (goes && each.change.disruption() >= Disruption::reboot) boots.insert(node);
      if (is_of_boots && unread.contains(node) && runs_on(undone_.at(each.address())))
        boots.insert(node);
    }
    for (Candidate& each : candidates) {
      const auto found = of_boots_.find(each.address());
      if (found == of_boots_.end() || !boots.contains(each.address().node)) continue;
      each.withheld.reset();
      each.recorded = found->second;
      for (AttributeChange& attribute : each.change.attributes)
        attribute.disruption = std::max(attribute.disruption, Disruption::reboot);
    }
  }

  static bool runs_on(const Undone& undone) {
    return std::ranges::any_of(undone.attributes, [](const Attribute& each) {
      return !each.is_back(Layer::running) && !each.is_given_now();
    });
  }

  // Work that the boot does in the place of an action, whose files are as before already.
  ActionDraft draft_of_boot(const Action& action) const {
    const ActionDraft done = draft_of(action);
    ActionDraft draft;
    draft.kind = done.kind;
    draft.stage = Stage::activate;
    draft.undo = done.undo;
    draft.may_cut_off = done.may_cut_off;
    draft.disturbs = done.disturbs;
    return draft;
  }

  // What one action has done for several resources, it takes back for all of them or for none.
  void leave_together() {
    for (bool again = true; again;) {
      again = false;
      for (const Action& action : plan_.actions) {
        if (!is_work(action) || action.draft.kind == methods::kConfigurationSave) continue;
        const Undone* left = nullptr;
        for (const ResourceAddress& address : action.covers) {
          const auto found = undone_.find(address);
          if (found != undone_.end() && !found->second.left.empty()) left = &found->second;
        }
        for (const ResourceAddress& address : action.covers) {
          const auto found = undone_.find(address);
          if (left == nullptr || found == undone_.end() || !found->second.left.empty()) continue;
          found->second.left = fmt::format(
              "the run set it together with {}, which stays", left->resource->address.str());
          again = true;
        }
      }
    }
  }

  const Attribute* find(const ResourceAddress& address, const InternedText& name) const {
    const auto undone = undone_.find(address);
    if (undone == undone_.end()) return nullptr;
    for (const Attribute& each : undone->second.attributes) {
      if (each.planned->attribute.attribute == name) return &each;
    }
    return nullptr;
  }

  // A route over several ports is there as long as one of them has it.
  static bool goes_with_others(const Attribute& attribute) {
    const List* routes = attribute.planned->attribute.desired.as_list();
    return routes != nullptr && std::any_of(routes->begin(), routes->end(), [](const Value& each) {
             return each.find("hops") != nullptr;
           });
  }

  // The read-back of an action, turned round. `back`: what of it is as before already.
  std::vector<Condition> former_of(const Action& action, bool& is_back) const {
    std::vector<Condition> former;
    is_back = true;
    bool judged = false;
    for (const Condition& made : action.draft.postconditions) {
      const Attribute* attribute = find(made.address, made.attribute);
      const auto wanted = attribute == nullptr ? std::nullopt : attribute->wanted(made.layer);
      if (!wanted || (made.layer == Layer::running && goes_with_others(*attribute))) continue;
      judged = true;
      is_back = is_back && attribute->is_back(made.layer);
      former.push_back({made.address, made.attribute, made.layer, *wanted});
    }
    if (!judged) is_back = false;
    return former;
  }

  // The way back and the run have no command that the other has not.
  static bool is_of_files(const ActionDraft& draft) {
    return draft.steps.changes_files() && draft.steps.commands() == draft.undo.commands();
  }

  // Files for the next boot, whose way back also makes the former ones run.
  static bool is_for_boot(const ActionDraft& done) {
    return done.steps.changes_files() && done.steps.commands().empty();
  }

  // Before that boot the former files still run. A restart of all interfaces, which several ways
  // back have, would make those run that are not yet taken back.
  void without_restart(ActionDraft& draft, const Action& action) const {
    const bool runs = std::ranges::all_of(action.covers, [this](const ResourceAddress& address) {
      const auto found = undone_.find(address);
      return found == undone_.end() ||
             std::ranges::all_of(found->second.attributes, [](const Attribute& each) {
               return each.is_back(Layer::running);
             });
    });
    const auto found = restores_.find(action.node);
    if (!runs || !is_for_boot(action.draft) || found == restores_.end()) return;
    const std::vector<remote::Argv>& restores = found->second;
    std::vector<remote::Step> kept{draft.steps.begin(), draft.steps.end()};
    std::erase_if(kept, [&restores](const remote::Step& each) {
      const auto* run = std::get_if<remote::step::Run>(&each);
      return run != nullptr && std::ranges::count(restores, run->command.argv) > 1;
    });
    draft.steps = WorkSteps{std::move(kept)};
  }

  // A file of fabric as it is now, with the mode of those that the run wrote beside it.
  std::optional<remote::step::WriteFile> file_now(
      const NodeName& node, const std::string& path) const {
    const auto observed = inputs_.snapshot.nodes.find(node);
    if (observed == inputs_.snapshot.nodes.end()) return std::nullopt;
    const NodeFacts& facts = observed->second.facts;
    for (const auto& [probe, output] : facts.probes) {
      const std::string* text = text_at(probed_files(facts, probe), path);
      if (text == nullptr || !is_owned(*text)) continue;
      const auto mode = modes_.find(path.substr(0, path.rfind('/')));
      return remote::step::WriteFile{
          path, *text, mode == modes_.end() ? 0644 : mode->second, "root:root"};
    }
    return std::nullopt;
  }

  // The way back of a bond takes back the files of its slaves, too, which other actions of the run
  // wrote: without them it could not be rolled back. Those that a run before had written and not
  // made to run, no action wrote: they are there again when all runs as before.
  void with_files_of_others(ActionDraft& draft, const NodeName& node) const {
    WorkSteps whole;
    WorkSteps again;
    const std::vector<std::string> own = paths_of(draft.undo);
    for (const std::string& path : paths_of(draft.steps)) {
      if (std::ranges::find(own, path) != own.end()) continue;
      const auto writer = writers_.find({node, path});
      if (writer == writers_.end()) {
        const auto now = file_now(node, path);
        if (now) whole.write(*now);
        if (now) again.write(*now);
        continue;
      }
      for (const remote::step::WriteFile& write : writer->second->draft.steps.writes())
        if (write.path == path) whole.write(write);
      const std::vector<std::string> removed = writer->second->draft.steps.removes();
      if (std::ranges::find(removed, path) != removed.end()) whole.remove(path);
    }
    draft.undo = whole.append(draft.undo);
    draft.steps.append(again);
  }

  ActionDraft draft_of(const Action& action) const {
    ActionDraft draft = action.draft;
    const bool saves = draft.kind == methods::kConfigurationSave;
    if (!saves) {
      if (draft.way_back.empty()) draft.way_back = "undo: " + draft.title;
      std::swap(draft.title, draft.way_back);
      std::swap(draft.steps, draft.undo);
      with_files_of_others(draft, action.node);
      without_restart(draft, action);
    }
    bool ignored = false;
    draft.postconditions = former_of(action, ignored);
    // What a driver reads of files is, without them, what runs: the boot shows that it is as
    // before.
    if (is_of_files(draft))
      std::erase_if(draft.postconditions, [](const Condition& each) {
        return each.layer == Layer::next_boot;
      });
    draft.preconditions.clear();
    for (const Condition& made : action.draft.postconditions) {
      const Attribute* attribute = find(made.address, made.attribute);
      if (saves || made.layer != Layer::next_boot || attribute == nullptr ||
          attribute->now == nullptr || !attribute->now->next_boot)
        continue;
      draft.preconditions.push_back(made);
      draft.preconditions.back().equals = value_of(*attribute->now->next_boot);
    }
    for (FileCondition& file : draft.file_preconditions) {
      for (const remote::step::WriteFile& write : action.draft.steps.writes())
        if (write.path == file.path)
          file.digest = sha256(std::string_view{write.content}).substr(sizeof("sha256:") - 1);
      const std::vector<std::string> removed = action.draft.steps.removes();
      if (std::ranges::find(removed, file.path) != removed.end()) file.digest.clear();
    }
    draft.may_cut_off = action.guard > Duration{0};
    for (const std::string& path : paths_of(action.draft.undo))
      draft.may_cut_off = draft.may_cut_off || guarded_.contains({action.node, path});
    // Every word may be the name of an interface that a command takes down.
    for (const WorkSteps* steps : {&draft.steps, &draft.undo})
      for (const remote::Argv& argv : steps->commands())
        for (const auto& word : argv)
          if (word.script() == nullptr) draft.disturbs.emplace_back(word.text());
    draft.covers = action.covers;
    return draft;
  }

  // A way back that restarts a network interrupts it, also where the file was written for a boot.
  static void interrupt(ActionDraft& draft, const std::vector<AttributeChange>& attributes) {
    if (draft.steps.commands().empty()) return;
    for (const AttributeChange& each : attributes) {
      if (each.disruption < Disruption::reboot)
        draft.disruption = std::max(draft.disruption, each.disruption);
    }
  }

  static AttributeChange change_of(const Attribute& attribute, ChangeKind kind) {
    const AttributeChange& planned = attribute.planned->attribute;
    AttributeChange change;
    change.attribute = planned.attribute;
    if (attribute.now != nullptr) change.observed = *attribute.now;
    if (attribute.now == nullptr) change.observed.running = Reading::unknown("it was not observed");
    const Reading* running = attribute.former(Layer::running);
    change.activate = running == nullptr ? planned.activate : !attribute.is_back(Layer::running);
    change.write = !attribute.is_back(Layer::next_boot) || !attribute.is_back(Layer::persistent);
    if (change.activate) change.disruption = planned.disruption;
    if (kind != ChangeKind::remove) {
      for (const Layer layer : kEveryLayer) {
        if (change.desired.is_null() && !attribute.is_back(layer))
          change.desired = *attribute.wanted(layer);
      }
    }
    return change;
  }

  Candidate candidate_of(const Undone& undone) {
    const ChangeKind planned = undone.attributes.front().planned->kind;
    Candidate candidate{
        .change = {*undone.resource, inverse(planned), {}}, .withheld = {}, .drafts = {}};
    Change& change = candidate.change;
    change.by_record = true;
    for (const Attribute& each : undone.attributes) {
      if (each.is_back()) continue;
      AttributeChange back = change_of(each, change.kind);
      const auto desired = undone.resource->desired.find(each.planned->attribute.attribute.str());
      back.source = desired == undone.resource->desired.end() ? undone.resource->origin
                                                              : desired->second.source;
      back.reason = "the node had this value before run " + inputs_.undone.run;
      // A boot makes what runs known, as in the plan of a document.
      for (const Layer layer : kEveryLayer) {
        const std::optional<Reading>& now = back.observed.layer(layer);
        const bool is_told_by_boot = layer == Layer::running && back.observed.next_boot;
        if (now && now->is_unknown() && !is_told_by_boot) change.kind = ChangeKind::unknown;
      }
      change.attributes.push_back(std::move(back));
    }
    if (change.kind == ChangeKind::unknown) return candidate;
    if (!undone.left.empty()) {
      candidate.withheld = Withheld{.why = Withheld::Why::left, .detail = undone.left};
      return candidate;
    }
    add_work(undone, candidate);
    return candidate;
  }

  void add_work(const Undone& undone, Candidate& candidate) {
    std::vector<Condition> running;
    for (const Attribute& each : undone.attributes) {
      if (!each.is_back(Layer::running))
        running.push_back(
            {undone.resource->address,
             each.planned->attribute.attribute,
             Layer::running,
             each.after_boot()});
    }
    std::string stays;
    std::set<InternedText> staying, moving;
    std::vector<ActionDraft> by_boot;
    bool works = false;
    for (auto action = undone.actions.rbegin(); action != undone.actions.rend(); ++action) {
      const ActionDraft& done = (*action)->draft;
      bool is_back = false;
      former_of(**action, is_back);
      const bool saves = done.kind == methods::kConfigurationSave;
      if (is_back) {
        // A boot within a sequence ends at what the sequence makes, not at what was before.
        if (!saves && !sequences_.contains(candidate.address().node))
          by_boot.push_back(draft_of_boot(**action));
        continue;
      }
      if (!saves && (!done.irreversible.empty() || (done.undo.empty() && !done.steps.empty()))) {
        stays =
            done.irreversible.empty() ? "the plan of the run has no way back" : done.irreversible;
        for (const Condition& each : done.postconditions) {
          if (each.address != candidate.address()) continue;
          staying.insert(each.attribute);
          warn_of_stay(
              *undone.resource,
              each.attribute,
              each.layer,
              fmt::format("stays as the run made it: nothing undoes `{}`: {}", done.title, stays),
              diagnostics_);
        }
        continue;
      }
      if (saves) {
        candidate.recorded.push_back(save_of(**action, candidate.address()));
        continue;
      }
      works = true;
      for (const Condition& each : done.postconditions)
        moving.insert(each.attribute);
      go_together(**action, candidate);
      if (!taken_.insert((*action)->id).second) continue;
      candidate.recorded.push_back(draft_of(**action));
      name_made_again(candidate.recorded.back());
      interrupt(candidate.recorded.back(), candidate.change.attributes);
    }
    // Nothing is booted for a value that stays.
    const auto is_staying = [&](const auto& each) {
      return staying.contains(each.attribute) && !moving.contains(each.attribute);
    };
    auto& attributes = candidate.change.attributes;
    if (works && !std::ranges::all_of(attributes, is_staying)) {
      std::erase_if(attributes, is_staying);
      std::erase_if(running, is_staying);
    }
    const bool is_of_boots = candidate.recorded.empty() && !by_boot.empty();
    // What only came along with a boot may outlive the next one, as the MTU of a subnet does.
    const bool comes_by_boot = std::ranges::all_of(undone.attributes, [](const Attribute& each) {
      return each.is_back(Layer::running) || each.was_kept();
    });
    if (is_of_boots && comes_by_boot && candidate.change.disruption() >= Disruption::reboot)
      by_boot.back().after_boot = running;
    if (!candidate.recorded.empty()) candidate.recorded.back().after_boot = std::move(running);
    // A run that was cut short may have left nothing but the saving.
    if (!works && (candidate.recorded.empty() || !stays.empty())) {
      const bool is_kept = std::ranges::all_of(undone.attributes, [](const Attribute& each) {
        return each.is_back(Layer::next_boot) && each.is_back(Layer::persistent);
      });
      if (is_kept && stays.empty() && is_of_boots)
        of_boots_.emplace(candidate.address(), std::move(by_boot));
      candidate.recorded.clear();
      candidate.withheld = Withheld{
          .why = Withheld::Why::left,
          .detail =
              stays.empty() ? "no action of the run has a way back to the former value" : stays};
    }
  }

  // The planner joins those of a node.
  ActionDraft save_of(const Action& action, const ResourceAddress& address) const {
    ActionDraft draft = draft_of(action);
    draft.covers = {address};
    std::erase_if(draft.postconditions, [&address](const Condition& each) {
      return each.address != address;
    });
    return draft;
  }

  // What one action does for several resources is done once, and is not done if one of them has to
  // wait: each is a part of the next one, and the last of the first.
  void go_together(const Action& action, Candidate& candidate) const {
    if (action.covers.size() < 2) return;
    const auto own = std::ranges::find(action.covers, candidate.address());
    const auto next = own + 1 == action.covers.end() ? action.covers.begin() : own + 1;
    candidate.change.resource.part_of = *next;
  }

  void name_made_again(const ActionDraft& draft) {
    for (const Condition& each : draft.postconditions) {
      const Attribute* attribute = find(each.address, each.attribute);
      const std::optional<Value> former = attribute->wanted(each.layer, false);
      if (!former || *former == each.equals) continue;
      warn_of_stay(
          *resources_.at(each.address),
          each.attribute,
          each.layer,
          fmt::format(
              "becomes {} and not {} again: its running and its persistent value differed before "
              "the run, and the undo makes both one value",
              text_of(each.equals),
              text_of(*former)),
          diagnostics_);
    }
  }

  const UndoInputs& inputs_;
  const Plan& plan_;
  Diagnostics& diagnostics_;
  std::map<ResourceAddress, const Resource*> resources_;
  std::map<ResourceAddress, Undone> undone_;
  std::map<Key, std::vector<const Value*>> made_;
  std::set<std::pair<ResourceAddress, InternedText>> worked_;  // that actions but boots set
  std::set<NodeName> sequences_;                               // with a sequence of boots
  std::set<std::pair<NodeName, std::string>> guarded_;         // paths that a boot's timer put back
  // Of what runs alone: the work of the boot that ends it.
  std::map<ResourceAddress, std::vector<ActionDraft>> of_boots_;
  std::map<std::pair<NodeName, std::string>, const Action*> writers_;  // by path, the last one
  std::map<NodeName, std::vector<remote::Argv>> restores_;             // of files for the next boot
  std::map<std::string, std::uint32_t> modes_;                         // of files, by folder
  std::set<std::string> taken_;                                        // actions
  std::deque<PlannedChange> passing_;                                  // of sequences of boots
};

}  // namespace

RuleRows undo_rules() {
  return kUndoRules;
}

Undoing undo(const UndoInputs& inputs, Diagnostics& diagnostics) {
  return Inverse{inputs, diagnostics}.run();
}

}  // namespace fabric::plans

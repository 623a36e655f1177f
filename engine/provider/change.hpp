// SPDX-License-Identifier: Apache-2.0
// A change is the difference between the desired and the observed attributes of one resource; work
// is the provider's way to make it. Both are data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/interned_text.hpp"
#include "engine/model/resource.hpp"
#include "engine/provider/observation.hpp"
#include "engine/remote/step.hpp"
#include "engine/remote/work_steps.hpp"

namespace fabric {

// The parts that a change interrupts, in order of severity. From `traffic` on, a user of the node
// notices it: such work goes in waves, with canaries, hooks and health gates. `traffic`: frames are
// lost, marked or routed differently, and no link goes down.
enum class Disruption : std::uint8_t { none, runtime, traffic, link, driver, reboot, power_cycle };
std::string_view to_string(Disruption disruption);  // "power-cycle"

// The change of one attribute, for people; never used to decide.
struct AttributeChange {
  InternedText attribute;
  LayeredReading observed;
  Value desired;  // null for a removal
  Disruption disruption = Disruption::none;
  bool write = false;     // next_boot or persistent must be written
  bool activate = false;  // running differs (or is unknown)
  SourceRange source;
  std::string reason;
};

enum class ChangeKind : std::uint8_t { add, update, remove, unknown };
std::string_view to_string(ChangeKind kind);

struct Change {
  Resource resource;
  ChangeKind kind = ChangeKind::update;
  std::vector<AttributeChange> attributes;  // those that differ, in order of name
  // The work is in the record of the run that is undone, and so are its conditions.
  bool by_record = false;
  Disruption disruption() const;                          // the worst of the attributes
  bool activates(std::string_view attribute = {}) const;  // "" = any of them
};

// A condition that must hold before an action starts, or that its read-back must find.
struct Condition {
  ResourceAddress address;
  InternedText attribute;
  Layer layer = Layer::running;
  // Null = the layer must be absent.
  Value equals;
  friend bool operator==(const Condition&, const Condition&) = default;
};
// Whether the reading is what the condition asks for. What the kind's row takes for nothing
// (ResourceKind::nothing) is as good as absent.
bool holds(const Condition& condition, const Reading& reading, Platform platform);

// A file of the node that an action edits, replaces or removes, as it was when the plan was made: a
// foreign file, or a file at the path of one of fabric's, if no reading shows that. It is compared
// before the first write of the plan, and a foreign file again with each write of it.
struct FileCondition {
  std::string path;
  std::string digest;  // remote/file_digest; "" = nothing is there
  friend bool operator==(const FileCondition&, const FileCondition&) = default;
};

// The activation of several resources of a node at once, as one revision of a switch does it. The
// planner joins the drafts of one node that name the same.
struct SharedActivation {
  std::string name;  // "one revision"; "" = the draft activates for itself
  // The numbers of steps that begin and end `steps`, and `undo`. They are equal in all drafts of
  // the name, and done once.
  std::size_t opening = 0, closing = 0;
  friend bool operator==(const SharedActivation&, const SharedActivation&) = default;
};
// The steps of both drafts in one activation. A step in both runs once, at its first place.
WorkSteps activated_together(
    const WorkSteps& first, const WorkSteps& then, const SharedActivation& activation);

// The time of an action relative to the reboot that the plan may contain for the node.
enum class Stage : std::uint8_t { prepare, activate };

// One action as a provider asks for it; the planner gives it an id, a wave and edges. Executed as:
// preconditions, steps, read-back of postconditions. A hook (provider/disruption_hooks.hpp) has a
// step on the machine that fabric runs on: after the writes, before the removals. With `by_hand` a
// person does the work: after the boot and all prepared work, and fabric only waits until the
// postconditions hold.
struct ActionDraft {
  InternedText kind;  // "network.write": engine/provider/action_methods.hpp
  std::string title;  // "set LINK_TYPE_P1=2 HOST_CHAINING_MODE=1 on cx5 (0000:01:00.0)"
  Stage stage = Stage::prepare;
  Disruption disruption = Disruption::none;
  WorkSteps steps{};
  Duration timeout{60'000};  // of each command, line and copy; with `by_hand`, the wait
  // The time until the running values are as wanted.
  Duration settles{10'000};
  // The work of a person: "connect pve1/cx5/1 to pve2/cx5/2". "" = none.
  std::string by_hand{};
  // Never begun a second time after a lost reply, though nothing seems to have happened: it may
  // still be going on. The read-back waits up to `timeout` while values are unknown.
  bool once = false;
  std::vector<Condition> preconditions;
  std::vector<Condition> postconditions;
  std::vector<FileCondition> file_preconditions{};
  // The node boots right after this action, in the midst of the work, and all boots of the node are
  // one sequence of that name (Action::sequence); "" = it does not.
  std::string boots_in{};
  // Conditions after the next boot, besides those of the change.
  std::vector<Condition> after_boot{};
  // The title of an action that does `undo` by itself; "" = "undo: " and the title.
  std::string way_back{};
  // How to roll it back, in that order, or a reason why it can't be. A rollback timer of the node
  // does it by itself: it holds files, removals and commands.
  WorkSteps undo{};
  std::string irreversible;  // "" = undo is possible
  SharedActivation activation{};
  // Interfaces of the node, by their present names, that it interrupts or configures anew, now or
  // by the boot that activates it.
  std::vector<std::string> disturbs;
  // It may cut off its node: `undo` must restore the former state.
  bool may_cut_off = false;
  // The resources that it does the work of, if these are more than its own resource.
  std::vector<ResourceAddress> covers{};
};

// Adds to the rollback that the file gets the text `former` again; null = there was no file.
void put_back(
    ActionDraft& draft,
    const std::string& path,
    const std::string* former,
    std::uint32_t mode = 0644);
// Adds a step that replaces the file, and the reverse to the rollback.
void replace_file(ActionDraft& draft, remote::step::WriteFile file, const std::string* former);
// Adds a step that removes the file, and the reverse to the rollback.
void remove_file(
    ActionDraft& draft,
    const std::string& path,
    const std::string* former,
    std::uint32_t mode = 0644);

// The actions in order; each needs the one before.
struct Work {
  std::vector<ActionDraft> actions;
};

}  // namespace fabric

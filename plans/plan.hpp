// SPDX-License-Identifier: Apache-2.0
// Plan: what will be done, as data. `apply` executes exactly this graph and never computes another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/interned_text.hpp"
#include "engine/provider/bindings.hpp"
#include "engine/provider/change.hpp"
#include "engine/value/value.hpp"
#include "plans/changes/withheld.hpp"
#include "plans/interruption/paths_lost.hpp"

namespace fabric::plans {

struct InputFile {
  std::string path;    // as given, relative to --chdir
  std::string sha256;  // "sha256:..."
};

struct PlanNode {
  bool reachable = true;
  std::string failure;  // why not
  std::string machine_id;
  std::string host_key;  // fingerprint
  std::string boot_id;   // informational: a reboot by another person makes no plan stale
  std::string facts_digest;
  Platform platform = kUsualPlatform;
  // Known to be down, by `state: offline` or --offline: fabric does not contact it.
  bool offline = false;
  // Outside of --limit and not reached: no work is planned there, and it counts as down.
  bool outside = false;
  // The machine that this plan was made on.
  bool own = false;
  NodeWithheld withheld{};
};

// A place in a document, as text in the plan file: the document may be gone when the plan is read.
struct SourceLine {
  InternedText file;
  std::uint32_t line = 0, column = 0;
};

struct PlannedChange {
  ResourceAddress address;
  ChangeKind kind = ChangeKind::update;
  AttributeChange attribute{};
  SourceLine source{};
  // Why this plan leaves the difference as it is; nullopt = some action covers it.
  std::optional<Withheld> withheld{};
};

// Deadlines of a reboot; a boot is proved by its boot_id.
struct RebootDeadlines {
  Duration down{120'000};  // until the old boot no longer answers or the boot_id has changed
  Duration up{900'000};    // until a new boot_id answers
  Duration stable{3'000};  // the new boot_id must still be there after this
};

struct Action {
  std::string id{};  // "a0007"
  NodeName node;
  std::uint32_t wave = 0;            // 0: touches no traffic; waves start at 1
  std::vector<std::string> needs{};  // the actions that must have succeeded before
  std::vector<std::string> after{};  // the actions that must have ended before, in any way
  std::vector<std::string> mutex{};  // at most one holder at a time
  // For an after_disruption hook: the id of the action that began the disruption. Once that action
  // has run, the hook runs in every case, also if other actions fail or the run is stopped. "" =
  // none.
  std::string closes{};
  ActionDraft draft{};       // draft.kind "reboot" is the planner's own
  RebootDeadlines reboot{};  // of kind "reboot"
  // A dead-man timer on the node holds the action: it performs draft.undo this long after it was
  // armed (for kind "reboot": after the boot) unless a new session confirms. 0 = the action can't
  // cut the node off.
  Duration guard{0};
  // For kind "reboot": the named multi-boot sequence it belongs to. "" = the one reboot of the
  // node.
  std::string sequence{};
  std::vector<ResourceAddress> covers{};
};

struct Wave {
  std::uint32_t number = 1;
  std::vector<NodeName> nodes;
  std::string
      why;  // why the wave has these nodes and not more: "ring storage: neighbours never together"
};

// The ports whose membership of a partition begins, ends, or becomes full or limited.
struct MembersMoved {
  std::string partition;
  std::vector<NodeName> nodes;
};

struct Impact {
  std::uint32_t reboots = 0, link_flaps = 0, sm_moves = 0;
  std::vector<std::string> irreversible;  // titles
  // Hosts that lose traffic by work on their switches.
  std::vector<std::string> behind_switches{};
  std::vector<PathsLostInWave> paths_lost{};  // in order of wave, network; no entry without a loss
  Single single{};
  // Hosts are cut off from each other, and the document wants a person to agree to that.
  bool asks_for_paths = false;
  std::vector<MembersMoved> members_cut{}, members_joined{};  // in order of partition
  std::vector<std::string> tables_rewritten{};                // networks whose routing changes
  std::vector<std::string> without_manager{};                 // networks whose last manager goes
  std::vector<std::string> addresses_at_boot{};  // nodes whose addresses change at their boot
  // True if no traffic is affected by the partitions and the routing that managers change.
  bool leaves_subnets_alone() const {
    return members_cut.empty() && members_joined.empty() && tables_rewritten.empty() &&
           without_manager.empty();
  }
};

// Permissions that `apply` needs for a plan, each with its nodes. To make a plan needs no
// permission.
struct Permission {
  std::vector<std::string> nodes{};
  // The nodes for which the document grants the permission (rollout.allow_...). The author of a
  // document could grant every permission by it, so the grant counts only in a signed plan or after
  // a person's yes.
  std::vector<std::string> granted{};
};

struct Permissions {
  // The SSH session of fabric to the node comes in by an interface that the plan touches.
  Permission management_path{};
  // An action may cut off the nodes, and no timer on them would roll it back.
  Permission no_rollback{};
};

// Numbers of resources; each resource counts in one field.
struct Summary {
  std::uint32_t add = 0, change = 0, remove = 0;  // the plan does it
  std::uint32_t unknown = 0;
  std::uint32_t withheld = 0;  // differs, and this plan leaves it (see PlannedChange::withheld)
};

// A finding about the document or the nodes, with its place as text.
struct PlanDiagnostic {
  Severity severity = Severity::warning;
  std::string rule, message, help;
  SourceLine source;
  Subject subject{};
};

struct Plan {
  std::string fabric;
  // The plan sets only the values for the next boot of each node: it boots no node and activates
  // nothing, and its changes are not in force when it is done.
  bool stage = false;
  // Another round follows. The text says what this plan does so that the rest can be planned:
  // "mstflint on pve[1-3]", "the boot of n1". "" = there is no further round.
  std::string next_round{};
  // The id of the run that the plan undoes; "" = the plan does what the document says.
  std::string undoes{};
  // The order of the resources is turned round: a resource is changed after those that need it.
  bool backwards = false;
  std::vector<InputFile> inputs;
  std::vector<NodeName> limit;  // the plan changes no other nodes; empty = it may change all
  std::map<NodeName, PlanNode> nodes;
  std::vector<PlannedChange> changes;  // in order of address, attribute
  // Resources that the document no longer has and that the actions remove (engine/provider/orphan).
  std::vector<Resource> orphans;
  // Facts beyond the document that the bindings of its resources were given.
  Bindings bindings{};
  std::vector<Action> actions;  // in an order that its edges allow
  std::vector<Wave> waves;
  Impact impact;
  Permissions permissions{};
  Summary summary;
  std::vector<PlanDiagnostic> diagnostics;
  std::string digest;  // of everything above

  // Nothing to do and nothing unknown.
  bool empty() const { return changes.empty() && actions.empty(); }
  // True if every node that was to be asked was reached. Nodes that are offline are not asked, and
  // nodes outside of --limit matter where a change is withheld.
  bool reached_all() const;
  // And every attribute is known.
  bool complete() const;
  // Nodes whose changes are left in part for another plan (PlanNode::withheld).
  std::vector<NodeName> withheld_nodes() const;
  const Action* find_action(std::string_view id) const;
};

// The scripts that the plan's steps run, each once: text by name.
std::map<std::string_view, std::string_view> scripts_of(const Plan& plan);

// A node that boots, or whose driver is loaded anew, forwards nothing during that. While one of its
// links is interrupted, its card still forwards.
AwayByWave away_by_wave(const std::vector<Action>& actions);

}  // namespace fabric::plans

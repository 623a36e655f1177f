// SPDX-License-Identifier: Apache-2.0
#include "plans/refusal.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/model/node_set_text.hpp"
#include "engine/model/switch_configuration.hpp"
#include "engine/platform/capabilities.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/support.hpp"

namespace fabric::plans {

namespace {

void refuse(
    const Resource& resource,
    SourceRange range,
    std::string_view written,
    Diagnostics& diagnostics) {
  diagnostics
      .error(
          "key-not-on-platform",
          range,
          fmt::format(
              "{} is {}, where fabric does not support {}",
              resource.address.node.str(),
              traits(resource.platform).called,
              written))
      .about(resource.address.node)
      .with_help("remove it, or set the node to `state: observe`; nothing is applied in part");
}

using platform::Capability;

constexpr RuleInfo kRefusalRules[] = {
    {"no-rollback-timer",
     Severity::warning,
     RuleStage::plan,
     "The change may cut off the node, and its platform has no timer that would roll the change "
     "back: `apply` needs a permission for it.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Have a console at hand and give `apply --allow-no-rollback NODESET`, or write "
     "`rollout.allow_no_rollback` and sign the plan or answer yes."},
    {"capability-missing",
     Severity::error,
     RuleStage::plan,
     "The work needs something that the platform of its node does not have: files, or a rollback "
     "timer that holds late commands back.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Remove the key that asks for it, or set the nodes to `state: observe`."},
    {"no-node-lock",
     Severity::warning,
     RuleStage::plan,
     "The platform of these nodes can't hold a lock, or does not refuse commands that come without "
     "it, so two runs at the same time would mix their changes there.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Make sure that no other `fabric apply` runs on these nodes."},
    {"save-withheld",
     Severity::error,
     RuleStage::plan,
     "A switch saves everything that runs or nothing. It runs lines that the document does not "
     "have and that are not saved: a save by fabric would make them permanent.",
     "E-onyx-configuration; "
     "docs/decisions/053-a-switch-with-a-prompt-is-read-by-its-configuration.md",
     "Save the lines at the switch or remove them there, then plan again."},
};

class Refusing {
 public:
  Refusing(const CapabilityInputs& inputs, Diagnostics& diagnostics)
      : inputs_{inputs}, diagnostics_{diagnostics} {}

  void look(Candidate& candidate) {
    const NodeName& node = candidate.address().node;
    const platform::HostPlatform& host =
        inputs_.registry.host(inputs_.snapshot.nodes.at(node).facts.platform);
    bool may_cut_off = false;
    for (auto* drafts : {&candidate.drafts, &candidate.done_by_boot}) {
      for (ActionDraft& draft : *drafts) {
        if (draft.steps.changes_files() && !has(host, Capability::files))
          refuse_files(candidate, host);
        if (!draft.may_cut_off) continue;
        if (has(host, Capability::rollback_timer)) {
          refuse_ungated(candidate, draft, host);
          continue;
        }
        may_cut_off = true;
        draft.may_cut_off = false;  // by which a timer would be armed
      }
    }
    if (may_cut_off) no_rollback(candidate, host);
    hold_save_back(candidate);
    const bool keeps_apart = has(host, Capability::node_lock) && has(host, Capability::fencing);
    if (!candidate.drafts.empty() && !keeps_apart) unlocked_[host.id()].insert(node);
  }

  std::vector<std::string> not_rolled_back() const {
    std::vector<std::string> nodes;
    for (const NodeName& node : not_rolled_back_)
      nodes.push_back(node.str());
    return nodes;
  }

  void tell_unlocked() {
    for (const auto& [platform, nodes] : unlocked_) {
      diagnostics_.warning(
          "no-node-lock",
          {},
          fmt::format(
              "{}: platform {} has no {}, so two runs could mix their changes; fabric reads the "
              "node again before each action",
              fold(std::vector<NodeName>{nodes.begin(), nodes.end()}),
              to_string(platform),
              has(inputs_.registry.host(platform), Capability::node_lock) ? "fencing" : "lock"));
    }
  }

 private:
  void refuse_files(const Candidate& candidate, const platform::HostPlatform& host) {
    const About about{diagnostics_, candidate.address().node};
    diagnostics_.error(
        "capability-missing",
        candidate.change.resource.origin,
        fmt::format(
            "{} would write files, and platform {} has none",
            candidate.address().str(),
            to_string(host.id())));
  }

  void hold_save_back(const Candidate& candidate) {
    namespace keys = switch_configuration;
    const bool saves = std::ranges::any_of(candidate.drafts, [](const ActionDraft& draft) {
      return draft.kind == methods::kConfigurationSave;
    });
    const NodeName& node = candidate.address().node;
    if (!saves || !held_.insert(node).second) return;
    const Observation* found =
        inputs_.snapshot.find({node, std::string{keys::kKind}, std::string{keys::kName}});
    if (found == nullptr) return;
    const std::optional<Reading>& foreign =
        found->attributes.at(std::string{keys::kForeign}).running;
    const List* lines =
        foreign && foreign->value() != nullptr ? foreign->value()->as_list() : nullptr;
    if (lines == nullptr || lines->empty()) return;
    const About about{diagnostics_, node};
    diagnostics_
        .error(
            "save-withheld",
            candidate.change.resource.origin,
            fmt::format(
                "saving {} would keep {} that another login has typed there and not saved, for "
                "example `{}`",
                node.str(),
                lines->size() == 1 ? "a line" : fmt::format("{} lines", lines->size()),
                to_text(lines->front())))
        .with_help(fmt::format(
            "type `configuration write` at {} to keep all of it, or remove lines that are not to "
            "stay there; then plan again",
            node.str()));
  }

  // A command that the timer can't hold back might arrive after the timer has rolled the change
  // back.
  void refuse_ungated(
      const Candidate& candidate, const ActionDraft& draft, const platform::HostPlatform& host) {
    const platform::RollbackTimer& timer = *host.rollback_timer();
    for (const remote::Step& step : draft.steps) {
      if (timer.holds_back(step)) continue;
      diagnostics_.error(
          "capability-missing",
          candidate.change.resource.origin,
          fmt::format(
              "{} may cut off {}, and the rollback timer of platform {} can't hold back {}, which "
              "might arrive after the rollback",
              candidate.address().str(),
              candidate.address().node.str(),
              to_string(host.id()),
              remote::kind_of(step)));
      return;
    }
  }

  void no_rollback(const Candidate& candidate, const platform::HostPlatform& host) {
    const NodeName& node = candidate.address().node;
    const About about{diagnostics_, node};
    not_rolled_back_.insert(node);
    diagnostics_
        .warning(
            "no-rollback-timer",
            candidate.change.resource.origin,
            fmt::format(
                "{} may cut off {}, and platform {} has no timer that would roll the change back",
                candidate.address().str(),
                node.str(),
                to_string(host.id())))
        .with_help("give `apply` --allow-no-rollback, and have a console of the node at hand");
  }

  const CapabilityInputs& inputs_;
  Diagnostics& diagnostics_;
  std::map<Platform, std::set<NodeName>> unlocked_;
  std::set<NodeName> not_rolled_back_;
  std::set<NodeName> held_;  // switches whose unsaved lines were looked at
};

}  // namespace

void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics) {
  std::set<std::pair<NodeName, SourceRange>> said;
  for (const Resource& resource : resources) {
    if (resource.check_only || only_observed(resource)) continue;
    const auto refuse_once = [&](SourceRange range, std::string_view written) {
      if (said.emplace(resource.address.node, range).second)
        refuse(resource, range, written, diagnostics);
    };
    for (const Feature* feature : missing_features(resource, registry))
      refuse_once(feature->range, feature->written);
    if (resource.features.empty() && registry.find(resource) == nullptr)
      refuse_once(resource.origin, resource.address.kind.str());
  }
}

RuleRows capability_rules() {
  return kRefusalRules;
}

std::vector<std::string> refuse_incapable(
    Candidates& candidates, const CapabilityInputs& inputs, Diagnostics& diagnostics) {
  Refusing refusing{inputs, diagnostics};
  for (Candidate& candidate : candidates) {
    if (candidate.planned()) refusing.look(candidate);
  }
  refusing.tell_unlocked();
  return refusing.not_rolled_back();
}

}  // namespace fabric::plans

#include "plans/refusal.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/model/expand/refused.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/platform/capabilities.hpp"
#include "engine/platform/support.hpp"

namespace fabric::plans {

namespace {

using Place = std::pair<SourceRange, std::string>;

void refuse_once(
    const SourceRange& range,
    const std::string& written,
    std::set<Place>& said,
    Diagnostics& diagnostics) {
  if (said.emplace(range, written).second) refuse(range, written, diagnostics);
}

using platform::Capability;

constexpr RuleInfo kRules[] = {
    {"no-rollback-timer",
     Severity::error,
     RuleStage::plan,
     "The change may cut off the node, and its platform has no timer that would roll it back.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Have a console at hand and give `--allow-no-rollback NODESET`."},
    {"capability-missing",
     Severity::error,
     RuleStage::plan,
     "The work needs something that the platform of its node can't do: files, or a rollback timer "
     "that holds back what comes too late.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Remove what asks for it, or set the nodes to `state: observe`."},
    {"no-node-lock",
     Severity::warning,
     RuleStage::plan,
     "The platform of these nodes can't hold a lock, or does not refuse what comes without it: two "
     "runs would not be kept apart there.",
     "E-platform-lacks: not every machine has a rollback timer, a lock or files",
     "Make sure that nobody else runs `fabric apply` on these nodes."},
};

bool changes_files(const ActionDraft& draft) {
  return !draft.writes.empty() || !draft.copies.empty() || !draft.removes.empty();
}

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
        if (changes_files(draft) && !has(host, Capability::files)) refuse_files(candidate, host);
        if (!draft.may_cut_off) continue;
        if (has(host, Capability::rollback_timer)) {
          refuse_ungated(candidate, draft, host);
          continue;
        }
        may_cut_off = true;
        // Whatever is armed is armed by this.
        if (inputs_.allow_no_rollback.contains(node)) draft.may_cut_off = false;
      }
    }
    if (may_cut_off) no_rollback(candidate, host);
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
              "{}: platform {} has no {}, so nothing there keeps two runs apart; each action "
              "reads the node again before it begins",
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

  // What the timer can't hold back might arrive after it has rolled the change back.
  void refuse_ungated(
      const Candidate& candidate, const ActionDraft& draft, const platform::HostPlatform& host) {
    const platform::RollbackTimer& timer = *host.rollback_timer();
    std::vector<remote::Step> steps{draft.writes.begin(), draft.writes.end()};
    steps.insert(steps.end(), draft.copies.begin(), draft.copies.end());
    for (const std::string& path : draft.removes)
      steps.emplace_back(remote::step::RemoveFile{path});
    for (remote::Step& step : host.command_steps(draft.commands, draft.timeout))
      steps.push_back(std::move(step));
    for (const remote::Step& step : steps) {
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
    const bool is_allowed = inputs_.allow_no_rollback.contains(node);
    std::string message = fmt::format(
        "{} may cut off {}, and platform {} has no timer that would roll it back",
        candidate.address().str(),
        node.str(),
        to_string(host.id()));
    const SourceRange& origin = candidate.change.resource.origin;
    if (is_allowed) {
      not_rolled_back_.insert(node);
      diagnostics_.warning("no-rollback-timer", origin, std::move(message))
          .with_help("have a way to the node at hand that is not the network");
    } else {
      diagnostics_.error("no-rollback-timer", origin, std::move(message))
          .with_help(fmt::format(
              "`--allow-no-rollback {}` allows it; have a way to the node at hand that is not the "
              "network",
              node.str()));
    }
  }

  const CapabilityInputs& inputs_;
  Diagnostics& diagnostics_;
  std::map<Platform, std::set<NodeName>> unlocked_;
  std::set<NodeName> not_rolled_back_;
};

}  // namespace

void refuse_missing(
    const std::vector<Resource>& resources, const Registry& registry, Diagnostics& diagnostics) {
  std::set<Place> said;
  for (const Resource& resource : resources) {
    if (resource.check_only || only_observed(resource)) continue;
    for (const Feature* feature : missing_features(resource, registry))
      refuse_once(feature->range, feature->written, said, diagnostics);
    if (resource.features.empty() && registry.find(resource) == nullptr)
      refuse_once(resource.origin, resource.address.kind, said, diagnostics);
  }
}

RuleRows capability_rules() {
  return kRules;
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

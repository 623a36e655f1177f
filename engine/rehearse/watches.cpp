// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/watches.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/topology/shared_bonds.hpp"
#include "engine/remote/file_digest.hpp"
#include "engine/value/digest.hpp"

namespace fabric::rehearse {

namespace {

// The mark before a line that was commented out; "" = it was not.
std::string_view mark_of(std::string_view line) {
  if (!line.starts_with(remote::kAdoptedMark)) return {};
  const std::size_t end = line.find("# ", remote::kAdoptedMark.size());
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end + 2);
}

// Lines with their line ends, so that no byte is lost.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// A line that was commented out, without its mark and its line end.
std::string_view bare_of(std::string_view line) {
  std::string_view bare = line.substr(mark_of(line).size());
  if (bare.ends_with('\n')) bare.remove_suffix(1);
  return bare;
}

std::string without_marks(std::string_view text) {
  std::string bare;
  for (const std::string_view line : whole_lines(text))
    bare += line.substr(mark_of(line).size());
  return bare;
}

std::string digest_of(const std::string& text) {
  return sha256(std::string_view{text}).substr(std::string_view{"sha256:"}.size());
}

}  // namespace

void ForeignWatch::left(const NodeName& node, const std::string& path) {
  Left left;
  if (const auto known = left_.find({node, path}); known != left_.end())
    left.before = known->second.text ? known->second.text : known->second.before;
  if (const std::optional<std::string> text = lab_.read_file(node, path)) {
    left.text = without_marks(*text);
    for (const std::string_view line : whole_lines(*text))
      if (!mark_of(line).empty()) left.out.emplace(bare_of(line));
  }
  left_.insert_or_assign({node, path}, std::move(left));
}

void ForeignWatch::shown(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    const SimulatedPlatform* simulated = simulated_.find(plan.nodes.at(action.node).platform);
    if (simulated == nullptr) continue;
    for (const remote::Argv& argv : action.draft.steps.commands()) {
      const std::optional<ShownEdit> edit = simulated->shown_edit(action.draft.kind, argv);
      if (!edit) continue;
      Shown& shown = shown_[{{action.node, edit->path}, edit->digest}];
      shown.lines.insert(edit->lines.begin(), edit->lines.end());
      shown.kept_as.insert(edit->kept_as.begin(), edit->kept_as.end());
    }
  }
}

bool ForeignWatch::is_kept(const File& file, const std::string& was, const Shown& shown) const {
  return std::ranges::any_of(shown.kept_as, [&](const std::string& path) {
    return lab_.read_file(file.first, path) == was;
  });
}

std::string ForeignWatch::judge(const File& file, const Left& left) const {
  const std::optional<std::string> now = lab_.read_file(file.first, file.second);
  const std::optional<std::string>& was = left.text ? left.text : left.before;
  if (!was) return now ? "came back" : "";
  const auto found = shown_.find({file, digest_of(*was)});
  static const Shown nothing;
  const Shown& shown = found == shown_.end() ? nothing : found->second;
  if (!left.text) {
    // A person removed a file that an action was removing too: its rollback can't know which of
    // them did.
    const bool is_rolled_back = now == was && !shown.kept_as.empty();
    return !now || is_rolled_back ? "" : "came back";
  }
  if (!now)
    return is_kept(file, *was, shown) ? "" : "is gone, and no plan has shown that and kept it";
  if (without_marks(*now) != *was) return "was changed, and no plan has shown that";
  for (const std::string_view line : whole_lines(*now)) {
    const std::string_view bare = bare_of(line);
    if (mark_of(line).empty() || left.out.contains(bare)) continue;
    if (!shown.lines.contains(std::string{bare}))
      return fmt::format("has lost a line that no plan has shown: {}", bare);
  }
  return {};
}

void ForeignWatch::look() const {
  for (const auto& [file, left] : left_) {
    const std::string what = judge(file, left);
    if (what.empty()) continue;
    violations_.push_back(fmt::format(
        "{}: {} belongs to another program, and {}", file.first.str(), file.second, what));
  }
}

namespace {

// The greatest error of a clock of the lab, and of rounding to whole seconds.
constexpr int kDriftPart = 10;
constexpr Duration kWholeSeconds{3'000};

}  // namespace

TimePoint LeaseWatch::at_least(const Seen& seen) {
  return seen.from + seen.lock.length - seen.lock.length / kDriftPart - kWholeSeconds;
}

TimePoint LeaseWatch::at_most(const NodeName& node, const Seen& seen) const {
  const auto host = reality_.hosts.find(node.str());
  const Duration paused =
      host == reality_.hosts.end() ? Duration{0} : host->second.clocks.paused_for;
  return seen.from + seen.lock.length + seen.lock.length / kDriftPart + kWholeSeconds + paused;
}

void LeaseWatch::look(
    const NodeName& node, const SimulatedPlatform& simulated, TimePoint at, const std::string& by) {
  std::optional<SimulatedLock> lock = simulated.lock(lab_, node);
  const auto before = seen_.find(node);
  const bool was_locked = before != seen_.end();
  if (lock ? was_locked && before->second.lock.text == lock->text : !was_locked) return;
  const std::string run = lock ? lock->run : "";
  if (was_locked && before->second.lock.run != run && before->second.lock.run != by &&
      !ended_.contains(before->second.lock.run) && at < at_least(before->second)) {
    violations_.push_back(fmt::format(
        "{}: the lock of {} goes to {} while its lease is in force",
        node.str(),
        before->second.lock.run,
        by));
  }
  if (lock) {
    seen_.insert_or_assign(node, Seen{*std::move(lock), at});
  } else {
    seen_.erase(before);
  }
}

void LeaseWatch::changed(
    const NodeName& node, TimePoint at, const std::string& run, const remote::Step& step) {
  const auto simulated = fenced_.find(node);
  if (simulated == fenced_.end()) return;
  look(node, *simulated->second, at, run);
  if (!remote::may_change(step))
    violations_.push_back(node.str() + ": a step that may only read has changed something");
  if (simulated->second->is_about_lock(step)) return;
  const auto lease = seen_.find(node);
  if (lease == seen_.end() || lease->second.lock.run != run) {
    violations_.push_back(fmt::format(
        "{}: {} changes it by {} without its lock", node.str(), run, remote::kind_of(step)));
  } else if (at > at_most(node, lease->second)) {
    violations_.push_back(fmt::format(
        "{}: {} changes it by {} after its lease", node.str(), run, remote::kind_of(step)));
  }
}

void LeaseWatch::refused(
    const NodeName& node, TimePoint sent, TimePoint at, const std::string& run) {
  const auto simulated = fenced_.find(node);
  const auto lease = seen_.find(node);
  if (simulated == fenced_.end() || lease == seen_.end()) return;
  const std::optional<SimulatedLock> lock = simulated->second->lock(lab_, node);
  const bool is_theirs = lock && lock->run == run && lock->text == lease->second.lock.text;
  const bool in_force = sent >= lease->second.from && at < at_least(lease->second);
  if (is_theirs && in_force) {
    violations_.push_back(
        fmt::format("{}: refuses {} while its lease is in force", node.str(), run));
  }
}

void LeaseWatch::booted(const NodeName& node, TimePoint at) {
  if (const auto lease = seen_.find(node); lease != seen_.end()) lease->second.from = at;
}

namespace {

bool is_of_switch(const PortRef& port) {
  return port.adapter.empty();
}

// The cables of a network, and of those that join switches alone for others.
std::vector<const CableSpec*> cables_of(const FabricSpec& spec, const std::string& network) {
  std::vector<const CableSpec*> cables;
  for (const auto& [name, each] : spec.networks) {
    if (each.mode.value == Mode::infiniband) continue;
    const bool joins_switches = std::ranges::all_of(each.cables, [](const CableSpec& cable) {
      return is_of_switch(cable.a.value) && is_of_switch(cable.b.value);
    });
    if (name != network && !joins_switches) continue;
    for (const CableSpec& cable : each.cables)
      cables.push_back(&cable);
  }
  return cables;
}

}  // namespace

MtuWatch::MtuWatch(
    const lab::Lab& lab, const FabricSpec& spec, std::vector<std::string>& violations)
    : lab_{lab}, spec_{spec}, pairs_{paired_switches(spec)}, violations_{violations} {
  for (const auto& [name, network] : spec.networks) {
    const bool infiniband = network.mode.value == Mode::infiniband;
    for (const PortRef& port : network.member_ports()) {
      if (is_of_switch(port)) continue;
      if (infiniband && network.ipoib && network.ipoib->mtu.value != 0) ipoib_.push_back(port);
      if (infiniband) continue;
      for (const PortRef& carrier : carriers_of(name, port))
        ethernet_.emplace_back(port, carrier);
    }
  }
  known_ = excesses();
}

std::set<PortRef> MtuWatch::carriers_of(const std::string& network, const PortRef& port) const {
  const std::vector<const CableSpec*> cables = cables_of(spec_, network);
  std::set<PortRef> found;
  std::set<NodeName> switches, left;
  const auto reach = [&](const NodeName& node) {
    if (switches.insert(node).second) left.insert(node);
  };
  for (const CableSpec* cable : cables) {
    if (cable->a.value == port && is_of_switch(cable->b.value)) reach(cable->b.value.node);
    if (cable->b.value == port && is_of_switch(cable->a.value)) reach(cable->a.value.node);
  }
  while (!left.empty()) {
    const NodeName node = *left.begin();
    left.erase(left.begin());
    for (const auto& [one, other] : pairs_) {
      if (one == node) reach(other);
      if (other == node) reach(one);
    }
    for (const CableSpec* cable : cables) {
      for (const auto& [mine, other] :
           {std::pair{&cable->a.value, &cable->b.value},
            std::pair{&cable->b.value, &cable->a.value}}) {
        if (mine->node != node || !is_of_switch(*mine)) continue;
        found.insert(*mine);
        if (is_of_switch(*other)) reach(other->node);
      }
    }
  }
  return found;
}

std::set<MtuWatch::Pair> MtuWatch::excesses() const {
  std::set<Pair> found;
  for (const Pair& pair : ethernet_) {
    const auto sends = lab_.mtu(pair.first);
    const auto carries = lab_.mtu(pair.second);
    if (sends && carries && *sends > *carries) found.insert(pair);
  }
  for (const PortRef& port : ipoib_) {
    const auto sends = lab_.mtu(port);
    const auto carries = lab_.group_mtu(port);
    if (sends && carries && *sends > *carries) found.emplace(port, port);
  }
  return found;
}

std::string MtuWatch::text(const Pair& pair) const {
  const bool group = pair.first == pair.second;
  return fmt::format(
      "{} sends up to {} bytes, and {} carries {}",
      pair.first.str(),
      lab_.mtu(pair.first).value_or(0),
      group ? "its group" : pair.second.str(),
      (group ? lab_.group_mtu(pair.first) : lab_.mtu(pair.second)).value_or(0));
}

void MtuWatch::look(const std::string& when) {
  for (const Pair& pair : excesses()) {
    if (!known_.insert(pair).second) continue;
    violations_.push_back(fmt::format("{}: {}", when, text(pair)));
  }
}

}  // namespace fabric::rehearse

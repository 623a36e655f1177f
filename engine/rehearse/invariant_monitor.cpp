#include "engine/rehearse/invariant_monitor.hpp"

#include <fmt/format.h>

#include "engine/model/expand/expand.hpp"
#include "engine/platform/linux/linux_platform.hpp"
#include "engine/platform/linux/node_lock.hpp"

namespace fabric::rehearse {

namespace {

bool is_reboot(const remote::Step& step) {
  if (const auto* run = std::get_if<remote::step::Run>(&step))
    return run->command.argv == platform::linux_platform().boot_proof()->reboot_command();
  const auto* here = std::get_if<remote::step::RunHere>(&step);
  return here != nullptr && here->command.argv.size() > 1 && here->command.argv[1] == "reboot";
}

// What the planner goes by is not asked: a mistake there must be seen here.
std::set<std::pair<NodeName, NodeName>> anti_affinity(const FabricSpec& spec) {
  std::set<std::pair<NodeName, NodeName>> pairs;
  const auto join = [&pairs](const NodeName& a, const NodeName& b) {
    if (a == b) return;
    pairs.emplace(a, b);
    pairs.emplace(b, a);
  };
  for (const Ring& ring : rings(spec)) {
    for (std::size_t i = 1; i < ring.nodes.size(); ++i)
      join(ring.nodes[i - 1], ring.nodes[i]);
    if (ring.nodes.size() > 2) join(ring.nodes.back(), ring.nodes.front());
  }
  for (const ManagerGroup& group : manager_groups(spec)) {
    for (const NodeName& node : group.nodes) {
      for (const NodeName& other : group.nodes)
        join(node, other);
    }
  }
  return pairs;
}

}  // namespace

InvariantMonitor::InvariantMonitor(
    lab::Lab& lab,
    lab::Runner& runner,
    const FabricSpec& spec,
    std::vector<std::string>& violations)
    : lab_{lab},
      runner_{runner},
      apart_{anti_affinity(spec)},
      max_unavailable_{spec.rollout.max_unavailable.value},
      domains_{spec},
      violations_{violations} {
  for (const auto& [name, node] : spec.nodes) {
    const HooksSpec& hooks = node.hooks->empty() ? spec.hooks : *node.hooks;
    if (!hooks.before_disruption.value.empty()) hooked_.insert(name);
  }
}

void InvariantMonitor::begin_plan(const std::string& run) {
  reboots_.clear();
  run_ = run;
}

void InvariantMonitor::watch_change(const NodeName& node, const std::string& what) {
  if (journal_ != nullptr && !journal_->is_durable()) {
    violations_.push_back(
        fmt::format("{}: {} before the journal is on the disk", node.str(), what));
  }
  const std::optional<std::string> lock = lab_.read_file(node, platform::kLockFile);
  if (lock && lock->starts_with("run " + run_ + "\n")) return;
  violations_.push_back(fmt::format("{}: {} without its lock", node.str(), what));
}

// Judged when the command goes out: what is down then because of us is what we answer for. Power
// that fails by itself is faults.
void InvariantMonitor::watch_reboot(const NodeName& node) {
  note_power();
  for (const NodeName& other : sent_down_) {
    if (apart_.contains({node, other})) {
      violations_.push_back(fmt::format(
          "{} is rebooted while {} is down, a neighbour or another manager",
          node.str(),
          other.str()));
    }
  }
  sent_down_.insert(node);
  const std::size_t down = domains_.count(sent_down_, node);
  if (down > max_unavailable_) {
    violations_.push_back(
        fmt::format("{} nodes are down because of us, {} may be", down, max_unavailable_));
  }
}

// The hooks of the document are not run: Slurm's own command stands in for them.
void InvariantMonitor::stand_in(remote::StepRequest& request) {
  auto* here = std::get_if<remote::step::RunHere>(&request.step);
  if (here == nullptr || !here->environment.contains("FABRIC_HOOK")) return;
  const bool before = here->environment.at("FABRIC_HOOK") == "before";
  const NodeName& node = request.node;
  if (before) {
    owed_.insert(node);
    draining_.emplace(request.ticket, node);
  } else {
    owed_.erase(node);
    owed_by_dead_.erase(node);
    drained_.erase(node);
  }
  const bool fails = failing_hook_ > 0 && --failing_hook_ == 0;
  here->command.argv = {
      "scontrol",
      "update",
      fmt::format("NodeName={}", fails ? "nobody" : node.str()),
      before ? "State=DRAIN" : "State=RESUME"};
}

void InvariantMonitor::watch_disruption(const NodeName& node) {
  if (!hooked_.contains(node) || drained_.contains(node)) return;
  violations_.push_back(fmt::format("{} is disrupted while it is not drained", node.str()));
}

void InvariantMonitor::kill_plan() {
  owed_by_dead_.insert(owed_.begin(), owed_.end());
  owed_.clear();
  drained_.clear();
  draining_.clear();
  runner_.forget();
}

void InvariantMonitor::end_all() {
  for (const NodeName& node : owed_by_dead_)
    violations_.push_back(fmt::format("{} is left drained by a run that was killed", node.str()));
  for (const NodeName& node : lab_.nodes()) {
    if (lab_.accepts_connections(node) && lab_.read_file(node, platform::kLockFile))
      violations_.push_back(node.str() + " is left locked by a run that is over");
  }
}

void InvariantMonitor::end_plan() {
  for (const NodeName& node : owed_)
    violations_.push_back(fmt::format("{} is left drained by a run that is over", node.str()));
  owed_.clear();
  drained_.clear();
}

void InvariantMonitor::start(remote::StepRequest request) {
  stand_in(request);
  const bool reboot = is_reboot(request.step);
  const NodeName node = request.node;
  const auto before = lab_.monitor().reboots_by_node;
  if (reboot) watch_reboot(node);
  const auto* write = std::get_if<remote::step::WriteFile>(&request.step);
  const auto* removal = std::get_if<remote::step::RemoveFile>(&request.step);
  if (lab_.power(node) == lab::Power::up) {
    if (reboot) watch_change(node, "it is rebooted");
    if (write != nullptr) watch_change(node, write->path + " is written");
    if (removal != nullptr) watch_change(node, removal->path + " is removed");
  }
  runner_.start(std::move(request));
  if (!reboot) return;
  const auto count = [&](const std::map<std::string, std::uint32_t>& reboots) {
    const auto found = reboots.find(node.str());
    return found == reboots.end() ? 0U : found->second;
  };
  if (count(lab_.monitor().reboots_by_node) > count(before) && ++reboots_[node] > 1) {
    violations_.push_back(fmt::format("{} was rebooted twice by one plan", node.str()));
  }
}

std::optional<remote::StepResult> InvariantMonitor::wait_any(Duration patience) {
  std::optional<remote::StepResult> result = runner_.wait_any(patience);
  const auto drained = result ? draining_.find(result->ticket) : draining_.end();
  if (drained != draining_.end()) {
    const bool well =
        result->outcome == remote::Outcome::succeeded && result->output.exit_status == 0;
    if (well) drained_.insert(drained->second);
    draining_.erase(drained);
  }
  note_power();
  return result;
}

// Who was up once again and has gone down since did so by itself.
void InvariantMonitor::note_power() {
  std::erase_if(
      sent_down_, [this](const NodeName& node) { return lab_.power(node) == lab::Power::up; });
}

std::optional<remote::PeerIdentity> InvariantMonitor::identity(const NodeName& node) const {
  const auto key = host_keys_.find(node);
  if (key != host_keys_.end()) return remote::PeerIdentity{key->second};
  return runner_.identity(node);
}

}  // namespace fabric::rehearse

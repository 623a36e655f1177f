// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/invariant_monitor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/platform/host_platform.hpp"
#include "engine/remote/perform.hpp"

namespace fabric::rehearse {

namespace {

// Computed without the planner's functions: their mistakes must be seen here.
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
    const Registry& registry,
    const SimulatedPlatforms& simulated,
    std::vector<std::string>& violations)
    : lab_{lab},
      runner_{runner},
      spec_{spec},
      rings_{rings(spec)},
      managers_{manager_groups(spec)},
      registry_{registry},
      simulated_{simulated},
      apart_{anti_affinity(spec)},
      max_unavailable_{spec.rollout.max_unavailable.value},
      domains_{spec},
      violations_{violations} {
  for (const auto& [name, node] : spec.nodes) {
    if (!hooks_of(spec, node).before_disruption.value.empty()) hooked_.insert(name);
    const Platform platform = node.platform.value;
    const SimulatedPlatform* known = simulated.find(platform);
    if (known != nullptr && registry.host(platform).fencing() != nullptr)
      fenced_.emplace(name, known);
  }
}

void InvariantMonitor::set_down(std::set<NodeName> unreached) {
  down_ = {std::move(unreached), {}};
  for (const auto& [name, node] : spec_.nodes) {
    if (!is_offline(node)) continue;
    down_.offline.insert(name);
    down_.unreached.erase(name);
  }
}

// By the platform's reboot command, or by a command on this machine.
bool InvariantMonitor::is_reboot(const NodeName& node, const remote::Step& step) const {
  if (const auto* here = std::get_if<remote::step::RunHere>(&step))
    return here->command.argv.size() > 1 && here->command.argv[1] == "reboot";
  const auto* run = std::get_if<remote::step::Run>(&step);
  const auto* talk = std::get_if<remote::step::Converse>(&step);
  if (run == nullptr && talk == nullptr) return false;
  const platform::HostPlatform& host = registry_.host(spec_.nodes.at(node).platform.value);
  const platform::BootProof* proof = host.boot_proof();
  if (proof == nullptr) return false;
  const remote::Step reboot = host.command_step(remote::Command{proof->reboot_command(), {}});
  if (const auto* expected = std::get_if<remote::step::Run>(&reboot))
    return run != nullptr && run->command.argv == expected->command.argv;
  const auto* lines = std::get_if<remote::step::Converse>(&reboot);
  return talk != nullptr && lines != nullptr && talk->lines == lines->lines;
}

void InvariantMonitor::begin_plan(const plans::Plan& plan) {
  reboots_.clear();
  allowed_reboots_.clear();
  for (const plans::Action& action : plan.actions) {
    if (!action.sequence.empty()) ++allowed_reboots_[action.node];
  }
  forwarding_.clear();
  for (const Ring& ring : rings_) {
    for (const PortRef& port : spec_.networks.at(ring.network).member_ports())
      if (lab_.forwards(port)) forwarding_.insert(port);
  }
}

void InvariantMonitor::watch_change(const NodeName& node, const std::string& what) {
  if (journal_ != nullptr && !journal_->is_durable()) {
    violations_.push_back(
        fmt::format("{}: {} before the journal is on the disk", node.str(), what));
  }
}

void InvariantMonitor::watch_answer(const NodeName& node) {
  const Platform platform = spec_.nodes.at(node).platform.value;
  const std::string ours = std::string{registry_.host(platform).state_folder()} + "/";
  for (const std::string& path : lab_.unsynced_files(node)) {
    // A process that only looks at the lock may make the file under which that is done: it proves
    // nothing. Nor does half of a file that was never put in its place.
    const bool says_nothing =
        path.ends_with(".mutex") || path.find("/.fabric-new.") != std::string::npos;
    if (!path.starts_with(ours) || says_nothing) continue;
    violations_.push_back(
        fmt::format("{} has answered, and {} would not survive a power cut", node.str(), path));
  }
}

// Judged when the command is sent: fabric answers for the nodes that are down then because of it. A
// power loss is a fault.
void InvariantMonitor::watch_reboot(const NodeName& node) {
  note_power();
  for (const NodeName& other : sent_down_) {
    if (apart_.contains({node, other})) {
      violations_.push_back(fmt::format(
          "{} is rebooted while its neighbour or fellow manager {} is down",
          node.str(),
          other.str()));
    }
  }
  if (down_.contains(node)) violations_.push_back(node.str() + " is rebooted, and was down");
  for (const Ring& ring : rings_)
    watch_ring(ring, node);
  watch_managers(node);
  sent_down_.insert(node);
  const std::size_t down = domains_.count(sent_down_, node);
  const std::size_t beside = domains_.count(down_.unreached, node);
  const std::size_t offline = domains_.count(down_.offline, node);
  if (down + beside > max_unavailable_ ||
      (down > 1 && down + beside + offline > max_unavailable_)) {
    violations_.push_back(fmt::format(
        "{} nodes are down by the plan, {} by themselves and {} are offline; max_unavailable is {}",
        down,
        beside,
        offline,
        max_unavailable_));
  }
}

// A ring must not be cut where that parts nodes which still reach each other, by a card that really
// forwards and did so before this plan: a path that the plan itself brings about carries nothing
// yet.
void InvariantMonitor::watch_ring(const Ring& ring, const NodeName& node) {
  const std::vector<NodeName>& nodes = ring.nodes;
  const NetworkSpec& network = spec_.networks.at(ring.network);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] != node || nodes.size() < 3) continue;
    const NodeName& left = nodes[(i + nodes.size() - 1) % nodes.size()];
    const NodeName& right = nodes[(i + 1) % nodes.size()];
    for (const NodeName* other : {&left, &right}) {
      if (down_.unreached.contains(*other))
        violations_.push_back(fmt::format(
            "{} is rebooted, and its neighbour {} was not reached", node.str(), other->str()));
    }
    const bool is_cut = std::ranges::any_of(
        nodes, [this](const NodeName& each) { return down_.offline.contains(each); });
    bool forwards = ring.closed && is_cut && !down_.contains(left) && !down_.contains(right);
    for (const PortRef& port : network.member_ports())
      forwards =
          forwards && (port.node != node || (forwarding_.contains(port) && lab_.forwards(port)));
    if (forwards)
      violations_.push_back(fmt::format(
          "{} is rebooted, and {} and {} reach each other through it alone",
          node.str(),
          left.str(),
          right.str()));
  }
}

void InvariantMonitor::watch_managers(const NodeName& node) {
  for (const ManagerGroup& group : managers_) {
    const bool is_last =
        group.nodes.contains(node) && std::ranges::all_of(group.nodes, [&](const auto& each) {
          return each == node || down_.contains(each);
        });
    if (is_last)
      violations_.push_back(fmt::format(
          "{} is rebooted, the last manager of {} that is up", node.str(), group.network));
  }
}

// The hooks of the document are not run: Slurm's command runs in their place.
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
    settled_.insert(node);
  }
  const bool fails = failing_hook_ > 0 && --failing_hook_ == 0;
  if (before && !fails && busy_hook_ > 0 && ++asked_hooks_ % busy_hook_ == 0) {
    here->command.argv = {"sh", "-c", "exit 75"};
    return;
  }
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
  asked_.clear();
  runner_.forget();
}

void InvariantMonitor::end_all() {
  for (const NodeName& node : owed_by_dead_)
    violations_.push_back(fmt::format("{} is left drained by a run that was killed", node.str()));
  for (const NodeName& node : lab_.nodes()) {
    const auto declared = spec_.nodes.find(node);
    const SimulatedPlatform* simulated =
        declared == spec_.nodes.end() ? nullptr : simulated_.find(declared->second.platform.value);
    if (simulated == nullptr || !lab_.accepts_connections(node)) continue;
    const std::optional<SimulatedLock> lock = simulated->lock(lab_, node);
    // The lease of a dead run at another machine has run out, and nothing more is known here.
    if (lock && !lock->run.starts_with("other-"))
      violations_.push_back(node.str() + " is left locked by a run that is over");
  }
}

void InvariantMonitor::add(const InvariantMonitor& second) {
  for (const NodeName& node : second.settled_) {
    owed_.erase(node);
    owed_by_dead_.erase(node);
  }
  owed_by_dead_.insert(second.owed_by_dead_.begin(), second.owed_by_dead_.end());
}

// A run that has lost a node, or its lock to another run, leaves it drained: the node remembers
// that, and the next run settles it.
void InvariantMonitor::end_plan() {
  for (const NodeName& node : owed_) {
    const auto fenced = fenced_.find(node);
    const bool is_lost = !lab_.accepts_connections(node) ||
                         (fenced != fenced_.end() && fenced->second->lock(lab_, node).has_value());
    if (is_lost) {
      owed_by_dead_.insert(node);
    } else {
      violations_.push_back(fmt::format("{} is left drained by a run that is over", node.str()));
    }
  }
  owed_.clear();
  drained_.clear();
}

void InvariantMonitor::watch_fence(const remote::StepRequest& request) {
  const auto simulated = fenced_.find(request.node);
  if (simulated == fenced_.end() || !remote::is_shell_step(request.step)) return;
  if (!remote::may_change(request.step) || simulated->second->is_about_lock(request.step)) return;
  const bool is_fenced = std::visit(
      [](const auto& step) {
        if constexpr (requires { step.fence; }) return !step.fence.empty();
        return false;
      },
      request.step);
  if (!is_fenced) {
    violations_.push_back(fmt::format(
        "{} is sent {} without a fence", request.node.str(), remote::kind_of(request.step)));
  }
}

void InvariantMonitor::start(remote::StepRequest request) {
  stand_in(request);
  watch_fence(request);
  const bool reboot = is_reboot(request.node, request.step);
  const NodeName node = request.node;
  asked_.insert_or_assign(request.ticket, node);
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
  if (count(lab_.monitor().reboots_by_node) > count(before) &&
      ++reboots_[node] > std::max(1, allowed_reboots_[node])) {
    violations_.push_back(fmt::format("{} was rebooted twice by one plan", node.str()));
  }
}

std::optional<remote::StepResult> InvariantMonitor::wait_any(Duration patience) {
  std::optional<remote::StepResult> result = runner_.wait_any(patience);
  if (const auto asked = result ? asked_.find(result->ticket) : asked_.end();
      asked != asked_.end()) {
    if (result->outcome == remote::Outcome::succeeded && result->output.exit_status == 0)
      watch_answer(asked->second);
    asked_.erase(asked);
  }
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

// A node that was up again and went down since was not taken down by fabric.
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

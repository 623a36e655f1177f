// SPDX-License-Identifier: Apache-2.0
// FakeFleet: nodes with a few settings, files and boots, behind a StepRunner in virtual time. Far
// simpler than the lab and independent of it: what the executor's own tests need and no more.
//
// A node's state is (resource, attribute) -> value per layer. It understands
//   the probe script (probe "fake-state" prints the state), cat of the boot_id,
//   set RESOURCE A=1 ...      next boot
//   activate RESOURCE         persistent -> running
//   systemctl reboot          next boot and persistent -> running
//   the script of its lock    by the arguments behind it
// and writing /fake/RESOURCE, lines "A=1" -> persistent.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/change.hpp"
#include "engine/remote/runner.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::test {

inline NodeName node(std::string_view name) {
  return NodeName::parse(name).value();
}
inline ResourceAddress address(std::string_view text) {
  return ResourceAddress::parse(text).value();
}

class FakeClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  std::int64_t unix_milliseconds() const override {
    return 1'795'000'000'000 + now_.time_since_epoch().count();
  }
  void advance_to(TimePoint time) { now_ = std::max(now_, time); }

 private:
  TimePoint now_{};
};

// What stands in the node's lock; expires in milliseconds of the fleet's clock.
struct FakeLock {
  std::string run, who, place, process;
  Duration taken{0}, expires{0};
};

struct FakeNode {
  using Layers = std::array<std::optional<std::string>, 3>;  // by Layer
  std::string machine_id;
  int boots = 1;
  std::map<std::string, std::map<std::string, Layers>> state;  // "settings/cx5" -> attribute
  TimePoint up_at{};                                           // down before this
  bool dead_after_reboot = false;
  bool ignores_reboot = false;
  std::string prints;   // what each command prints that changes something
  int extra_boots = 0;  // boots again by itself after the next one
  Duration boot_time{60'000};
  std::vector<std::string> commands;  // everything that ran, but probes
  std::vector<std::string> paths;     // everything that was written
  std::optional<FakeLock> lock;

  std::string boot_id() const { return fmt::format("00000000-0000-4000-8000-{:012x}", boots); }
  std::optional<std::string>& at(
      const std::string& resource, const std::string& attribute, Layer layer) {
    return state[resource][attribute][static_cast<std::size_t>(layer)];
  }
};

// What the probe script `command` prints on a node where each probe prints what `output` says.
inline remote::CommandOutput probe_output(
    const remote::Command& command, const std::function<std::string(const std::string&)>& output) {
  remote::CommandOutput printed;
  const std::string nonce{command.argv.back()};
  for (const std::string_view line : split_lines(command.standard_input)) {
    if (!line.starts_with("mark \"fabric-probe ")) continue;
    const auto words = split_words(line.substr(6, line.size() - 7));
    std::string& out = printed.standard_output;
    std::string& err = printed.standard_error;
    if (words[2] == "done") {
      out += fmt::format("fabric-probe {} done\n", nonce);
      err += fmt::format("fabric-probe {} done\n", nonce);
      continue;
    }
    const std::string id{words[3]};
    out += fmt::format(
        "fabric-probe {0} begin {1}\n{2}\nfabric-probe {0} end {1} 0\n", nonce, id, output(id));
    err += fmt::format("fabric-probe {0} begin {1}\n\nfabric-probe {0} end {1} 0\n", nonce, id);
  }
  return printed;
}

// What happens to one step instead of its normal course.
enum class FakeFault { none, lost_command, lost_reply, exit_1, lies };

class FakeFleet final : public remote::StepRunner {
 public:
  std::map<NodeName, FakeNode> nodes;
  // Asked for every step that is no probe, no pause and no question for the boot_id.
  std::function<FakeFault(const NodeName&, const remote::Step&)> fault;
  std::vector<std::string> trace;
  int most_down = 0;
  // What somebody does to the nodes meanwhile, at its time.
  std::multimap<TimePoint, std::function<void(FakeFleet&)>> hands;

  // Off, and on again: everything that a boot activates.
  void power_cycle(const std::string& name) { boot(nodes.at(node(name))); }

  FakeNode& add(const std::string& name) {
    FakeNode& added = nodes[node(name)];
    added.machine_id = fmt::format("{:032x}", nodes.size());
    return added;
  }

  void start(remote::StepRequest request) override {
    const TimePoint begin = std::max(clock_.now(), busy_until_[request.node]);
    Duration took{20};
    if (const auto* pause = std::get_if<remote::step::Pause>(&request.step)) took = pause->duration;
    busy_until_[request.node] = begin + took;
    pending_.emplace(std::pair{begin + took, sequence_++}, std::move(request));
  }

  std::optional<remote::StepResult> wait_any(Duration patience) override {
    if (pending_.empty() || pending_.begin()->first.first > clock_.now() + patience) {
      clock_.advance_to(clock_.now() + patience);
      return std::nullopt;
    }
    auto item = pending_.extract(pending_.begin());
    clock_.advance_to(item.key().first);
    while (!hands.empty() && hands.begin()->first <= clock_.now())
      hands.extract(hands.begin()).mapped()(*this);
    remote::StepRequest request = std::move(item.mapped());
    remote::StepResult result = perform(request);
    result.ticket = request.ticket;
    result.ended = clock_.now();
    return result;
  }

  std::optional<remote::PeerIdentity> identity(const NodeName& name) const override {
    return remote::PeerIdentity{"SHA256:" + name.str()};
  }
  const Clock& clock() const override { return clock_; }

  int down_now() const {
    int down = 0;
    for (const auto& [name, host] : nodes)
      down += host.up_at > clock_.now() ? 1 : 0;
    return down;
  }

  // The probes of a node as discovery would have them.
  NodeFacts facts(const NodeName& name) const {
    NodeFacts facts{name, {}, "SHA256:" + name.str(), {}, {}};
    const FakeNode& host = nodes.at(name);
    for (const std::string id : {"identity", "fake-state"})
      facts.probes[id] = {"", 0, probe(host, id), ""};
    // The session comes in by an interface that no resource here has.
    facts.probes["session"] = {"", 0, "client 192.0.2.1\ndevice eno1\n", ""};
    return facts;
  }

 private:
  remote::StepResult perform(const remote::StepRequest& request) {
    remote::StepResult result;
    if (std::holds_alternative<remote::step::Pause>(request.step)) return result;
    FakeNode& host = nodes.at(request.node);
    come_up(host);
    if (host.up_at > clock_.now()) return lost(remote::Outcome::failed, "connection refused");
    if (refuses(host, fence_of(request.step))) {
      trace.push_back(fmt::format("{} refuses {}", request.node.str(), text(request.step)));
      const std::string whose = host.lock ? host.lock->run : "nobody";
      result.output = {76, "", "lease lost: this node is that of run " + whose + "\n"};
      return result;
    }
    if (const auto* run = std::get_if<remote::step::Run>(&request.step)) {
      if (run->command.argv.size() > 5 && run->command.argv[3] == "fabric-lock")
        return locking(request, host, run->command.argv);
      if (run->command.argv.front() == "sh") return probes(host, run->command);
      if (run->command.argv.front() == "cat") {
        result.output.standard_output = host.boot_id() + "\n";
        return result;
      }
    }
    const FakeFault happens = fault ? fault(request.node, request.step) : FakeFault::none;
    trace.push_back(fmt::format("{} {}", request.node.str(), text(request.step)));
    if (happens == FakeFault::lost_command)
      return lost(remote::Outcome::unknown, "connection lost");
    if (happens == FakeFault::lies) return result;
    if (happens == FakeFault::exit_1) {
      result.output = {1, "-E- Failed to open the device\n", ""};
      return result;
    }
    apply(host, request.step);
    if (std::holds_alternative<remote::step::Run>(request.step))
      result.output.standard_output = host.prints;
    if (happens == FakeFault::lost_reply) return lost(remote::Outcome::unknown, "connection lost");
    return result;
  }

  // engine/execute/lease: no argument reads, the run gives up, six take.
  remote::StepResult locking(
      const remote::StepRequest& request, FakeNode& host, const remote::Argv& argv) {
    const FakeFault happens = fault ? fault(request.node, request.step) : FakeFault::none;
    if (happens == FakeFault::lost_command)
      return lost(remote::Outcome::unknown, "connection lost");
    const remote::Argv given{argv.begin() + 6, argv.end()};
    const Duration now = clock_.now().time_since_epoch();
    remote::StepResult result;
    if (given.size() == 1 && host.lock && host.lock->run == given[0]) host.lock.reset();
    if (given.size() == 6) {
      const bool free = !host.lock || host.lock->run == given[0] || host.lock->run == given[2] ||
                        host.lock->expires <= now;
      if (free) {
        const Duration length = std::chrono::seconds{std::stoll(given[1])};
        host.lock = {given[0], given[3], given[4], given[5], now, now + length};
        result.output.standard_output = "taken\n";
      }
    }
    if (happens == FakeFault::lost_reply) return lost(remote::Outcome::unknown, "connection lost");
    if (!result.output.standard_output.empty()) return result;
    std::string& text = result.output.standard_output;
    text = fmt::format("uptime {}\n", now.count() / 1000);
    if (host.lock) {
      text += fmt::format(
          "left {}\nage {}\nrun {}\nwho {}\nplace {}\nprocess {}\n",
          (host.lock->expires - now).count() / 1000,
          (now - host.lock->taken).count() / 1000,
          host.lock->run,
          host.lock->who,
          host.lock->place,
          host.lock->process);
    }
    return result;
  }

  // providers/linux/machine/fencing: the run is the word behind the name of the script.
  bool refuses(const FakeNode& host, const remote::Argv& fence) const {
    if (fence.empty()) return false;
    constexpr std::size_t kRun = 4;
    return !host.lock || host.lock->run != fence.at(kRun) ||
           host.lock->expires <= clock_.now().time_since_epoch();
  }

  static remote::Argv fence_of(const remote::Step& step) {
    if (const auto* run = std::get_if<remote::step::Run>(&step)) return run->fence;
    if (const auto* write = std::get_if<remote::step::WriteFile>(&step)) return write->fence;
    if (const auto* removal = std::get_if<remote::step::RemoveFile>(&step)) return removal->fence;
    return {};
  }

  static remote::StepResult lost(remote::Outcome outcome, const std::string& why) {
    remote::StepResult result;
    result.outcome = outcome;
    const bool refused = outcome == remote::Outcome::failed;
    result.error = {refused ? ErrorCode::unreachable : ErrorCode::maybe_applied, why};
    return result;
  }

  void come_up(FakeNode& host) {
    if (host.extra_boots > 0 && host.boots > 1 && host.up_at <= clock_.now()) {
      --host.extra_boots;
      boot(host);
    }
  }

  void apply(FakeNode& host, const remote::Step& step) {
    if (const auto* write = std::get_if<remote::step::WriteFile>(&step)) {
      host.paths.push_back(write->path);
      for (const std::string_view line : split_lines(write->content))
        set(host, write->path.substr(6), line, Layer::persistent);
    } else if (const auto* run = std::get_if<remote::step::Run>(&step)) {
      const remote::Argv& argv = run->command.argv;
      host.commands.push_back(remote::command_line(argv));
      if (argv.front() == "set") {
        for (std::size_t i = 2; i < argv.size(); ++i)
          set(host, argv[1], argv[i], Layer::next_boot);
      } else if (argv.front() == "activate") {
        activate(host.state[argv[1]]);
      } else if (!host.ignores_reboot) {
        boot(host);
        most_down = std::max(most_down, down_now());
      }
    }
  }

  void boot(FakeNode& host) {
    ++host.boots;
    host.up_at = host.dead_after_reboot ? TimePoint::max() : clock_.now() + host.boot_time;
    for (auto& [resource, attributes] : host.state)
      activate(attributes);
  }

  static void activate(std::map<std::string, FakeNode::Layers>& attributes) {
    for (auto& [name, layers] : attributes) {
      if (layers[1]) layers[0] = layers[1];
      if (layers[2]) layers[0] = layers[2];
    }
  }

  static void set(FakeNode& host, const std::string& resource, std::string_view line, Layer layer) {
    const std::size_t equals = line.find('=');
    host.at(resource, std::string{line.substr(0, equals)}, layer) =
        std::string{line.substr(equals + 1)};
  }

  static std::string text(const remote::Step& step) {
    if (const auto* run = std::get_if<remote::step::Run>(&step))
      return remote::command_line(run->command.argv);
    if (const auto* write = std::get_if<remote::step::WriteFile>(&step))
      return "write " + write->path;
    return "other";
  }

  static std::string probe(const FakeNode& host, const std::string& id) {
    if (id == "identity") {
      return fmt::format(
          "/etc/machine-id:{}\n/proc/sys/kernel/random/boot_id:{}\n",
          host.machine_id,
          host.boot_id());
    }
    std::string text;
    for (const auto& [resource, attributes] : host.state) {
      for (const auto& [attribute, layers] : attributes) {
        for (std::size_t layer = 0; layer < layers.size(); ++layer) {
          if (layers.at(layer))
            text += fmt::format("{} {} {} {}\n", resource, attribute, layer, *layers.at(layer));
        }
      }
    }
    return text;
  }

  static remote::StepResult probes(const FakeNode& host, const remote::Command& command) {
    remote::StepResult result;
    result.output =
        probe_output(command, [&host](const std::string& id) { return probe(host, id); });
    return result;
  }

  FakeClock clock_;
  std::map<std::pair<TimePoint, std::uint64_t>, remote::StepRequest> pending_;
  std::map<NodeName, TimePoint> busy_until_;
  std::uint64_t sequence_ = 0;
};

}  // namespace fabric::test

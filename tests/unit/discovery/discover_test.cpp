// SPDX-License-Identifier: Apache-2.0
#include "engine/discovery/discover.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/discovery/snapshot.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/catch.hpp"

namespace fabric::discovery {
namespace {

class ManualClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  std::int64_t unix_milliseconds() const override { return now_.time_since_epoch().count(); }
  void advance(Duration duration) { now_ += duration; }

 private:
  TimePoint now_;
};

// Answers each node after a time of its own; `reply` makes the answer.
class ScriptedRunner final : public remote::StepRunner {
 public:
  struct Answer {
    Duration after{10};
    remote::Outcome outcome = remote::Outcome::succeeded;
    std::string text{};  // of the failure, or in place of the probes' output
  };
  std::map<std::string, Answer> answers;
  std::size_t most_in_flight = 0;

  void start(remote::StepRequest request) override {
    const Answer& answer = answers[request.node.str()];
    running_.insert({clock_.now() + answer.after, next_++, std::move(request)});
    most_in_flight = std::max(most_in_flight, running_.size());
  }
  std::optional<remote::StepResult> wait_any(Duration patience) override {
    REQUIRE_FALSE(running_.empty());
    const TimePoint due = running_.begin()->due;
    if (due > clock_.now() + patience) {
      clock_.advance(patience);
      return std::nullopt;
    }
    clock_.advance(due - clock_.now());
    const auto request = running_.extract(running_.begin()).value().request;
    return answer_to(request);
  }
  std::optional<remote::PeerIdentity> identity(const NodeName& node) const override {
    if (answers.at(node.str()).outcome == remote::Outcome::failed) return std::nullopt;
    return remote::PeerIdentity{"SHA256:" + node.str()};
  }
  const Clock& clock() const override { return clock_; }

 private:
  struct Running {
    TimePoint due;
    std::size_t number;
    remote::StepRequest request;
    bool operator<(const Running& other) const {
      return std::tie(due, number) < std::tie(other.due, other.number);
    }
  };

  remote::StepResult answer_to(const remote::StepRequest& request) const {
    const Answer& answer = answers.at(request.node.str());
    remote::StepResult result{request.ticket, answer.outcome, {}, {}, clock_.now()};
    if (answer.outcome != remote::Outcome::succeeded) {
      result.error = {ErrorCode::unreachable, answer.text};
      return result;
    }
    // Replays the marks of the script, as a shell would print them.
    const remote::Command& command = std::get<remote::step::Run>(request.step).command;
    const std::string& script = command.standard_input;
    constexpr std::string_view kMark = "mark \"fabric-probe $nonce";
    for (std::size_t at = script.find(kMark); at != std::string::npos;
         at = script.find(kMark, at + 1)) {
      const std::size_t what = at + kMark.size();
      const std::string mark = "fabric-probe " + std::string{command.argv.back()} +
                               script.substr(what, script.find('"', what) - what);
      result.output.standard_output += mark + "\n";
      result.output.standard_error += mark + "\n";
      const std::size_t begin = mark.find(" begin ");
      if (begin == std::string::npos) continue;
      const std::string end =
          "\n" + mark.substr(0, begin) + " end " + mark.substr(begin + 7) + " 0\n";
      result.output.standard_output += "from " + request.node.str() + end;
      result.output.standard_error += end;
    }
    if (!answer.text.empty()) result.output.standard_output = answer.text;
    return result;
  }

  ManualClock clock_;
  std::set<Running> running_;
  std::size_t next_ = 0;
};

platform::NodePlatforms names(std::initializer_list<const char*> texts) {
  platform::NodePlatforms nodes;
  for (const char* text : texts)
    nodes.emplace(*NodeName::parse(text), &platform::linux_platform());
  return nodes;
}

const ProbesByPlatform kProbes{{Platform::linux, {{"pci", "true"}}}};

TEST_CASE("nodes are discovered in order of name whatever the parallelism", "[discovery]") {
  std::string first;
  for (const std::size_t parallelism : {1U, 2U, 64U}) {
    ScriptedRunner runner;
    runner.answers["c"] = {Duration{5}};
    runner.answers["a"] = {Duration{900}};
    runner.answers["b"] = {Duration{50}, remote::Outcome::failed, "b: connection refused"};
    Random random{7};
    DiscoverOptions options;
    options.parallelism = parallelism;
    auto facts = discover(names({"c", "a", "b", "a"}), kProbes, runner, random, options);
    CHECK(runner.most_in_flight == std::min<std::size_t>(parallelism, 3));
    REQUIRE(facts.size() == 3);
    std::string text;
    for (NodeFacts& node : facts) {
      node.taken_at.clear();
      text += to_json_pretty(node);
    }
    if (first.empty()) first = text;
    CHECK(text == first);
    CHECK(*facts[0].output("pci") == "from a");
    CHECK(facts[0].output("identity") != nullptr);
    CHECK(facts[0].host_key_fingerprint == "SHA256:a");
    REQUIRE_FALSE(facts[1].reachable());
    CHECK(facts[1].failure->message == "b: connection refused");
  }
}

TEST_CASE(
    "whoever is still missing is named every five seconds, the longest waiting first",
    "[discovery]") {
  ScriptedRunner runner;
  runner.answers["fast"] = {Duration{10}};
  runner.answers["slow"] = {Duration{12'000}};
  runner.answers["slower"] = {Duration{14'000}};
  Random random{7};
  DiscoverOptions options;
  std::string waiting;
  std::string done;
  options.still_waiting = [&](const std::vector<NodeName>& nodes) {
    for (const NodeName& node : nodes)
      waiting += node.str() + " ";
    waiting += "| ";
  };
  options.node_done = [&](const NodeFacts& facts) {
    done += facts.node.str() + " ";
  };
  discover(names({"slower", "slow", "fast"}), kProbes, runner, random, options);
  CHECK(waiting == "slow slower | slow slower | ");
  CHECK(done == "fast slow slower ");
}

TEST_CASE("a node whose step never ends is given up and holds nobody up", "[discovery]") {
  ScriptedRunner runner;
  runner.answers["dead"] = {Duration{10'000'000}};
  runner.answers["good"] = {Duration{10}};
  Random random{7};
  DiscoverOptions options;
  options.timeout = Duration{20'000};
  options.parallelism = 1;
  const auto facts = discover(names({"dead", "good"}), kProbes, runner, random, options);
  REQUIRE_FALSE(facts[0].reachable());
  CHECK(facts[0].failure->code == ErrorCode::timed_out);
  CHECK(facts[1].reachable());
}

TEST_CASE("a node waits its turn behind one whose step never ends", "[discovery]") {
  ScriptedRunner runner;
  runner.answers["dead"] = {Duration{10'000'000}};
  runner.answers["next"] = {Duration{50'000}};  // as if its turn had come after 40 s
  runner.answers["other"] = {Duration{10}};
  Random random{7};
  DiscoverOptions options;
  options.timeout = Duration{20'000};
  options.parallelism = 1;
  options.ahead = 1;
  const auto facts = discover(names({"dead", "next", "other"}), kProbes, runner, random, options);
  CHECK(runner.most_in_flight == 2);
  CHECK(facts[0].failure->code == ErrorCode::timed_out);
  CHECK(facts[1].reachable());
}

TEST_CASE("torn output makes a node unreadable, by name", "[discovery]") {
  ScriptedRunner runner;
  runner.answers["torn"] = {Duration{10}, remote::Outcome::succeeded, "fabric-probe cut"};
  Random random{7};
  const auto facts = discover(names({"torn"}), kProbes, runner, random, DiscoverOptions{});
  REQUIRE_FALSE(facts[0].reachable());
  CHECK(facts[0].failure->message.find("torn: ") == 0);
}

// One attribute "value", read from the probe "pci".
Provider echo() {
  return {
      .kind = "echo",
      .probes = [] { return kProbes.at(Platform::linux); },
      .observe =
          [](std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
            std::vector<Observation> observations;
            for (const Resource& resource : wanted) {
              const std::string* text = facts.output("pci");
              const Reading running =
                  text == nullptr ? Reading::unknown("not read") : Reading::of(*text);
              observations.push_back(
                  {resource.address, {{"value", {running, std::nullopt, Reading::absent()}}}});
            }
            diagnostics.info("echo", {}, fmt::format("{} on {}", wanted.size(), facts.node.str()));
            return observations;
          },
      .disruption = always(Disruption::none),
      .work = [](const Change&, const WorkContext&) -> Result<Work> {
        return Work{};
      }};
}

Resource echo(const char* address) {
  return {*ResourceAddress::parse(address), {}, {}, {}, {}};
}

NodeFacts answered(const char* name, const std::string& output) {
  NodeFacts facts{*NodeName::parse(name), {}, "SHA256:x", "2026-01-01T00:00:00.000Z", {}};
  facts.probes["pci"] = {"true", 0, output, ""};
  return facts;
}

TEST_CASE("each kind of each reachable node is observed once, as a group", "[discovery]") {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, echo());
  NodeFacts lost = answered("c", "");
  lost.failure = Error{ErrorCode::unreachable, "gone"};
  Diagnostics diagnostics;
  const Snapshot snapshot = observe(
      {echo("b/echo/2"),
       echo("a/echo/1"),
       echo("b/echo/1"),
       echo("c/echo/1"),
       echo("d/echo/1"),
       echo("a/opensm/x")},
      {answered("b", "two"), answered("a", "one"), lost},
      registry,
      diagnostics);
  REQUIRE(diagnostics.items().size() == 2);
  CHECK(diagnostics.items()[0].message == "1 on a");
  CHECK(diagnostics.items()[1].message == "2 on b");
  REQUIRE(snapshot.find(*ResourceAddress::parse("b/echo/2")) != nullptr);
  CHECK(
      snapshot.find(*ResourceAddress::parse("b/echo/2"))->attributes.at("value").running ==
      Reading::of("two"));
  CHECK(snapshot.find(*ResourceAddress::parse("c/echo/1")) == nullptr);
  CHECK(snapshot.find(*ResourceAddress::parse("d/echo/1")) == nullptr);
  CHECK(snapshot.nodes.at(*NodeName::parse("c")).observations.empty());
}

TEST_CASE("the digest of facts depends on what was observed, not on when", "[discovery]") {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, echo());
  const auto digest = [&](NodeFacts facts) {
    Diagnostics diagnostics;
    const NodeName name = facts.node;
    return facts_digest(
        observe({echo("a/echo/1")}, {std::move(facts)}, registry, diagnostics).nodes.at(name));
  };
  NodeFacts later = answered("a", "one");
  later.taken_at = "2027-01-01T00:00:00.000Z";
  later.probes["uptime"] = {"uptime", 0, "12 days", ""};
  CHECK(digest(answered("a", "one")) == digest(later));
  CHECK(digest(answered("a", "one")) != digest(answered("a", "two")));
  NodeFacts unreadable = answered("a", "one");
  unreadable.probes["pci"].exit_status = 1;
  CHECK(digest(answered("a", "one")) != digest(unreadable));
  later.host_key_fingerprint = "SHA256:other";
  CHECK(digest(answered("a", "one")) != digest(later));
}

}  // namespace
}  // namespace fabric::discovery

// SPDX-License-Identifier: Apache-2.0
// A ring of hosts in a lab, and the workflows of a document on them, as the program does them but
// for its control host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/document/load.hpp"
#include "engine/verify/verify.hpp"
#include "engine/workflow/applying.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/simulated_lab.hpp"

namespace fabric::workflow::test {

inline NodeName named(const std::string& text) {
  const Result<NodeName> name = NodeName::parse(text);
  REQUIRE(name);
  return *name;
}

// "pve" and its number, a dual-port ConnectX-5 each. `network`: false = nothing but the hosts.
inline std::string ring_text(int hosts, bool network = true, const std::string& of_node = {}) {
  std::string text = fmt::format(
      "apiVersion: fabric/v1\nname: ring\n"
      "nodes:\n  pve[1-{}]: {{adapters: {{cx5: {{model: connectx-5-vpi}}}}{}}}\n",
      hosts,
      of_node);
  if (network) {
    text += fmt::format(
        "networks:\n  storage:\n    mode: chain\n    mtu: 9000\n"
        "    ipv4: {{subnet: 10.30.0.0/24}}\n    cables: [{{ring: [\"pve[1-{}]\"]}}]\n",
        hosts);
  }
  return text;
}

inline Wanted wanted_by(const std::string& text, const NodeChoice& choice = {}) {
  auto document = std::make_unique<Document>();
  document->files.push_back(document->sources.add("fabric.yaml", text));
  document->inputs.push_back({"fabric.yaml", "sha256:0"});
  document->loaded = load_document(document->sources, document->files);
  for (const Diagnostic& item : document->loaded.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE(document->valid());
  Result<Wanted> wanted = want(std::move(document), choice);
  REQUIRE(wanted);
  return std::move(wanted).value();
}

// What the file of a lock says on a node.
inline std::string lock_of(const std::string& run) {
  return fmt::format(
      "run {}\nwho anna@ops2\nplace elsewhere\nprocess 12.3\ntaken 1\nexpires 99999999999\n", run);
}
inline constexpr const char* kLock = "/var/lib/fabric/lock";

// Thrown where this machine stops.
struct Killed final : std::exception {};

// Runs whose names begin with "ended" have ended, and so have those of TestHost before the last.
class TestHost final : public ControlHost, public execute::AppendFile {
 public:
  std::string journal;
  int lines_left = 0;  // 0 = it is not killed
  bool copies_differ = false;
  bool ctrl_c = false;

  std::string new_run() override { return fmt::format("run-{}", ++runs_); }
  execute::LeaseHolder holder(const std::string& run) override {
    return {run, "root@ops1", "here", run};
  }
  bool has_ended(const execute::LeaseHolder& holder) override {
    return holder.run.starts_with("ended") ||
           (holder.place == "here" && holder.run != fmt::format("run-{}", runs_));
  }
  Result<void> check_copies(const plans::Plan& /*plan*/) override {
    if (copies_differ) return Error{ErrorCode::stale, "image.bin has changed"};
    return {};
  }
  BindFiles bind_files() override { return {}; }
  Result<std::unique_ptr<OpenRun>> begin_run(
      const std::string& run, const plans::Plan& /*plan*/) override {
    begun.push_back(run);
    return std::unique_ptr<OpenRun>{std::make_unique<Open>(*this)};
  }
  Result<void> write(std::string_view text) override {
    if (lines_left > 0 && --lines_left == 0) throw Killed{};
    journal += text;
    return {};
  }
  Result<void> sync() override { return {}; }

  std::vector<std::string> begun;

 private:
  class Open final : public OpenRun {
   public:
    explicit Open(TestHost& host) : host_{host} {}
    execute::AppendFile& journal() override { return host_; }
    bool interrupted() override { return host_.ctrl_c; }

   private:
    TestHost& host_;
  };
  int runs_ = 0;
};

class Heard final : public Listener {
 public:
  std::vector<std::string> notes, problems, phases;
  std::size_t discovered = 0;
  bool proven = true;
  std::optional<execute::RunResult> result;
  std::size_t paths = 0;

  void discover_node(const NodeFacts& /*facts*/) override { ++discovered; }
  void note(std::string_view text) override { notes.emplace_back(text); }
  void problem(std::string_view text) override { problems.emplace_back(text); }
  void phase(std::string_view what) override { phases.emplace_back(what); }
  void executed(const plans::Plan& /*plan*/, const execute::RunResult& run) override {
    result = run;
  }
  void verified(const verify::Report& report) override { paths = report.paths.size(); }
  void not_proven(const Planned& /*second*/) override { proven = false; }
};

struct LabRing {
  explicit LabRing(int hosts = 3, lab::LabSpec reality = {}, const std::string& of_node = {})
      : wanted{wanted_by(ring_text(hosts, true, of_node))},
        without_network{wanted_by(ring_text(hosts, false, of_node))},
        lab{wanted.document->spec(), fabric::test::simulated(std::move(reality))},
        runner{lab} {}

  // Of any hosts; `without`: the document without its networks.
  LabRing(const std::string& text, const std::string& without, lab::LabSpec reality)
      : wanted{wanted_by(text)},
        without_network{wanted_by(without)},
        lab{wanted.document->spec(), fabric::test::simulated(std::move(reality))},
        runner{lab} {}

  Planned plan(const Wanted& of) {
    Heard aside;
    return make_plan(of.desired(), discover(of.desired(), {}, aside, runner, random), {});
  }
  Planned plan() { return plan(wanted); }
  Result<ExitCode> try_apply(
      const Wanted& of, const plans::Plan& plan, bool skip_unreachable = false) {
    return apply_plan(
        {.desired = of.desired(),
         .plan = plan,
         .plan_complete = plan.reached_all(),
         .skip_unreachable = skip_unreachable},
        {host, heard, runner, random});
  }
  // Of one that must begin.
  ExitCode apply(const Wanted& of, const plans::Plan& plan) {
    const Result<ExitCode> applied = try_apply(of, plan);
    if (!applied) UNSCOPED_INFO(applied.error().message);
    REQUIRE(applied);
    return *applied;
  }
  ExitCode apply() { return apply(wanted, plan().plan); }
  bool is_locked(const std::string& node) const {
    return lab.read_file(named(node), kLock).has_value();
  }
  std::vector<std::string> our_files(const std::string& node) const {
    std::vector<std::string> files;
    for (const std::string& path : lab.touched_files(named(node))) {
      const auto content = lab.read_file(named(node), path);
      if (content && content->find("managed by fabric") != std::string::npos) files.push_back(path);
    }
    return files;
  }

  Wanted wanted, without_network;
  lab::Lab lab;
  lab::Runner runner;
  Random random{1};
  TestHost host;
  Heard heard;
};

}  // namespace fabric::workflow::test

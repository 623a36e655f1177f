// SPDX-License-Identifier: Apache-2.0
#include "plans/refusal.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/fake_provider.hpp"

using namespace fabric;
using fabric::test::ResourceBuilder;

namespace {

// Does `gateway`, and nothing else that it is asked about.
Provider with_gateway() {
  return {
      .kind = "interface",
      .probes = [] { return std::vector<Probe>{}; },
      .supports = [](const Resource&, std::string_view feature) { return feature == "gateway"; },
      .observe = [](std::span<const Resource>,
                    const NodeFacts&,
                    Diagnostics&) { return std::vector<Observation>{}; },
      .disruption = always(Disruption::link),
      .work = [](const Change&, const WorkContext&) -> Result<Work> {
        return Work{};
      }};
}

SourceRange place(std::uint32_t offset) {
  return {FileId{1}, offset, offset + 1};
}

Resource asking(std::string_view address, std::vector<Feature> features) {
  Resource resource = ResourceBuilder{address}.wants("mtu", 9000);
  resource.features = std::move(features);
  return resource;
}

// "7 mode lag"
std::vector<std::string> refusals(const std::vector<Resource>& resources) {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, with_gateway());
  Diagnostics diagnostics;
  plans::refuse_missing(resources, registry, diagnostics);
  std::vector<std::string> lines;
  for (const Diagnostic& each : diagnostics.items()) {
    CHECK(each.rule == "key-not-on-platform");
    CHECK(each.severity == Severity::error);
    lines.push_back(
        std::to_string(each.range.begin) + " " +
        each.message.substr(each.message.find(" does not support ") + 18));
    CHECK(each.message.starts_with(each.subject.name + " is a Linux host, where fabric "));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a kind without a provider is refused by what the author wrote", "[plans]") {
  CHECK(refusals({asking("a/bond/bond0", {{"", "mode lag", place(7)}})}) == Lines{"7 mode lag"});
  CHECK(
      refusals({asking(
          "a/firmware/cx5",
          {{"version", "`firmware.version`", place(8)}, {"psid", "`firmware.psid`", place(9)}})}) ==
      Lines{"8 `firmware.version`", "9 `firmware.psid`"});
}

TEST_CASE("a form that its provider can't do is refused, what it can do is not", "[plans]") {
  CHECK(
      refusals({asking(
          "a/interface/cx5.1",
          {{"", "mode ethernet", place(1)},
           {"gateway", "`gateway`", place(2)},
           {"routes", "`routes`", place(3)}})}) == Lines{"3 `routes`"});
}

TEST_CASE("one place is refused once a node, however many resources it is for", "[plans]") {
  const Feature lag{"", "mode lag", place(7)};
  CHECK(
      refusals(
          {asking("a/bond/bond0", {lag}),
           asking("a/interface/cx5.1", {{"bond", "mode lag", place(7)}}),
           asking("b/bond/bond0", {lag}),
           asking("c/bond/bond0", {{"", "mode lag", place(70)}})}) ==
      Lines{"7 mode lag", "7 mode lag", "70 mode lag"});
}

TEST_CASE("a kind that nobody knows is refused even if no feature says so", "[plans]") {
  Resource resource = asking("a/teapot/x", {});
  resource.origin = place(5);
  CHECK(refusals({resource}) == Lines{"5 teapot"});
}

TEST_CASE("what is only observed or only checked is never refused", "[plans]") {
  Resource observed = asking("a/bond/bond0", {{"", "mode lag", place(7)}});
  observed.binding.emplace("observe", true);
  Resource link = asking("a/link/cx5.1-b.cx5.2", {});
  link.check_only = true;
  CHECK(refusals({observed, link}).empty());
}

TEST_CASE("work that the rollback timer can't hold back is refused while planning", "[plans]") {
  Registry registry;
  registry.add(platform::linux_platform());
  const auto refused = [&registry](ActionDraft draft) {
    const Resource resource = ResourceBuilder{"a/interface/eth0"}.wants("mtu", 9000);
    plans::Candidate candidate{Change{resource, ChangeKind::update, {}}, {}, {std::move(draft)}};
    discovery::Snapshot snapshot;
    const NodeName node = candidate.address().node;
    discovery::ObservedNode observed{NodeFacts{node, {}, {}, {}, {}}, {}};
    observed.facts.platform = Platform::linux;
    snapshot.nodes.emplace(node, std::move(observed));
    plans::Candidates candidates{std::move(candidate)};
    Diagnostics diagnostics;
    plans::refuse_incapable(candidates, {snapshot, registry}, diagnostics);
    Lines lines;
    for (const Diagnostic& each : diagnostics.items())
      lines.push_back(each.rule + ": " + each.message);
    return lines;
  };
  ActionDraft draft;
  draft.steps.write({"/etc/a", "x"});
  draft.steps.remove("/etc/b");
  draft.steps.run_each({{"true"}});
  draft.may_cut_off = true;
  CHECK(refused(draft).empty());
  draft.steps.copy(remote::step::CopyFile{});
  CHECK(
      refused(draft) ==
      Lines{
          "capability-missing: a/interface/eth0 may cut off a, and the rollback timer of platform "
          "linux can't hold back the copy of a file, which might arrive after the rollback"});
  draft.may_cut_off = false;  // then no timer is armed
  CHECK(refused(draft).empty());
}

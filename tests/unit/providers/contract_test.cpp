// SPDX-License-Identifier: Apache-2.0
// What every provider promises, held against simulated hosts: probes change nothing; what it asks
// for makes it so, now and after a boot; asking twice is asking once; nothing but its own files is
// touched.
#include <map>
#include <string>
#include <vector>

#include "engine/discovery/snapshot.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/written_files.hpp"

#include "tests/unit/providers/contract_bench.hpp"
#include "tests/unit/providers/contract_realities.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using test::Bench;
using test::kRing;
using test::realities;
using test::Reality;

TEST_CASE("probes change nothing on any host", "[providers]") {
  for (const Reality& reality : realities()) {
    INFO(reality.name);
    Bench bench{reality};
    std::map<NodeName, std::string> before;
    for (const NodeName& node : bench.lab().nodes())
      before[node] = bench.lab().digest(node);
    bench.look();
    for (const NodeName& node : bench.lab().nodes()) {
      CHECK(bench.lab().digest(node) == before[node]);
      CHECK(bench.lab().touched_files(node).empty());
    }
  }
}

TEST_CASE(
    "work and one boot bring every host to what is desired, and leave nothing to do",
    "[providers]") {
  for (const Reality& reality : realities()) {
    INFO(reality.name);
    Bench bench{reality};
    discovery::Snapshot snapshot = bench.look();
    std::vector<Change> changes = bench.changes(snapshot);
    REQUIRE_FALSE(changes.empty());
    REQUIRE(bench.perform(changes, snapshot, true) > 0);
    bench.reboot_all();

    snapshot = bench.look();
    changes = bench.changes(snapshot);
    for (const Change& change : changes) {
      for (const AttributeChange& attribute : change.attributes) {
        FAIL_CHECK(
            change.resource.address.str()
            << " " << attribute.attribute << ": "
            << test::layers(*snapshot.find(change.resource.address), attribute.attribute)
            << ", desired " << to_text(attribute.desired));
      }
    }
    for (const NodeName& node : bench.lab().nodes()) {
      for (const std::string& path : bench.lab().touched_files(node)) {
        INFO(node.str() << " " << path);
        CHECK(
            (path.find("fabric") != std::string::npos || path.starts_with("/var/lib/dpkg/status") ||
             path.starts_with("/boot/initrd.img-") || bench.is_marked(node, path)));
      }
    }
    // Also after a boot that nobody planned.
    bench.reboot_all();
    CHECK(bench.changes(bench.look()).empty());
  }
}

TEST_CASE("runtime drift is put right without a boot, and only that is done", "[providers]") {
  for (const Reality& reality : realities()) {
    INFO(reality.name);
    Bench bench{reality};
    discovery::Snapshot snapshot = bench.look();
    bench.perform(bench.changes(snapshot), snapshot, true);
    bench.reboot_all();

    const NodeName node = bench.lab().nodes().front();
    const std::string device = reality.document == kRing ? "ring1" : "enp1s0f0np0";
    bench.shell(node, "ip link show " + device + " >/dev/null && ip addr flush dev " + device);
    bench.shell(
        node, "ip link set dev " + device + " mtu 1500 && ip addr add 10.99.0.1/24 dev " + device);
    if (reality.document == kRing) bench.shell(node, "sysctl -w net.ipv4.conf.all.arp_ignore=0");
    snapshot = bench.look();
    const std::vector<Change> drift = bench.changes(snapshot);
    CHECK(drift.size() == (reality.document == kRing ? 2 : 1));
    for (const Change& change : drift) {
      CHECK(change.disruption() <= Disruption::link);
      for (const AttributeChange& attribute : change.attributes)
        CHECK_FALSE(attribute.write);
    }
    CHECK(bench.perform(drift, snapshot, false) == drift.size());
    CHECK(bench.changes(bench.look()).empty());
  }
}

TEST_CASE(
    "what a provider writes stays in its folders, whatever a resource is called", "[providers]") {
  for (const Reality& reality : realities()) {
    INFO(reality.name);
    Bench bench{reality};
    const discovery::Snapshot snapshot = bench.look();
    for (Change& change : bench.changes(snapshot)) {
      const NodeFacts& facts = snapshot.nodes.at(change.resource.address.node).facts;
      const WorkContext context{facts, *snapshot.find(change.resource.address), true};
      const Provider& provider = bench.provider(change.resource);
      INFO(change.resource.address.str());
      const std::string own = change.resource.address.name;
      for (const std::string& end : {"", "/../../../../etc/modprobe.d/evil", "\ninstall x"}) {
        change.resource.address.name = InternedText{own + end};
        const auto work = provider.work(change, context);
        if (!work) continue;
        for (const ActionDraft& draft : work->actions) {
          if (!draft.steps.changes_files()) continue;
          INFO(draft.title);
          CHECK(why_not_written(change.resource, draft, provider.folders).empty() == end.empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace fabric::providers

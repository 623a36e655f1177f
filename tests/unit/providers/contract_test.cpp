// What every provider promises, held against simulated hosts: probes change nothing; what it asks
// for makes it so, now and after a boot; asking twice is asking once; nothing but its own files is
// touched.
#include <map>

#include <fmt/format.h>

#include "engine/discovery/discover.hpp"
#include "engine/discovery/identity.hpp"
#include "engine/discovery/snapshot.hpp"
#include "engine/lab/lab.hpp"
#include "engine/lab/runner.hpp"
#include "engine/model/expand.hpp"
#include "engine/model/load.hpp"
#include "engine/value/digest.hpp"
#include "providers/builtin.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

constexpr const char* kRing = R"(apiVersion: fabric/v1
name: ring
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx5: {model: connectx-5-vpi, ports: 2, firmware: {minimum: "16.1.1"}, names: {1: ring1, 2: ring2}}
networks:
  storage:
    mode: chain
    mtu: 4000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [{ring: ["n[1-2]"]}]
)";

// No column tells the running value, and nothing in the kernel tells of this parameter.
constexpr const char* kHidden = R"(apiVersion: fabric/v1
name: hidden
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx4: {model: connectx-4-vpi, ports: 2, firmware: {params: {KEEP_ETH_LINK_UP_P1: 0}}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";

// What the host runs beside the kernel's own.
constexpr const char* kSoftware = R"(apiVersion: fabric/v1
name: software
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    os: {release: debian-12, minimum: "5.10"}
    software: {stack: inbox, minimum: "4.9"}
    packages: [perftest, infiniband-diags, opensm]
    tuning: [ipoib, 40g]
    sysctl: {net.core.rmem_max: 8388608}
    modules: {bonding: {}, nvme-core: {io_timeout: 60}, mlx5_core: {prof_sel: 3}}
    adapters: {cx5: {model: connectx-5-en, ports: 2}}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";

// The lab's cards come with 16.35.2000.
constexpr const char* kBurned = R"(apiVersion: fabric/v1
name: burned
nodes:
  n[1-2]:
    address: 192.0.2.[11-12]
    adapters:
      cx5:
        model: connectx-5-vpi
        ports: 2
        firmware: {version: "16.35.4030", minimum: "16.35.3000", psid: MT_0000000008, image: image.bin}
networks:
  storage:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.30.0.0/24}
    cables: [[n1/1, n2/1]]
)";
constexpr const char* kImage =
    "fabric lab firmware image\nversion 16.35.4030\npsid MT_0000000008\n";

struct Reality {
  std::string name, document;
  lab::LabHost host;
};

std::vector<Reality> realities() {
  std::vector<Reality> all;
  for (const char* backend : {"networkd", "ifupdown", "ifupdown2"}) {
    lab::LabHost host;
    host.backend = backend;
    all.push_back({backend, kRing, host});
  }
  for (const char* version : {"4.11", "4.21", "4.36"}) {
    lab::LabHost host;
    host.tool_version = version;
    all.push_back({std::string{"tool "} + version, kRing, host});
  }
  lab::LabHost mft;
  mft.tool = "mlxconfig";
  all.push_back({"mlxconfig", kRing, mft});
  lab::LabHost old;
  old.adapters["cx4"].firmware = "12.12.0500";
  all.push_back({"no Current column", kHidden, old});
  all.push_back({"software", kSoftware, {}});
  all.push_back({"burned", kBurned, {}});
  all.push_back({"burned by MFT", kBurned, mft});
  return all;
}

// A lab of the document, seen through discovery and changed through the steps of providers only.
class Bench {
 public:
  explicit Bench(const Reality& reality) : spec_{read(reality.document)} {
    add_builtin_providers(registry_);
    Diagnostics diagnostics;
    resources_ = expand(spec_, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    std::erase_if(resources_, [](const Resource& each) { return each.check_only; });
    lab::LabSpec lab;
    for (const auto& [name, node] : spec_.nodes)
      lab.hosts[name.str()] = reality.host;
    lab_ = std::make_unique<lab::Lab>(spec_, lab);
    runner_ = std::make_unique<lab::Runner>(
        *lab_, [](const std::string&) -> Result<std::string> { return std::string{kImage}; });
    for (Resource& resource : resources_) {
      const auto image = resource.binding.find("image");
      if (image == resource.binding.end()) continue;
      image->second =
          Map{{"source", "image.bin"},
              {"sha256", sha256(std::string_view{kImage}).substr(7)},
              {"bytes", static_cast<std::int64_t>(std::string_view{kImage}.size())}};
    }
  }

  lab::Lab& lab() { return *lab_; }

  discovery::Snapshot look() { return look(lab_->nodes(), registry_.probes()); }

  discovery::Snapshot look(const std::vector<NodeName>& nodes, const std::vector<Probe>& probes) {
    const discovery::DiscoverOptions options;
    const auto facts = discovery::discover(nodes, probes, *runner_, random_, options);
    for (const NodeFacts& node : facts) {
      INFO(node.node.str() << ": " << (node.failure ? node.failure->message : ""));
      REQUIRE(node.reachable());
      for (const auto& [id, output] : node.probes) {
        INFO(id << " said: " << output.standard_error);
        CHECK(output.exit_status == 0);
      }
    }
    Diagnostics diagnostics;
    std::vector<Resource> wanted = resources_;
    std::erase_if(
        wanted, [&](const Resource& each) { return !is_read(each.address, nodes, probes); });
    discovery::Snapshot snapshot = discovery::observe(wanted, facts, registry_, diagnostics);
    for (const Diagnostic& each : diagnostics.items())
      INFO(each.rule << ": " << each.message);
    for (const Diagnostic& each : diagnostics.items())
      FAIL_CHECK(each.rule << ": " << each.message);
    return snapshot;
  }

  std::vector<Change> changes(const discovery::Snapshot& snapshot) const {
    std::vector<Change> changes;
    for (const Resource& resource : resources_) {
      const Observation* observation = snapshot.find(resource.address);
      REQUIRE(observation != nullptr);
      Change change = test::change_of(
          *registry_.find(resource.address.kind),
          snapshot.nodes.at(resource.address.node).facts,
          resource,
          *observation);
      if (!change.attributes.empty()) changes.push_back(std::move(change));
    }
    return changes;
  }

  // Everything that the providers want done of `changes`, in an order that their kinds allow.
  std::size_t perform(
      const std::vector<Change>& changes,
      const discovery::Snapshot& snapshot,
      bool reboot_planned) {
    std::size_t actions = 0;
    for (const char* kind :
         {"package",
          "module",
          "adapter",
          "firmware",
          "settings",
          "link_name",
          "sysctl",
          "tuning",
          "interface"}) {
      for (const Change& change : changes) {
        const ResourceAddress& address = change.resource.address;
        if (address.kind != kind) continue;
        const NodeFacts& facts = snapshot.nodes.at(address.node).facts;
        const WorkContext context{facts, *snapshot.find(address), reboot_planned};
        const auto work = registry_.find(kind)->work(change, context);
        INFO(address.str() << (work ? "" : ": " + work.error().message));
        REQUIRE(work);
        for (const ActionDraft& draft : work->actions)
          perform(address, draft);
        actions += work->actions.size();
      }
    }
    return actions;
  }

  void reboot_all() {
    for (const NodeName& node : lab_->nodes())
      run(node, remote::step::Run{{{"systemctl", "reboot"}, ""}, false});
    for (const NodeName& node : lab_->nodes()) {
      run(node, remote::step::Pause{Duration{60'000}});
      REQUIRE(lab_->accepts_connections(node));
    }
  }

  remote::StepResult run(const NodeName& node, remote::Step step) {
    runner_->start({++ticket_, node, std::move(step)});
    for (;;) {
      if (auto result = runner_->wait_any(Duration{1'000'000})) return *std::move(result);
    }
  }

  void shell(const NodeName& node, const std::string& line) {
    const auto result = run(node, remote::step::Run{{{"sh", "-c", line}, ""}, false});
    INFO(line << ": " << result.output.standard_output << result.output.standard_error);
    REQUIRE(result.output.exit_status == 0);
  }

 private:
  static FabricSpec read(const std::string& text) {
    SourceMap sources;
    const FileId file = sources.add("document.yaml", text);
    LoadedDocument loaded = load_document(sources, {file});
    for (const Diagnostic& each : loaded.diagnostics.items())
      UNSCOPED_INFO(each.message);
    REQUIRE_FALSE(loaded.diagnostics.has_errors());
    return std::move(loaded.spec);
  }

  // The probes that the resource's provider reads ran on its node.
  bool is_read(
      const ResourceAddress& address,
      const std::vector<NodeName>& nodes,
      const std::vector<Probe>& probes) const {
    const auto ran = [&probes](const Probe& needed) {
      return std::any_of(
          probes.begin(), probes.end(), [&](const Probe& probe) { return probe.id == needed.id; });
    };
    const std::vector<Probe> needed = registry_.find(address.kind)->probes();
    return std::find(nodes.begin(), nodes.end(), address.node) != nodes.end() &&
           std::all_of(needed.begin(), needed.end(), ran);
  }

  void perform(const ResourceAddress& address, const ActionDraft& draft) {
    INFO(address.str() << ": " << draft.title);
    check_conditions(draft.preconditions, true);
    for (const auto& file : draft.writes)
      check(address.node, file);
    for (const auto& copy : draft.copies)
      check(address.node, copy);
    for (const std::string& path : draft.removes)
      check(address.node, remote::step::RemoveFile{path});
    for (const remote::Argv& argv : draft.commands) {
      check(address.node, remote::step::Run{{argv, "", draft.timeout}, false});
    }
    REQUIRE_FALSE(draft.postconditions.empty());
    check_conditions(draft.postconditions, true);
  }

  void check(const NodeName& node, const remote::Step& step) {
    const auto result = run(node, step);
    INFO(result.error.message << result.output.standard_output << result.output.standard_error);
    CHECK(result.outcome == remote::Outcome::succeeded);
    CHECK(result.output.exit_status == 0);
  }

  void check_conditions(const std::vector<Condition>& conditions, bool hold) {
    if (conditions.empty()) return;
    const ResourceAddress& one = conditions.front().address;
    const discovery::Snapshot now = look({one.node}, registry_.probes({one.kind}));
    for (const Condition& condition : conditions) {
      const Observation* observation = now.find(condition.address);
      REQUIRE(observation != nullptr);
      const auto& reading = observation->attributes.at(condition.attribute).layer(condition.layer);
      INFO(
          condition.attribute << " is " << (reading ? reading->text() : "-") << ", wanted "
                              << to_text(condition.equals));
      REQUIRE(reading.has_value());
      CHECK(
          (condition.equals.is_null() ? reading->is_absent() : reading->equals(condition.equals)) ==
          hold);
    }
  }

  FabricSpec spec_;
  Registry registry_;
  std::vector<Resource> resources_;
  std::unique_ptr<lab::Lab> lab_;
  std::unique_ptr<lab::Runner> runner_;
  Random random_{1};
  remote::Ticket ticket_ = 0;
};

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
            (path.find("fabric") != std::string::npos || path == "/var/lib/dpkg/status" ||
             path.starts_with("/boot/initrd.img-")));
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

}  // namespace
}  // namespace fabric::providers

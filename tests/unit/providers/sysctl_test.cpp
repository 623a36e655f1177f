// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "engine/model/tuning.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = sysctl_provider(kinds::kSysctl);

constexpr const char* kFile =
    "# managed by fabric: pve1/sysctl/storage\n"
    "net.ipv4.conf.all.arp_announce = 2\nnet.ipv4.conf.all.arp_ignore = 1\n";
constexpr const char* kPath = "/etc/sysctl.d/90-fabric-storage.conf";

Resource wanted() {
  return resource(
      "pve1/sysctl/storage",
      {},
      {{"net.ipv4.conf.all.arp_ignore", "1"}, {"net.ipv4.conf.all.arp_announce", "2"}});
}

std::string running(const char* ignore, const char* announce) {
  return std::string{"/proc/sys/net/ipv4/conf/all/arp_ignore:"} + ignore +
         "\n/proc/sys/net/ipv4/conf/all/arp_announce:" + announce +
         "\n/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t6291456\n";
}

std::string as_files(const std::string& path, const std::string& content) {
  std::string text;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = content.find('\n', at);
    text += path + ":" + content.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

NodeFacts facts(const std::string& values, const std::string& files) {
  return node_facts({{"sysctl", values}, {"sysctl-files", files}});
}

TEST_CASE("kernel parameters are read from /proc and from our drop-in", "[providers]") {
  auto observation = observe_one(kProvider, wanted(), facts(running("0", "2"), ""));
  CHECK(layers(observation, "net.ipv4.conf.all.arp_ignore") == "0 | - | absent");
  CHECK(layers(observation, "net.ipv4.conf.all.arp_announce") == "2 | - | absent");
  observation = observe_one(kProvider, wanted(), facts(running("1", "2"), as_files(kPath, kFile)));
  CHECK(layers(observation, "net.ipv4.conf.all.arp_ignore") == "1 | - | 1");
  CHECK(layers(observation, "net.ipv4.conf.all.arp_announce") == "2 | - | 2");
}

TEST_CASE("a key of the document is done if it can be read back", "[providers]") {
  for (const char* key :
       {"net.core.rmem_max",
        "net.ipv4.tcp_timestamps",
        "net.ipv4.conf.all.rp_filter",
        "net/ipv4/neigh/default/gc_thresh1",
        "vm.swappiness"}) {
    INFO(key);
    CHECK(kProvider.supports(wanted(), key));
  }
  for (const char* key :
       {"vm.nr_hugepages",
        "net.ipv4.conf.eth0.forwarding",
        "kernel.panic",
        "net.ipv4",
        // Secrets are never read.
        "net.ipv4.tcp_fastopen_key",
        "net.ipv6.conf.all.stable_secret"}) {
    INFO(key);
    CHECK_FALSE(kProvider.supports(wanted(), key));
  }
}

TEST_CASE(
    "blanks do not make a difference, and a name with dots is written with slashes",
    "[providers]") {
  const Resource odd = resource(
      "pve1/sysctl/storage",
      {},
      {{"net.ipv4.tcp_rmem", "4096 131072 6291456"}, {"net/ipv4/conf/eth0.100/arp_ignore", "1"}});
  const NodeFacts from = facts(
      running("0", "0") + "/proc/sys/net/ipv4/conf/eth0.100/arp_ignore:1\n",
      as_files(
          kPath,
          "# managed by fabric: x\n-net.ipv4.tcp_rmem=4096   131072 "
          "6291456\nnet/ipv4/conf/eth0.100/arp_ignore = 1\n"));
  const Observation observation = observe_one(kProvider, odd, from);
  CHECK(
      layers(observation, "net.ipv4.tcp_rmem") == "4096 131072 6291456 | - | 4096 131072 6291456");
  CHECK(layers(observation, "net/ipv4/conf/eth0.100/arp_ignore") == "1 | - | 1");
}

TEST_CASE("what the kernel does not show is unknown", "[providers]") {
  const Resource odd = resource("pve1/sysctl/x", {}, {{"net.ipv4.no_such", "1"}});
  CHECK(
      layers(observe_one(kProvider, odd, facts("", "")), "net.ipv4.no_such") ==
      "unknown (the kernel does not show this parameter) | - | absent");
  CHECK(
      layers(observe_one(kProvider, odd, node_facts({})), "net.ipv4.no_such") ==
      "unknown (/proc/sys could not be read) | - | unknown (/etc/sysctl.d could not be read)");
  CHECK(
      layers(
          observe_one(
              kProvider,
              wanted(),
              facts(running("1", "2"), as_files(kPath, "net.ipv4.conf.all.arp_ignore = 1\n"))),
          "net.ipv4.conf.all.arp_ignore") ==
      "1 | - | unknown (/etc/sysctl.d/90-fabric-storage.conf is not fabric's)");
}

TEST_CASE("the drop-in is written whole and only what differs is set", "[providers]") {
  const Work work = work_of(kProvider, wanted(), facts(running("0", "2"), ""));
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].kind == "sysctl.write");
  CHECK(work.actions[0].steps.writes().at(0).path == kPath);
  CHECK(without_record(work.actions[0].steps.writes().at(0).content) == kFile);
  CHECK(work.actions[0].undo.removes() == std::vector<std::string>{kPath});
  CHECK(work.actions[1].kind == "sysctl.set");
  CHECK(work.actions[1].disruption == Disruption::traffic);
  CHECK(commands_of(work.actions[1]) == "sysctl -w net.ipv4.conf.all.arp_ignore=1\n");
  CHECK(
      work.actions[1].undo.commands() ==
      std::vector<remote::Argv>{{"sysctl", "-w", "net.ipv4.conf.all.arp_ignore=0"}});
  CHECK(work_of(kProvider, wanted(), facts(running("0", "2"), ""), true).actions.size() == 1);
  CHECK(work_of(kProvider, wanted(), facts(running("1", "2"), as_files(kPath, kFile)))
            .actions.empty());
}

TEST_CASE("a parameter of the data path is seen by traffic, any other is not", "[providers]") {
  for (const auto& [key, seen] : std::map<std::string, Disruption>{
           {"net.ipv4.conf.all.rp_filter", Disruption::traffic},
           {"net.ipv4.conf.enp1s0f0np0.forwarding", Disruption::traffic},
           {"net.ipv6.conf.all.forwarding", Disruption::traffic},
           {"net.ipv4.ip_forward", Disruption::traffic},
           {"net.ipv4.fib_multipath_hash_policy", Disruption::traffic},
           {"net.core.rmem_max", Disruption::runtime},
           {"net.ipv4.tcp_timestamps", Disruption::runtime},
           {"vm.swappiness", Disruption::runtime}}) {
    INFO(key);
    std::string path = "/proc/sys/" + key;
    std::replace(path.begin(), path.end(), '.', '/');
    const Resource one = resource("pve1/sysctl/storage", {}, {{key, "7"}});
    const Work work = work_of(kProvider, one, facts(path + ":0\n", ""));
    REQUIRE(work.actions.size() == 2);
    CHECK(work.actions[1].disruption == seen);
    CHECK(kProvider.disruption(facts("", ""), one, key) == seen);
  }
}

TEST_CASE("a foreign file that is read later and says otherwise is a finding", "[providers]") {
  const auto found = [](const std::string& path, const std::string& line) {
    Diagnostics diagnostics;
    observe_one(
        kProvider,
        wanted(),
        facts(running("0", "0"), as_files(path, "# x\n" + line + "\n")),
        diagnostics);
    return diagnostics.empty()
               ? std::string{}
               : diagnostics.items().front().rule + ": " + diagnostics.items().front().message;
  };
  CHECK(
      found("/etc/sysctl.d/99-local.conf", "net.ipv4.conf.all.arp_ignore = 0") ==
      "foreign-configuration: pve1: /etc/sysctl.d/99-local.conf:2 sets "
      "net.ipv4.conf.all.arp_ignore to 0 after "
      "/etc/sysctl.d/90-fabric-storage.conf, which has 1");
  CHECK_FALSE(found("/etc/sysctl.conf", "net/ipv4/conf/all/arp_ignore=2").empty());
  CHECK(found("/etc/sysctl.d/99-local.conf", "net.ipv4.conf.all.arp_ignore = 1").empty());
  CHECK(found("/usr/lib/sysctl.d/50-default.conf", "net.ipv4.conf.all.arp_ignore = 0").empty());
}

TEST_CASE(
    "a tuning profile has a file of its own, read before what is set by name", "[providers]") {
  const Provider provider = sysctl_provider(kinds::kTuning);
  const Resource profile =
      resource("pve1/tuning/40g", {}, {{"net.ipv4.tcp_rmem", "4096 87380 4194304"}});
  const Work work = work_of(provider, profile, facts(running("0", "0"), ""));
  REQUIRE(work.actions.size() == 2);
  CHECK(work.actions[0].steps.writes().at(0).path == "/etc/sysctl.d/80-fabric-tuning-40g.conf");
  CHECK(work.actions[0].steps.writes().at(0).content.ends_with(
      "\nnet.ipv4.tcp_rmem = 4096 87380 4194304\n"));
  CHECK(
      work.actions[1].undo.commands() ==
      std::vector<remote::Argv>{{"sysctl", "-w", "net.ipv4.tcp_rmem=4096 131072 6291456"}});
}

TEST_CASE("every parameter of a profile can be read back", "[providers]") {
  for (const TuningProfile& profile : tuning_profiles()) {
    for (const TuningValue& value : profile.values) {
      INFO(profile.name << " " << value.key);
      CHECK(kProvider.supports(wanted(), value.key));
    }
  }
}

}  // namespace
}  // namespace fabric::providers

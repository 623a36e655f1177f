// SPDX-License-Identifier: Apache-2.0
// Kernel parameters that go from one resource of a node to another.
#include "engine/platform/owned_file.hpp"
#include "engine/provider/orphan.hpp"
#include "engine/provider/registry.hpp"
#include "providers/builtin.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sysctl/kernel_parameters.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kKey = "net.core.rmem_max";
using Files = std::map<std::string, std::string>;

// A node whose files are those that fabric writes to it, one plan after the other.
class Host {
 public:
  // What a plan wants for `wanted`, done.
  void apply(const std::vector<Resource>& wanted) {
    for (const Resource& resource : planned(wanted)) {
      for (const ActionDraft& draft : work(resource))
        perform(draft);
    }
  }

  std::vector<Resource> planned(const std::vector<Resource>& wanted) const {
    return with_orphans(wanted, find_orphans(wanted, {facts()}, registry()), registry());
  }

  std::vector<ActionDraft> work(const Resource& resource) const {
    const Provider& provider = *registry().find(resource);
    const NodeFacts now = facts();
    const Observation observation = observe_one(provider, resource, now);
    Change change = change_of(provider, now, resource, observation);
    if (is_orphan(resource)) change.kind = ChangeKind::remove;
    const auto work = provider.work(change, WorkContext{now, observation, false});
    if (!work) FAIL(work.error().message);
    return work->actions;
  }

  void perform(const ActionDraft& draft) {
    for (const auto& write : draft.steps.writes())
      files_[write.path] = write.content;
    for (const std::string& path : draft.steps.removes())
      files_.erase(path);
    for (const remote::Argv& argv : draft.steps.commands()) {
      for (const remote::Word& each : argv) {
        const std::string word{each};
        if (word.find("rmem_max=") != std::string::npos) value_ = word.substr(word.find('=') + 1);
      }
    }
  }

  const std::string& value() const { return value_; }
  Files& files() { return files_; }

 private:
  static const Registry& registry() {
    static const Registry all = [] {
      Registry registry;
      add_builtin_providers(registry);
      return registry;
    }();
    return all;
  }

  NodeFacts facts() const {
    std::string text;
    for (const auto& [path, content] : files_) {
      for (std::size_t at = 0, end = 0; at < content.size(); at = end + 1) {
        end = content.find('\n', at);
        text += path + ":" + content.substr(at, end - at) + "\n";
      }
    }
    return node_facts(
        {{"sysctl", "/proc/sys/net/core/rmem_max:" + value_ + "\n"}, {"sysctl-files", text}});
  }

  std::string value_ = "212992";
  Files files_;
};

Resource profile(const char* name, const char* value) {
  return resource(std::string{"pve1/tuning/"} + name, {}, {{kKey, value}});
}

Resource own(const char* value, const char* key = kKey) {
  return resource("pve1/sysctl/node", {}, {{key, value}});
}

Resource& of_kind(std::vector<Resource>& resources, const std::string& address) {
  for (Resource& each : resources) {
    if (each.address.str() == address) return each;
  }
  FAIL(address);
  return resources.front();
}

TEST_CASE("who takes over a kernel parameter sets it, who leaves it does not", "[providers]") {
  Host host;
  host.apply({profile("40g", "4194304")});
  REQUIRE(host.value() == "4194304");
  std::vector<Resource> planned = host.planned({profile("mellanox-40ge", "16777216")});
  REQUIRE(planned.size() == 2);
  const Resource& leaving = of_kind(planned, "pve1/tuning/40g");
  const Resource& coming = of_kind(planned, "pve1/tuning/mellanox-40ge");
  CHECK(leaving.after == std::vector<ResourceAddress>{coming.address});
  CHECK(leaving.binding.at(std::string{kTakenOver}) == Value{List{kKey}});
  const std::vector<ActionDraft> removal = host.work(leaving);
  REQUIRE(removal.size() == 1);
  CHECK(removal[0].kind == "sysctl.write");
  const std::vector<ActionDraft> setting = host.work(coming);
  REQUIRE(setting.size() == 2);
  CHECK(commands_of(setting[1]) == "sysctl -w net.core.rmem_max=16777216\n");
  CHECK(owned_before(setting[0].steps.writes().at(0).content) == Map{{kKey, "212992"}});
}

TEST_CASE("a kernel parameter goes back to what it was before all of us", "[providers]") {
  Host host;
  host.apply({profile("40g", "4194304")});
  host.apply({profile("mellanox-40ge", "16777216")});
  CHECK(host.value() == "16777216");
  // The profile stays, for its other parameters, and this one goes to the node and back.
  const Resource less = resource("pve1/tuning/mellanox-40ge", {}, {{"net.core.wmem_max", "1"}});
  host.apply({less, own("8388608")});
  CHECK(host.value() == "8388608");
  host.apply({profile("mellanox-40ge", "16777216")});
  CHECK(host.value() == "16777216");
  CHECK(host.files().size() == 1);
  host.apply({});
  CHECK(host.value() == "212992");
  CHECK(host.files().empty());
}

TEST_CASE("what was before is not lost if an apply ends before the other file", "[providers]") {
  Host host;
  host.apply({profile("40g", "4194304")});
  const Resource less = resource("pve1/tuning/40g", {}, {{"net.core.wmem_max", "1"}});
  std::vector<Resource> planned = host.planned({less, own("8388608")});
  host.perform(host.work(of_kind(planned, "pve1/tuning/40g")).at(0));
  host.apply({less, own("8388608")});
  host.apply({});
  CHECK(host.value() == "212992");
}

TEST_CASE("of two that leave a parameter at once one puts it back", "[providers]") {
  const Resource one = resource("pve1/sysctl/one", {}, {{kKey, "1"}});
  const Resource two = resource("pve1/sysctl/two", {}, {{kKey, "1"}});
  Host host;
  host.apply({one});
  host.apply({one, two});
  host.apply({two});
  CHECK(host.value() == "1");
  host.apply({one, two});
  std::vector<Resource> planned = host.planned({});
  REQUIRE(planned.size() == 2);
  CHECK(host.work(of_kind(planned, "pve1/sysctl/one")).size() == 2);
  CHECK(host.work(of_kind(planned, "pve1/sysctl/two")).size() == 1);
  host.apply({});
  CHECK(host.value() == "212992");
}

TEST_CASE("a file that spells a key in another way is not left behind", "[providers]") {
  Host host;
  host.apply({own("5", "net/core/rmem_max")});
  CHECK(host.planned({own("5")}).size() == 1);
  CHECK(host.planned({own("5")}).at(0).desired.size() == 1);
  CHECK(host.work(own("5")).empty());
  host.apply({own("6")});
  host.apply({profile("40g", "7")});
  CHECK(host.value() == "7");
  host.apply({});
  CHECK(host.value() == "212992");
}

}  // namespace
}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include "plans/undo.hpp"

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "plans/undo_stays.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/plans/planned_world.hpp"

using namespace fabric;
using fabric::test::address;
using fabric::test::Lines;
using fabric::test::node;
using fabric::test::outline;
using fabric::test::ResourceBuilder;
using plans::UndoneRun;
using plans::Withheld;

namespace {

constexpr const char* kPort = "interface/p1";

struct World : test::World {
  World() { spec.rollout.confirm_timeout.value = Duration{60'000}; }
  // A port whose file and activation have a way back.
  ResourceBuilder port(const std::string& name, Value mtu) {
    fleet.nodes.try_emplace(node(name), test::FakeNode{.machine_id = name});
    return ResourceBuilder{name + "/" + kPort}
        .wants("mtu", std::move(mtu))
        .binding("former", "mtu=1500")
        .binding("cuts_off", true);
  }
  void has(const std::string& running, const std::string& persistent) {
    has("a", kPort, "mtu", running, persistent);
  }
  void has(
      const std::string& name,
      const std::string& resource,
      const std::string& attribute,
      const std::string& running,
      const std::string& later) {
    const Layer layer = resource.starts_with("settings") ? Layer::next_boot : Layer::persistent;
    const auto put = [](std::optional<std::string>& at, const std::string& value) {
      at = value.empty() ? std::nullopt : std::optional{value};
    };
    put(at(name, resource, attribute, Layer::running), running);
    put(at(name, resource, attribute, layer), later);
  }
  // Plans, and does so many of the actions.
  UndoneRun run(std::size_t actions = 100) {
    UndoneRun done{"r1", plan(), {}};
    for (const plans::Action& action : done.plan.actions) {
      if (actions-- == 0) break;
      done.begun.insert(action.id);
      for (const Condition& each : action.draft.postconditions)
        at(each.address.node.str(),
           each.address.kind + "/" + each.address.name,
           each.attribute,
           each.layer) = each.equals.is_null() ? std::nullopt : std::optional{to_text(each.equals)};
    }
    return done;
  }
  discovery::Snapshot snapshot() {
    const Registry registry = test::fake_registry();
    std::vector<NodeFacts> facts;
    for (const auto& [name, host] : fleet.nodes) {
      facts.push_back(fleet.facts(name));
      if (unreachable.contains(name)) facts.back().failure = Error{ErrorCode::unreachable, "off"};
    }
    return discovery::observe(resources, facts, registry, diagnostics);
  }
  plans::Undoing undo(const UndoneRun& done) {
    return plans::undo({done, resources, snapshot()}, diagnostics);
  }
  void name_ended(const UndoneRun& done, const std::set<NodeName>& reboots) {
    plans::name_ended_by_boots({done, resources, snapshot()}, reboots, diagnostics);
  }
  plans::Plan undo_plan(const UndoneRun& done) {
    undone = &done;
    plans::Plan made = plan();
    undone = nullptr;
    return made;
  }
};

World of_port(const Value& mtu = 9000) {
  World world;
  world.resources.push_back(world.port("a", mtu));
  world.has("1500", "1500");
  return world;
}

Lines titles(const plans::Candidate& candidate) {
  Lines found;
  for (const ActionDraft& draft : candidate.recorded)
    found.push_back(draft.title);
  return found;
}

std::string left(const plans::Undoing& undoing) {
  REQUIRE(undoing.candidates.size() == 1);
  const std::optional<Withheld>& withheld = undoing.candidates.front().withheld;
  REQUIRE(withheld);
  CHECK(withheld->why == Withheld::Why::left);
  CHECK(undoing.candidates.front().recorded.empty());
  return withheld->detail;
}

const Lines kBoth{"undo: activate interface/p1", "undo: write interface/p1"};

}  // namespace

TEST_CASE("what a run set is set back, the last first", "[undo]") {
  World world = of_port();
  const UndoneRun done = world.run();
  const plans::Undoing undoing = world.undo(done);
  REQUIRE(undoing.candidates.size() == 1);
  const plans::Candidate& back = undoing.candidates.front();
  CHECK(!back.withheld);
  CHECK(back.change.kind == ChangeKind::update);
  CHECK(back.change.by_record);
  REQUIRE(back.change.attributes.size() == 1);
  CHECK(back.change.attributes[0].desired == Value{1500});
  CHECK(back.change.attributes[0].reason == "the node had this value before run r1");
  CHECK(titles(back) == kBoth);
  // Its own way back is what the run did, and it is read back by what was there.
  const ActionDraft& write = back.recorded.back();
  CHECK(write.undo == done.plan.actions.front().draft.steps);
  CHECK(write.steps == done.plan.actions.front().draft.undo);
  CHECK(
      write.postconditions ==
      std::vector<Condition>{{address("a/interface/p1"), "mtu", Layer::persistent, 1500}});
  CHECK(back.recorded.front().may_cut_off);
  CHECK(world.diagnostics.empty());
}

TEST_CASE("of half a run half is undone, and of none of it nothing", "[undo]") {
  World world = of_port();
  const plans::Undoing half = world.undo(world.run(1));
  REQUIRE(half.candidates.size() == 1);
  CHECK(titles(half.candidates.front()) == Lines{"undo: write interface/p1"});
  CHECK(!half.candidates.front().change.attributes.at(0).activate);
  world = of_port();
  CHECK(world.undo(world.run(0)).candidates.empty());
  // Begun, and rolled back by itself.
  UndoneRun done = world.run();
  world.has("1500", "1500");
  CHECK(world.undo(done).candidates.empty());
  // The same if somebody put it so meanwhile, without having been begun.
  done.begun.clear();
  world.has("9000", "9000");
  CHECK(world.undo(done).candidates.empty());
}

TEST_CASE("what somebody has changed since is left, in whichever layer", "[undo]") {
  for (const auto& [running, persistent, layer, now] :
       {std::tuple{"4000", "9000", "running", "4000"},
        std::tuple{"9000", "4000", "persistent", "4000"},
        std::tuple{"1500", "4000", "persistent", "4000"},
        std::tuple{"", "", "running", "absent"},
        std::tuple{"9000", "", "persistent", "absent"}}) {
    World world = of_port();
    const UndoneRun done = world.run();
    world.has(running, persistent);
    CHECK(
        left(world.undo(done)) == std::string{"mtu ("} + layer +
                                      ") was changed since the run: it is " + now +
                                      ", and the run made it 9000");
  }
}

TEST_CASE("what can't be read now is not judged", "[undo]") {
  World world = of_port();
  const UndoneRun done = world.run();
  world.has("9000", "?");
  const plans::Undoing unread = world.undo(done);
  REQUIRE(unread.candidates.size() == 1);
  CHECK(unread.candidates[0].change.kind == ChangeKind::unknown);
  world.unreachable.insert(node("a"));
  const plans::Undoing unreached = world.undo(done);
  REQUIRE(unreached.candidates.size() == 1);
  CHECK(unreached.candidates[0].change.kind == ChangeKind::unknown);
  CHECK(unreached.candidates[0].recorded.empty());
}

TEST_CASE("what a run made is taken away, and what it took away is made", "[undo]") {
  World world = of_port();
  world.has("", "");
  plans::Undoing undoing = world.undo(world.run());
  REQUIRE(undoing.candidates.size() == 1);
  CHECK(undoing.candidates[0].change.kind == ChangeKind::remove);
  CHECK(undoing.candidates[0].change.attributes.at(0).desired.is_null());
  CHECK(
      undoing.candidates[0].recorded.back().postconditions ==
      std::vector<Condition>{{address("a/interface/p1"), "mtu", Layer::persistent, Value{}}});

  world = of_port(Value{});
  undoing = world.undo(world.run());
  REQUIRE(undoing.candidates.size() == 1);
  CHECK(undoing.candidates[0].change.kind == ChangeKind::add);
  CHECK(undoing.candidates[0].change.attributes.at(0).desired == Value{1500});
}

TEST_CASE("what nothing brings back is named and left", "[undo]") {
  World world = of_port();
  UndoneRun done = world.run();
  for (plans::Action& action : done.plan.actions)
    action.draft.irreversible = "it was burned";
  CHECK(left(world.undo(done)) == "it was burned");
  CHECK(world.diagnostics.items().size() == 2);
  CHECK(world.diagnostics.items()[0].subject.str() == "a/interface/p1/mtu/running");
  CHECK(world.diagnostics.items()[1].subject.str() == "a/interface/p1/mtu/persistent");
  for (plans::Action& action : done.plan.actions) {
    action.draft.irreversible.clear();
    action.draft.undo = {};
  }
  CHECK(left(world.undo(done)) == "the plan of the run has no way back");
}

TEST_CASE("a setting goes back by a boot, but not within a sequence of boots", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  UndoneRun done = world.run();
  world.has("a", "settings/cx5", "X", "2", "2");
  const plans::Plan plan = world.undo_plan(done);
  CHECK(outline(plan) == Lines{"a0001 w1 a settings.set", "a0002 w1 a reboot <- a0001"});
  CHECK(plan.actions[0].draft.preconditions.at(0).equals == Value{2});
  CHECK(plan.actions[1].draft.postconditions.at(0).equals == Value{1});
  // An undo was cut off before its boot.
  world.has("a", "settings/cx5", "X", "2", "1");
  const plans::Plan boot = world.undo_plan(done);
  CHECK(outline(boot) == Lines{"a0001 w1 a reboot"});
  CHECK(boot.actions.at(0).draft.postconditions.at(0).equals == Value{1});
  world.has("a", "settings/cx5", "X", "2", "2");
  done.plan.actions.back().sequence = "twice";
  CHECK(left(world.undo(done)).starts_with("the run set the values in a sequence of boots"));
}

TEST_CASE("what was set together is undone together or not at all", "[undo]") {
  World world = of_port();
  world.resources.push_back(ResourceBuilder{"a/interface/p2"}
                                .wants("mtu", 9000)
                                .binding("former", "1")
                                .binding("cuts_off", true));
  world.has("a", "interface/p2", "mtu", "1500", "1500");
  UndoneRun done = world.run();
  for (plans::Action& action : done.plan.actions)
    action.covers = {address("a/interface/p1"), address("a/interface/p2")};
  plans::Undoing undoing = world.undo(done);
  REQUIRE(undoing.candidates.size() == 2);
  CHECK(undoing.candidates[0].change.resource.part_of == address("a/interface/p2"));
  CHECK(undoing.candidates[1].change.resource.part_of == address("a/interface/p1"));
  world.has("4000", "9000");
  undoing = world.undo(done);
  REQUIRE(undoing.candidates.size() == 2);
  CHECK(undoing.candidates[0].withheld);
  REQUIRE(undoing.candidates[1].withheld);
  CHECK(
      undoing.candidates[1].withheld->detail ==
      "the run set it together with a/interface/p1, which stays");
}

TEST_CASE("every undo goes the other way than the run that it undoes", "[undo]") {
  World world;
  world.resources.push_back(world.port("a", 9000));
  world.resources.push_back(world.port("b", 9000).after("a/interface/p1"));
  for (const char* each : {"a", "b"})
    world.has(each, kPort, "mtu", "1500", "1500");
  UndoneRun last = world.run();
  const auto first_of = [](const plans::Plan& plan) {
    return plan.actions.front().node.str();
  };
  REQUIRE(first_of(last.plan) == "a");
  const std::string title = last.plan.actions.front().draft.title;
  for (int undos = 1; undos <= 4; ++undos) {
    UndoneRun next{"r" + std::to_string(undos + 1), world.undo_plan(last), {}};
    REQUIRE(next.plan.actions.size() == 4);
    CHECK(next.plan.undoes == last.run);
    CHECK(next.plan.backwards == (undos % 2 == 1));
    CHECK(first_of(next.plan) == (undos % 2 == 1 ? "b" : "a"));
    CHECK(next.plan.actions.front().draft.title.starts_with("undo: ") == (undos % 2 == 1));
    const std::string mtu = undos % 2 == 1 ? "1500" : "9000";
    for (const char* each : {"a", "b"})
      world.has(each, kPort, "mtu", mtu, mtu);
    for (const plans::Action& action : next.plan.actions)
      next.begun.insert(action.id);
    last = std::move(next);
  }
}

TEST_CASE("what only files tell of the next boot is proven by the boot", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  UndoneRun done = world.run();
  world.has("a", "settings/cx5", "X", "2", "2");
  plans::Action& set = done.plan.actions.front();
  const auto next_boots = [&world, &done] {
    const std::vector<Condition> read =
        world.undo(done).candidates.at(0).recorded.at(0).postconditions;
    return std::count_if(read.begin(), read.end(), [](const Condition& each) {
      return each.layer == Layer::next_boot;
    });
  };
  CHECK(next_boots() == 1);
  set.draft.steps = {};
  set.draft.steps.write({"/fake/driver", "X=2\n", 0644, "root:root"});
  CHECK(next_boots() == 0);
}

TEST_CASE("what a card ran with where nothing was set for its boot is not asked for", "[undo]") {
  World world;
  world.fleet.add("a");
  world.resources.push_back(
      ResourceBuilder{"a/settings/cx5"}.wants("X", 2).binding("former", "none"));
  const UndoneRun done = world.run();
  // A driver that is loaded now says what it runs with, whatever that is.
  for (const char* running : {"2", "7"}) {
    world.has("a", "settings/cx5", "X", running, "2");
    CHECK(
        outline(world.undo_plan(done)) ==
        Lines{"a0001 w1 a settings.set", "a0002 w1 a reboot <- a0001"});
    world.has("a", "settings/cx5", "X", running, "");
    CHECK(world.undo(done).candidates.empty());
  }
}

TEST_CASE("what a machine shows of its own accord is as good as absent", "[undo]") {
  World world = of_port();
  world.has("", "");
  const UndoneRun done = world.run();
  // The interface is there by now, as another run or a boot has made it.
  world.has("1500", "");
  CHECK(world.undo(done).candidates.empty());
  // A file that says so is one.
  world.has("1500", "9000");
  CHECK(titles(world.undo(done).candidates.at(0)) == Lines{"undo: write interface/p1"});
  world.has("1400", "");
  CHECK(left(world.undo(done)).starts_with("mtu (running) was changed since the run: it is 1400"));
}

TEST_CASE("an MTU that a subnet gives before and after a run is nobody's change", "[undo]") {
  World world = of_port(65520);
  world.has("2044", "");
  const UndoneRun done = world.run(1);
  // The run was cut off before its activation, and a manager has come meanwhile.
  world.has("4092", "65520");
  CHECK(titles(world.undo(done).candidates.at(0)) == Lines{"undo: write interface/p1"});
  world.has("4000", "65520");
  CHECK(left(world.undo(done)).starts_with("mtu (running) was changed since the run: it is 4000"));
}

TEST_CASE("a boot is made up for where nothing shows whether it came", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  world.has("a", "settings/cx5", "X", "", "1");
  world.resources.push_back(world.port("a", 9000));
  world.has("1500", "1500");
  UndoneRun done = world.run();
  for (plans::Action& action : done.plan.actions)
    std::erase_if(action.draft.postconditions, [](const Condition& each) {
      return each.address == address("a/interface/p1") && each.layer == Layer::running;
    });
  // An undo has set both back and was cut off before its boot.
  world.has("a", "settings/cx5", "X", "", "1");
  world.has("9000", "1500");
  CHECK(outline(world.undo_plan(done)) == Lines{"a0001 w1 a reboot"});
  world.has("1500", "1500");
  CHECK(outline(world.undo_plan(done)).empty());
}

TEST_CASE("an undo of an undo makes of both layers what one of them was", "[undo]") {
  for (const auto& [running, persistent] :
       {std::pair{"9000", ""}, {"9000", "1500"}, {"1500", "9000"}, {"", "9000"}}) {
    World world = of_port();
    const UndoneRun first = world.run();
    // One layer is as before the run, by hand.
    const bool was_absent = std::string{running}.empty() || std::string{persistent}.empty();
    UndoneRun before = first;
    for (plans::PlannedChange& change : before.plan.changes) {
      const Reading former = was_absent ? Reading::absent() : Reading::of(1500);
      change.attribute.observed.running = change.attribute.observed.persistent = former;
    }
    world.has(running, persistent);
    UndoneRun undone{"r2", world.undo_plan(before), {}};
    for (const plans::Action& action : undone.plan.actions)
      undone.begun.insert(action.id);
    const std::string former = was_absent ? "" : "1500";
    world.has(former, former);
    // The work of a back end that writes and activates at once.
    for (plans::Action& action : undone.plan.actions)
      action.draft.postconditions = {
          {address("a/interface/p1"), "mtu", Layer::running, {}},
          {address("a/interface/p1"), "mtu", Layer::persistent, {}}};
    world.diagnostics = {};
    const plans::Undoing again = world.undo(undone);
    REQUIRE(again.candidates.size() == 1);
    REQUIRE(!again.candidates[0].withheld);
    CHECK(again.candidates[0].change.attributes.at(0).desired == Value{9000});
    for (const ActionDraft& draft : again.candidates[0].recorded)
      for (const Condition& each : draft.postconditions)
        CHECK(each.equals == Value{9000});
    REQUIRE(world.diagnostics.items().size() == 1);
    CHECK(world.diagnostics.items()[0].rule == "undo-stays");
    // What it has made is what can be had.
    world.has("9000", "9000");
    CHECK(world.undo(undone).candidates.empty());
  }
}

TEST_CASE("a file that goes is told apart from what runs on", "[undo]") {
  World world = of_port();
  world.has("1500", "");
  world.resources.back().desired["mtu"].value = 1500;
  const UndoneRun done = world.run();
  const plans::Plan plan = world.undo_plan(done);
  REQUIRE(plan.changes.size() == 1);
  CHECK(plan.changes[0].attribute.desired.is_null());
  CHECK(!plan.changes[0].attribute.activate);
}

TEST_CASE("what a boot has ended, or will end, is named", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  world.has("a", "settings/cx5", "X", "1", "3");
  const UndoneRun done = world.run(0);
  const auto said = [&](const std::string& running, const std::set<NodeName>& reboots) {
    world.has("a", "settings/cx5", "X", running, "3");
    world.diagnostics = {};
    world.name_ended(done, reboots);
    return world.diagnostics.items().empty() ? std::string{}
                                             : world.diagnostics.items().front().message;
  };
  const auto told = [](const std::string& how, const std::string& why) {
    return "a: settings/cx5: X (running) does not " + how +
           " 1: 3 was set for the next boot before the run, and " + why;
  };
  CHECK(said("1", {}).empty());
  CHECK(said("1", {node("a")}) == told("stay", "this undo boots the node"));
  CHECK(said("3", {}) == told("become", "a boot has come since"));
  CHECK(said("?", {node("a")}).empty());
}

TEST_CASE("what a value that stays shows for the first time is named", "[undo]") {
  World world = of_port();
  world.resources.push_back(
      ResourceBuilder{"a/interface/p2"}.wants("mtu", 9000).after("a/interface/p1"));
  world.has("a", "interface/p2", "mtu", "?", "1500");
  UndoneRun done = world.run();
  const auto named = [&world, &done] {
    world.diagnostics = {};
    static_cast<void>(world.undo_plan(done));
    Lines found;
    for (const Diagnostic& each : world.diagnostics.items())
      if (each.subject.str().starts_with("a/interface/p2")) found.push_back(each.subject.str());
    return found;
  };
  CHECK(named().empty());
  for (plans::Action& action : done.plan.actions)
    action.draft.undo = {};
  CHECK(named() == Lines{"a/interface/p2/mtu/running"});
}

TEST_CASE("what came with a boot alone goes with the boot of the undo", "[undo]") {
  for (const bool boots : {true, false}) {
    World world;
    world.needs_reboot("a");
    world.resources.back().binding.emplace("former", "X=1");
    world.has("a", "settings/cx5", "X", "1", "1");
    world.resources.push_back(world.port("a", 9000));
    world.has("1500", "1500");
    UndoneRun done = world.run();
    // The file went by the timer of the boot, and the port runs as that boot has made it.
    world.has("9000", "1500");
    for (plans::Action& action : done.plan.actions)
      std::erase_if(action.draft.postconditions, [](const Condition& each) {
        return each.address == address("a/interface/p1") && each.layer == Layer::running;
      });
    world.has("a", "settings/cx5", "X", boots ? "2" : "1", boots ? "2" : "1");
    const plans::Undoing undoing = world.undo(done);
    REQUIRE(undoing.candidates.size() == (boots ? 2 : 1));
    CHECK(undoing.candidates[0].address().kind == "interface");
    for (const plans::Candidate& each : undoing.candidates)
      CHECK(each.withheld.has_value() != boots);
    const plans::Plan plan = world.undo_plan(done);
    const Lines work{"a0001 w1 a settings.set", "a0002 w1 a reboot <- a0001"};
    CHECK(outline(plan) == (boots ? work : Lines{}));
    // Whether the boot brings back what another one has brought, the next plan tells.
    if (boots) CHECK(plan.actions[1].draft.postconditions.size() == 1);
  }
}

TEST_CASE("what a sequence of boots has set on its way is shown where it stays", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  world.has("a", "settings/cx5", "X", "1", "1");
  world.resources.push_back(ResourceBuilder{"a/settings/cx6"}.wants("M", 0));
  world.has("a", "settings/cx6", "M", "0", "0");
  UndoneRun done = world.run(1);
  const ResourceAddress card = address("a/settings/cx6");
  plans::Action& first = done.plan.actions.front();
  first.covers = {card};
  first.draft.postconditions = {{card, "M", Layer::next_boot, 1}};
  done.plan.actions.back().draft.postconditions.push_back({card, "M", Layer::next_boot, 0});
  done.plan.actions.back().sequence = "twice";
  world.has("a", "settings/cx5", "X", "1", "1");
  CHECK(world.undo(done).candidates.empty());
  world.has("a", "settings/cx6", "M", "0", "1");
  CHECK(left(world.undo(done)).starts_with("the run set the values in a sequence of boots"));
  const plans::Undoing undoing = world.undo(done);
  const auto& attributes = undoing.candidates.front().change.attributes;
  REQUIRE(attributes.size() == 1);
  CHECK(attributes[0].desired == Value{0});
  // So is what boots alone have set.
  world.has("a", "settings/cx6", "M", "0", "0");
  world.has("a", "settings/cx5", "X", "2", "1");
  CHECK(left(world.undo(done)).starts_with("the run set the values in a sequence of boots"));
}

TEST_CASE("what the way back takes from other actions, its own way back makes again", "[undo]") {
  World world = of_port();
  UndoneRun done = world.run();
  plans::Action& last = done.plan.actions.back();
  const remote::step::WriteFile slave{"/fake/slave", "of a bond", 0644, "root:root"};
  last.draft.undo.remove(slave.path);
  for (plans::Action& action : done.plan.actions)
    if (action.id != last.id) action.draft.steps.write(slave);
  std::size_t found = 0;
  for (const plans::Candidate& each : world.undo(done).candidates) {
    for (const ActionDraft& draft : each.recorded) {
      const auto removed = draft.steps.removes();
      if (std::find(removed.begin(), removed.end(), slave.path) == removed.end()) continue;
      const auto made = draft.undo.writes();
      CHECK(std::count(made.begin(), made.end(), slave) == 1);
      CHECK(each.address().node == last.node);
      ++found;
    }
  }
  CHECK(found == 1);
}

TEST_CASE("a file that was there before the run is there after its undo", "[undo]") {
  World world = of_port();
  UndoneRun done = world.run();
  const std::string path = "/fake/slave";
  done.plan.actions.back().draft.undo.remove(path);
  discovery::Snapshot now = world.snapshot();
  const std::string text = owned_marker(address("a/interface/p2")) + "of a bond\n";
  std::string lines;
  for (const std::string_view line : split_lines(text))
    lines += path + ":" + std::string{line} + "\n";
  now.nodes.at(node("a")).facts.probes["files"] = ProbeOutput{"", 0, lines, ""};
  const plans::Undoing undoing = plans::undo({done, world.resources, now}, world.diagnostics);
  const ActionDraft& draft = undoing.candidates.at(0).recorded.front();
  CHECK(draft.steps.removes().back() == path);
  for (const WorkSteps* steps : {&draft.steps, &draft.undo}) {
    const auto writes = steps->writes();
    CHECK(std::any_of(writes.begin(), writes.end(), [&](const remote::step::WriteFile& each) {
      return each.path == path && each.content == text;
    }));
  }
  const auto* last = std::get_if<remote::step::WriteFile>(&*(draft.steps.end() - 1));
  REQUIRE(last != nullptr);
  CHECK(last->path == path);
}

TEST_CASE("what a change that waits has made readable is named", "[undo]") {
  World world = of_port();
  world.resources.push_back(
      ResourceBuilder{"a/interface/p2"}.wants("mtu", 9000).after("a/interface/p1"));
  world.has("a", "interface/p2", "mtu", "?", "1500");
  const UndoneRun done = world.run();
  world.has("4000", "4000");
  world.diagnostics = {};
  static_cast<void>(world.undo_plan(done));
  const auto& items = world.diagnostics.items();
  CHECK(std::any_of(items.begin(), items.end(), [](const Diagnostic& each) {
    return each.subject.str() == "a/interface/p2/mtu/running";
  }));
}

TEST_CASE("every action has the title of its way back", "[undo]") {
  World world = of_port();
  UndoneRun done = world.run();
  done.plan.actions.front().draft.way_back = "unset the MTU";
  const ActionDraft back = world.undo(done).candidates.at(0).recorded.back();
  CHECK(back.title == "unset the MTU");
  CHECK(back.way_back == "write interface/p1");
}

TEST_CASE("nothing is booted for a value that stays", "[undo]") {
  World world;
  world.needs_reboot("a");
  world.resources.back().binding.emplace("former", "X=1");
  world.resources.back().desired["Y"] = {2, {}, "because"};
  world.has("a", "settings/cx5", "Y", "1", "1");
  UndoneRun done = world.run();
  plans::Action burnt = done.plan.actions.front();
  burnt.id = "a0009";
  burnt.draft.undo = {};
  const auto is_of = [](const char* name) {
    return [name](const Condition& each) {
      return each.attribute == name;
    };
  };
  std::erase_if(burnt.draft.postconditions, is_of("X"));
  std::erase_if(done.plan.actions.front().draft.postconditions, is_of("Y"));
  done.plan.actions.push_back(burnt);
  done.begun.insert(burnt.id);
  world.has("a", "settings/cx5", "X", "1", "2");
  world.has("a", "settings/cx5", "Y", "2", "2");
  const plans::Plan plan = world.undo_plan(done);
  CHECK(outline(plan) == Lines{"a0001 w0 a settings.set"});
  REQUIRE(plan.changes.size() == 1);
  CHECK(plan.changes[0].attribute.attribute == "X");
}

// SPDX-License-Identifier: Apache-2.0
// FakeProvider: one kind of resource of a FakeFleet. Values are whole numbers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/provider/registry.hpp"
#include "providers/linux/machine/linux_platform.hpp"

#include "tests/support/fake_fleet.hpp"

namespace fabric::test {

// "settings": running and next boot, a reboot activates. "cable": running alone, and a person is
// waited for, ten minutes. "carrier": watched, yes or no. Else running and persistent, and an
// action of its own activates, at the cost that is given.
class FakeProvider {
 public:
  FakeProvider(std::string kind, Disruption disruption)
      : kind_{std::move(kind)}, disruption_{disruption} {}

  std::vector<Observation> observe(
      std::span<const Resource> wanted,
      const NodeFacts& facts,
      Diagnostics& /*diagnostics*/) const {
    std::vector<Observation> observations;
    for (const Resource& resource : wanted) {
      Observation observation{resource.address, {}};
      if (kind_ == "carrier") {
        const Reading number = read(resource, "carrier", Layer::running, facts);
        observation.attributes["carrier"].running = Reading::of(number.equals(1));
      }
      for (const auto& [attribute, desired] : resource.desired) {
        LayeredReading& reading = observation.attributes[attribute];
        reading.running = read(resource, attribute, Layer::running, facts);
        if (kind_ == "cable") continue;
        (boots() ? reading.next_boot : reading.persistent) =
            read(resource, attribute, boots() ? Layer::next_boot : Layer::persistent, facts);
      }
      observations.push_back(std::move(observation));
    }
    return observations;
  }

  Result<Work> work(const Change& change, const WorkContext& context) const {
    const std::string name = kind_ + "/" + change.resource.address.name;
    if (change.resource.binding.contains("impossible"))
      return Error{ErrorCode::invalid, change.resource.address.str() + ": this card can't do that"};
    if (change.resource.binding.contains("left_to_whole")) return Work{};
    if (kind_ == "cable") return Work{{connect(change)}};
    Work work;
    ActionDraft write;
    write.kind = boots() ? "settings.set" : "file.write";
    write.title = "write " + name;
    if (change.resource.binding.contains("at_once")) write.stage = Stage::activate;
    // What stood in its file before, as the probes gave it.
    if (const auto former = change.resource.binding.find("former");
        former != change.resource.binding.end())
      write.undo.write({"/fake/" + name, to_text(former->second), 0644, "root:root"});
    ActionDraft activate;
    activate.kind = "file.activate";
    activate.title = "activate " + name;
    const Layer layer = boots() ? Layer::next_boot : Layer::persistent;
    remote::Argv set{"set", name};
    std::string content;
    for (const AttributeChange& attribute : change.attributes) {
      const std::string line = attribute.attribute + "=" + to_text(attribute.desired);
      const Condition wanted{
          change.resource.address, attribute.attribute, layer, attribute.desired};
      if (attribute.write) {
        set.push_back(line);
        content += line + "\n";
        write.postconditions.push_back(wanted);
        Condition before = wanted;
        const auto& observed = attribute.observed.layer(layer);
        before.equals = observed->value() == nullptr ? Value{} : *observed->value();
        if (boots()) write.preconditions.push_back(before);  // of files the planner sees to it
      }
      if (attribute.activate) {
        activate.postconditions.push_back(
            {change.resource.address, attribute.attribute, Layer::running, attribute.desired});
      }
    }
    if (!write.postconditions.empty()) {
      if (boots()) {
        write.steps.run_each({set});
      } else {
        write.steps.write({"/fake/" + name, content, 0644, "root:root"});
      }
      work.actions.push_back(write);
    }
    // What can cut the node off is told even where a boot does it, with what rolls it back.
    const bool cuts_off = change.resource.binding.contains("cuts_off");
    if (cuts_off) {
      activate.may_cut_off = true;
      activate.undo.remove("/fake/" + name);
      activate.undo.run_each({{"calm", name}, {"calm", "the network"}});
    }
    const bool by_boot = context.reboot_planned && !cuts_off;
    if (!boots() && !activate.postconditions.empty() && !by_boot) {
      activate.stage = Stage::activate;
      activate.disruption = disruption_;
      activate.steps.run_each({{"activate", name}});
      if (change.resource.binding.contains("shared")) share(activate, name);
      work.actions.push_back(activate);
    }
    return work;
  }

 private:
  // What is set on the node takes effect together with whatever else is set there.
  static void share(ActionDraft& activate, const std::string& name) {
    activate.activation = {"one revision", 1, 1};
    activate.steps = WorkSteps{};
    activate.steps.run({"begin"}).run({"set", name}).run({"apply"});
    activate.undo = WorkSteps{};
    activate.undo.run({"begin"}).run({"unset", name}).run({"apply"});
    activate.may_cut_off = true;
  }

  static ActionDraft connect(const Change& change) {
    ActionDraft draft;
    draft.kind = "manual";
    draft.title = draft.by_hand = "connect " + change.resource.address.name;
    draft.stage = Stage::activate;
    draft.timeout = Duration{600'000};
    draft.postconditions = {{change.resource.address, "carrier", Layer::running, 1}};
    return draft;
  }

  bool boots() const { return kind_ == "settings"; }

  Reading read(
      const Resource& resource,
      const std::string& attribute,
      Layer layer,
      const NodeFacts& facts) const {
    const std::string* text = facts.output("fake-state");
    if (text == nullptr) return Reading::unknown("no state");
    const std::string name = kind_ + "/" + resource.address.name;
    for (const std::string_view line : split_lines(*text)) {
      if (!line.starts_with(name)) continue;
      const auto words = split_words(line);
      if (words.size() != 4 || words[0] != name || words[1] != attribute) continue;
      if (words[2] != std::to_string(static_cast<int>(layer))) continue;
      if (words[3] == "?") return Reading::unknown("not readable");
      return Reading::of(parse_integer(words[3]).value_or(-1));
    }
    return Reading::absent();
  }

  std::string kind_;
  Disruption disruption_;
};

inline Provider fake_provider(std::string_view kind, Disruption disruption) {
  const FakeProvider fake{std::string{kind}, disruption};
  return {
      .kind = kind,
      .probes =
          [] {
            return std::vector<Probe>{{"fake-state", "cat /fake"}};
          },
      .observe = [fake](
                     std::span<const Resource> wanted,
                     const NodeFacts& facts,
                     Diagnostics& diagnostics) { return fake.observe(wanted, facts, diagnostics); },
      .disruption = always(disruption),
      .work = [fake](
                  const Change& change,
                  const WorkContext& context) { return fake.work(change, context); },
      .folders = {"/fake/"}};
}

inline Registry fake_registry(Disruption settings = Disruption::reboot) {
  Registry registry;
  registry.add(platform::linux_platform());
  registry.add(Platform::linux, fake_provider("cable", Disruption::none));
  registry.add(Platform::linux, fake_provider("carrier", Disruption::none));
  registry.add(Platform::linux, fake_provider("settings", settings));
  registry.add(Platform::linux, fake_provider("interface", Disruption::link));
  registry.add(Platform::linux, fake_provider("sysctl", Disruption::runtime));
  return registry;
}

struct ResourceBuilder {
  Resource resource;
  explicit ResourceBuilder(std::string_view text) : resource{address(text), {}, {}, {}, {}} {}
  ResourceBuilder& wants(const std::string& attribute, Value value) {
    resource.desired[attribute] = {std::move(value), {}, "because"};
    return *this;
  }
  ResourceBuilder& after(std::string_view other) {
    resource.after.push_back(address(other));
    return *this;
  }
  ResourceBuilder& binding(const std::string& key, Value value) {
    resource.binding.emplace(key, std::move(value));
    return *this;
  }
  operator Resource() const { return resource; }  // NOLINT(google-explicit-constructor): a builder
};

}  // namespace fabric::test

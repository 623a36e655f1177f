// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx_classic/kinds/bundles.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"

namespace fabric::providers::esx_classic {

namespace {

constexpr const char* kBundles = "bundles";
constexpr Duration kInstallTakes{900'000};

std::vector<std::string> files_of(const Value& desired) {
  std::vector<std::string> files;
  const List* list = desired.as_list();
  if (list == nullptr) return files;
  for (const Value& file : *list)
    files.push_back(to_text(file));
  return files;
}

// Bundles in place as the document has them; for others the installed ids.
Value shown(const std::vector<Bundle>& bundles) {
  List list;
  for (const Bundle& bundle : bundles) {
    if (bundle.is_in_place()) {
      list.emplace_back(bundle.file);
    } else {
      for (const std::string& id : bundle.installed)
        list.emplace_back(id);
    }
  }
  return list;
}

LayeredReading bundles_reading(const NodeFacts& facts, const Value& desired) {
  LayeredReading reading;
  const Result<std::vector<Bundle>> bundles = bundles_of(facts, files_of(desired));
  const Result<bool> pending = is_pending(facts, kBundles, kBundles);
  if (!bundles || !pending) {
    reading.next_boot =
        Reading::unknown(bundles ? pending.error().message : bundles.error().message);
    reading.running = reading.next_boot;
    return reading;
  }
  const Value there = shown(*bundles);
  reading.next_boot = there.as_list()->empty() ? Reading::absent() : Reading::of(there);
  reading.running = *pending ? Reading::of("as they were at the boot") : reading.next_boot;
  return reading;
}

// A name of the document is that of a file in the home of the login.
std::string not_there(const std::vector<Bundle>& bundles, const std::vector<BundleStep>& steps) {
  for (const BundleStep& step : steps) {
    const auto bundle = std::find_if(
        bundles.begin(), bundles.end(), [&](const Bundle& each) { return each.file == step.file; });
    if (step.removes || bundle == bundles.end() || !bundle->ids.empty()) continue;
    return step.file;
  }
  return "";
}

std::vector<Probe> probes_of_software() {
  std::vector<Probe> probes = bundle_probes();
  for (Probe& probe : module_probes())
    probes.push_back(std::move(probe));
  return probes;
}

bool software_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kBundles;
}

std::vector<Observation> observe_software(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) {
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [name, desired] : resource.desired) {
      if (name == kBundles) {
        observation.attributes[name] = bundles_reading(facts, desired.value);
      } else {
        observation.attributes[name].running = Reading::unknown("fabric does not read this yet");
      }
    }
  });
}

Map software_inventory(const NodeFacts& facts) {
  const Result<std::string_view> text = esxi::answer(facts, "esx-bulletins");
  if (!text) return {{"bulletins", esxi::unknown(text.error())}};
  const auto bulletins = parse_esxupdate_query(*text);
  if (!bulletins) return {{"bulletins", esxi::unknown(bulletins.error())}};
  return {{"bulletins", *to_value(*bulletins).find("bulletins")}};
}

Result<Work> work_on_software(const Change& change, const WorkContext& context) {
  const ResourceAddress& address = change.resource.address;
  Work work;
  for (const AttributeChange& attribute : change.attributes) {
    if (attribute.attribute != kBundles || !attribute.write) continue;
    const std::vector<Bundle> bundles =
        FABRIC_TRY(bundles_of(context.facts, files_of(attribute.desired)));
    const std::vector<BundleStep> steps = steps_for(bundles);
    if (const std::string file = not_there(bundles, steps); !file.empty())
      return impossible(
          change.resource,
          fmt::format(
              "bundle {} is not in the home of the login on {}, or the host can't read it; put "
              "it there",
              file,
              address.node.str()));
    ActionDraft draft;
    draft.kind = methods::kBundlesInstall;
    std::vector<std::string> texts;
    for (const BundleStep& step : steps) {
      texts.push_back(step.removes ? "remove " + step.ids.front() : "install " + step.file);
      remote::Argv words = command_of(step);
      if (std::find(words.begin(), words.end(), "--nosigcheck") != words.end())
        texts.back() += " (its signature is not checked)";
      draft.steps.run(std::move(words));
    }
    draft.title = join(texts, ", ");
    draft.disruption = Disruption::driver;
    draft.timeout = kInstallTakes;
    draft.once = true;
    draft.irreversible = "a removed bundle is not installed again";
    draft.disturbs = nics_of_drivers(context.facts);
    draft.postconditions.push_back({address, kBundles, Layer::next_boot, attribute.desired});
    work.actions.push_back(std::move(draft));
  }
  return work;
}

}  // namespace

// The vendor's bundles, in the order in which they depend on each other (E-esx-bundles).
Provider software_provider() {
  return {
      .kind = kinds::kSoftware,
      .probes = probes_of_software,
      .supports = software_supports,
      .observe = observe_software,
      .inventory = software_inventory,
      .disruption = always(Disruption::reboot),
      .work = work_on_software,
  };
}

}  // namespace fabric::providers::esx_classic

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/tuning.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/sysctl/kernel_parameters.hpp"

namespace fabric::providers {

namespace {

// Files of sysctl.d: their assignments, and the values before fabric that fabric's files record.

struct Assignment {
  std::string path;  // of the key
  std::string value;
  std::size_t line = 1;
};

// Null if there is none. A file may spell the key in another way.
const Value* find_key(const Map& values, std::string_view key) {
  const std::string path = sysctl_path(key);
  const auto found = std::ranges::find_if(
      values, [&path](const auto& each) { return sysctl_path(each.first) == path; });
  return found == values.end() ? nullptr : &found->second;
}

// Runs of blanks count as one.
std::string normalised(std::string_view value) {
  std::string text;
  for (const std::string_view word : split_words(value)) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// "key = value", "-key=value" (failure ignored); comments by # and ;
std::vector<Assignment> assignments_of(std::string_view text) {
  std::vector<Assignment> list;
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '-') line.remove_prefix(1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    list.push_back(
        {sysctl_path(trim(line.substr(0, equals))), normalised(line.substr(equals + 1)), number});
  }
  return list;
}

// True if a file of fabric assigns the key, in any spelling.
bool is_set_by_us(const FileTexts& files, std::string_view key) {
  const std::string path = sysctl_path(key);
  return std::ranges::any_of(files, [&path](const auto& file) {
    if (!is_owned(file.second)) return false;
    const std::vector<Assignment> list = assignments_of(file.second);
    return std::ranges::any_of(list, [&path](const Assignment& each) { return each.path == path; });
  });
}

// The value before the first of fabric's files that sets the key; nullopt if none of them has it.
// Another file of fabric may have set the key before `own` did.
std::optional<std::string> recorded_before(
    const FileTexts& files, const std::string& own, std::string_view key) {
  const auto in = [&key](std::string_view content) -> std::optional<std::string> {
    const Map before = owned_before(content);
    const Value* value = find_key(before, key);
    if (value == nullptr) return std::nullopt;
    return normalised(to_text(*value));
  };
  if (const auto file = files.find(own); file != files.end()) {
    if (auto value = in(file->second)) return value;
  }
  for (const auto& [path, content] : files) {
    if (auto value = in(content)) return value;
  }
  return std::nullopt;
}

constexpr std::string_view kRunningProbe = "sysctl";
constexpr std::string_view kFilesProbe = "sysctl-files";
constexpr std::string_view kProc = "/proc/sys/";

// The file of a profile is read before that of the document's named keys.
std::string path_of(const ResourceAddress& address) {
  if (address.kind == kinds::kTuning)
    return fmt::format("/etc/sysctl.d/80-fabric-tuning-{}.conf", address.name);
  if (address.kind == kinds::kForwarding)
    return fmt::format("/etc/sysctl.d/90-fabric-forwarding-{}.conf", address.name);
  return fmt::format("/etc/sysctl.d/90-fabric-{}.conf", address.name);
}

using Running = std::map<std::string, std::string, std::less<>>;

// "/proc/sys/net/ipv4/conf/all/arp_ignore:1"; a file of several lines is one value.
Running read_running(std::string_view output) {
  Running values;
  for (const std::string_view line : split_lines(output)) {
    // After the path, which may have a colon in the name of an interface (an old alias).
    const std::size_t colon = line.rfind('/') == std::string_view::npos
                                  ? std::string_view::npos
                                  : line.find(':', line.rfind('/'));
    if (!line.starts_with(kProc) || colon == std::string_view::npos) continue;
    std::string& value = values[std::string{line.substr(kProc.size(), colon - kProc.size())}];
    value = normalised(value + " " + std::string{line.substr(colon + 1)});
  }
  return values;
}

// Drop-ins are applied in order of file name, in whichever folder they are; procps reads
// sysctl.conf last.
bool is_read_after(const std::string& file, const std::string& own) {
  if (file == "/etc/sysctl.conf") return true;
  return file.substr(file.rfind('/') + 1) > own.substr(own.rfind('/') + 1);
}

std::string wanted_text(const DesiredAttribute& desired) {
  return normalised(to_text(desired.value));
}

Reading in_terms_of(const DesiredAttribute& desired, const std::string& found) {
  return found == wanted_text(desired) ? Reading::of(desired.value) : Reading::of(found);
}

// Observes one resource.
class Observer {
 public:
  Observer(const NodeFacts& facts, Diagnostics& diagnostics)
      : facts_{facts},
        diagnostics_{diagnostics},
        probed_{facts.output(kRunningProbe) != nullptr},
        files_known_{facts.output(kFilesProbe) != nullptr},
        running_{facts.parsed_or_none(kRunningProbe, read_running)},
        files_{probed_files(facts, kFilesProbe)} {}

  Observation observe(const Resource& resource) const {
    Observation observation{resource.address, {}};
    const std::string own = path_of(resource.address);
    for (const auto& [key, desired] : resource.desired) {
      observation.attributes[key] = {
          running(key, desired), std::nullopt, persistent(own, key, desired)};
      report_overruled(resource, own, key, desired);
    }
    return observation;
  }

 private:
  Reading running(const std::string& key, const DesiredAttribute& desired) const {
    const auto found = running_.find(sysctl_path(key));
    if (found != running_.end()) return in_terms_of(desired, found->second);
    return Reading::unknown(
        probed_ ? "the kernel does not show this parameter" : "/proc/sys could not be read");
  }

  Reading persistent(
      const std::string& own, const std::string& key, const DesiredAttribute& desired) const {
    if (!files_known_) return Reading::unknown("/etc/sysctl.d could not be read");
    const auto file = files_.find(own);
    if (file == files_.end()) return Reading::absent();
    if (!is_owned(file->second)) return Reading::unknown(own + " is not fabric's");
    Reading reading = Reading::absent();
    for (const Assignment& each : assignments_of(file->second)) {
      if (each.path == sysctl_path(key)) reading = in_terms_of(desired, each.value);
    }
    return reading;
  }

  void report_overruled(
      const Resource& resource,
      const std::string& own,
      const std::string& key,
      const DesiredAttribute& desired) const {
    if (desired.value.is_null()) return;
    for (const auto& [file, content] : files_) {
      if (is_owned(content) || !is_read_after(file, own)) continue;
      for (const Assignment& each : assignments_of(content)) {
        if (each.path != sysctl_path(key) || each.value == wanted_text(desired)) continue;
        report_finding_at(
            diagnostics_,
            resource,
            desired.source,
            "foreign-configuration",
            fmt::format(
                "{}: {}:{} sets {} to {} after {}, which has {}",
                facts_.node.str(),
                file,
                each.line,
                key,
                each.value,
                own,
                wanted_text(desired)))
            .with_help("remove that line on the node");
      }
    }
  }

  const NodeFacts& facts_;
  Diagnostics& diagnostics_;
  bool probed_;
  bool files_known_;
  const Running& running_;
  const FileTexts& files_;
};

// Another resource of the node sees to it.
bool is_taken_over(const Resource& resource, const std::string& key) {
  const List& keys = resource.bound_list(kTakenOver);
  return std::find(keys.begin(), keys.end(), Value{key}) != keys.end();
}

// The values before fabric, for the time when fabric's are removed. Once a file of fabric sets a
// key, its running value is none of these.
Map before_us(const Change& change, const Observation& observation, const FileTexts& files) {
  const Resource& resource = change.resource;
  const std::string own = path_of(resource.address);
  Map before;
  for (const auto& [key, desired] : resource.desired) {
    // The new owner may not have written its file yet when an apply ends early.
    if (desired.value.is_null() && !is_taken_over(resource, key)) continue;
    if (auto recorded = recorded_before(files, own, key)) {
      before.emplace(key, *std::move(recorded));
      continue;
    }
    const auto found = observation.attributes.find(key);
    if (found == observation.attributes.end() || is_set_by_us(files, key)) continue;
    const std::optional<Reading>& running = found->second.running;
    if (running && running->value() != nullptr) before.emplace(key, to_text(*running->value()));
  }
  return before;
}

std::string render(Resource resource, const Map& before) {
  // kTakenOver is for this plan only.
  if (const auto taken = resource.binding.find(kTakenOver); taken != resource.binding.end())
    resource.binding.erase(taken);
  std::string text = owned_marker(resource, before);
  for (const auto& [key, desired] : resource.desired) {
    if (!desired.value.is_null()) text += fmt::format("{} = {}\n", key, wanted_text(desired));
  }
  return text;
}

ActionDraft write_draft(const Change& change, const WorkContext& context) {
  const std::string path = path_of(change.resource.address);
  const FileTexts& files = probed_files(context.facts, kFilesProbe);
  const std::string* former = text_at(files, path);
  ActionDraft draft;
  draft.kind = methods::kSysctlWrite;
  draft.stage = Stage::prepare;
  if (change.kind == ChangeKind::remove) {
    draft.title = "remove " + path;
    remove_file(draft, path, former);
  } else {
    draft.title = "write " + path;
    replace_file(
        draft,
        {path, render(change.resource, before_us(change, context.observation, files))},
        former);
  }
  for (const auto& [key, desired] : change.resource.desired) {
    draft.postconditions.push_back(
        {change.resource.address, key, Layer::persistent, desired.value});
  }
  return draft;
}

// True for keys that redirect or drop packets: ARP, reverse path filters, forwarding, hashes over
// several routes.
bool is_of_data_path(std::string_view key) {
  constexpr std::string_view kDataPath[] = {
      "net.ipv4.conf.", "net.ipv6.conf.", "net.ipv4.ip_forward", "net.ipv4.fib_", "net.ipv6.fib_"};
  return std::any_of(std::begin(kDataPath), std::end(kDataPath), [key](std::string_view each) {
    return key.starts_with(each);
  });
}

// A draft without commands if there is nothing to set.
ActionDraft set_draft(const Change& change, const FileTexts& files) {
  ActionDraft draft;
  draft.kind = methods::kSysctlSet;
  draft.stage = Stage::activate;
  draft.disruption = Disruption::runtime;
  remote::Argv set{"sysctl", "-w"};
  remote::Argv undo = set;
  std::vector<std::string> keys;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.activate) continue;
    const ResourceAddress& address = change.resource.address;
    Value wanted = attribute.desired;
    if (wanted.is_null()) {
      if (is_taken_over(change.resource, attribute.attribute)) continue;
      auto former = recorded_before(files, path_of(address), attribute.attribute);
      if (!former || former->empty()) continue;
      wanted = *std::move(former);
    }
    keys.push_back(fmt::format("{}={}", attribute.attribute, normalised(to_text(wanted))));
    if (is_of_data_path(attribute.attribute)) draft.disruption = Disruption::traffic;
    draft.postconditions.push_back({address, attribute.attribute, Layer::running, wanted});
    const Value* before =
        attribute.observed.running ? attribute.observed.running->value() : nullptr;
    if (before == nullptr) continue;
    draft.preconditions.push_back({address, attribute.attribute, Layer::running, *before});
    undo.push_back(fmt::format("{}={}", attribute.attribute, to_text(*before)));
  }
  if (keys.empty()) return draft;
  draft.title = "set " + join(keys, " ");
  set.insert(set.end(), keys.begin(), keys.end());
  draft.steps.run(std::move(set));
  if (undo.size() > 2) draft.undo.run(std::move(undo));
  return draft;
}

std::vector<Probe> probes_of_sysctl() {
  return {
      {std::string{kRunningProbe}, std::string{sh::probe_sysctl.text}},
      {std::string{kFilesProbe}, std::string{sh::probe_sysctl_files.text}}};
}

// Only keys that the probe reads: a parameter that is never seen could never converge. Keys and
// secrets of the kernel are not read.
bool sysctl_supports(const Resource& /*resource*/, std::string_view feature) {
  const std::string path = sysctl_path(feature);
  if (names_secret(path)) return false;
  constexpr std::string_view kRead[] = {
      "net/core/",
      "net/ipv4/conf/all/",
      "net/ipv4/conf/default/",
      "net/ipv4/neigh/default/",
      "net/ipv6/conf/all/",
      "net/ipv6/conf/default/"};
  constexpr std::string_view kReadAlone[] = {
      "vm/swappiness", "vm/min_free_kbytes", "vm/zone_reclaim_mode", "kernel/numa_balancing"};
  const bool in_folder =
      std::any_of(std::begin(kRead), std::end(kRead), [&path](std::string_view folder) {
        return path.starts_with(folder);
      });
  const bool alone =
      std::find(std::begin(kReadAlone), std::end(kReadAlone), path) != std::end(kReadAlone);
  constexpr std::string_view kIpv4 = "net/ipv4/";
  const bool ipv4 = path.starts_with(kIpv4) && path.find('/', kIpv4.size()) == std::string::npos;
  return in_folder || alone || ipv4;
}

std::vector<Observation> observe_sysctl(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const Observer observer{facts, diagnostics};
  std::vector<Observation> observations;
  for (const Resource& resource : wanted)
    observations.push_back(observer.observe(resource));
  return observations;
}

std::vector<Resource> sysctl_orphans(
    std::string_view kind, std::span<const Resource> wanted, const NodeFacts& facts) {
  std::vector<Resource> left =
      left_in_files(probed_files(facts, kFilesProbe), facts.node, kind, wanted);
  // A key that a file spells in another way than the document is not left behind.
  for (Resource& resource : left) {
    for (const Resource& same : wanted) {
      if (same.address != resource.address) continue;
      std::erase_if(resource.desired.edit(), [&same](const auto& old) {
        return std::ranges::any_of(same.desired, [&old](const auto& each) {
          return sysctl_path(each.first) == sysctl_path(old.first);
        });
      });
    }
  }
  std::erase_if(left, [](const Resource& resource) { return resource.desired.empty(); });
  return left;
}

Disruption sysctl_disruption(
    const NodeFacts& /*facts*/, const Resource& /*resource*/, std::string_view attribute) {
  return is_of_data_path(attribute) ? Disruption::traffic : Disruption::runtime;
}

Result<Work> work_on_sysctl(const Change& change, const WorkContext& context) {
  const auto any = [&change](bool AttributeChange::*flag) {
    return std::ranges::any_of(
        change.attributes, [flag](const AttributeChange& attribute) { return attribute.*flag; });
  };
  Work work;
  if (any(&AttributeChange::write)) work.actions.push_back(write_draft(change, context));
  if (!any(&AttributeChange::activate) || context.reboot_planned) return work;
  ActionDraft set = set_draft(change, probed_files(context.facts, kFilesProbe));
  if (!set.steps.empty()) work.actions.push_back(std::move(set));
  return work;
}

}  // namespace

// "sysctl" and, for a named profile in a file that is read before those, "tuning": kernel
// parameters of one purpose, in a drop-in of fabric. Values are texts; runs of blanks count as one.
// Diagnostics: foreign-configuration where a file read after fabric's has another value.
Provider sysctl_provider(std::string_view kind) {
  return {
      .kind = kind,
      .probes = probes_of_sysctl,
      // Features are keys: those that the probe reads.
      .supports = sysctl_supports,
      .observe = observe_sysctl,
      .orphans = [kind](
                     std::span<const Resource> wanted,
                     const NodeFacts& facts) { return sysctl_orphans(kind, wanted, facts); },
      // Called once for both kinds: a key may be in a profile and in the node's own parameters.
      .relate = kind == kinds::kSysctl ? &hand_over_kernel_parameters : nullptr,
      .disruption = sysctl_disruption,
      .work = work_on_sysctl,
      .folders = {"/etc/sysctl.d/"},
  };
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kOsProbe = "os";
constexpr const char* kRelease = "release";
constexpr const char* kMinimum = "minimum";

struct System {
  std::map<std::string, std::string, std::less<>> release;  // os-release(5), unquoted
  std::string kernel;

  std::string value(std::string_view key) const {
    const auto found = release.find(key);
    return found == release.end() ? std::string{} : found->second;
  }
};

std::string unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return std::string{quoted ? text.substr(1, text.size() - 2) : text};
}

System system_of(const NodeFacts& facts) {
  System system;
  const std::string* output = facts.output(kOsProbe);
  if (output == nullptr) return system;
  for (const std::string_view line : split_lines(*output)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with('/') || colon == std::string_view::npos) continue;
    const std::string_view content = line.substr(colon + 1);
    if (line.starts_with("/proc/")) {
      system.kernel = trim(content);
      continue;
    }
    const std::size_t equals = content.find('=');
    if (equals != std::string_view::npos)
      system.release.emplace(content.substr(0, equals), unquoted(content.substr(equals + 1)));
  }
  return system;
}

// "rhel-9" in the document fits 9.4: missing parts are ignored.
bool is_release(const System& system, const std::string& wanted) {
  const std::string id = to_lower(system.value("ID"));
  std::string version = to_lower(system.value("VERSION_ID"));
  const std::string word = to_lower(wanted);
  for (const std::string& name :
       {id, to_lower(system.value("VERSION_CODENAME")), to_lower(system.value("PRETTY_NAME"))}) {
    if (!name.empty() && word == name) return true;
  }
  while (!version.empty()) {
    if (word == version || word == id + "-" + version || word == id + " " + version) return true;
    const std::size_t dot = version.rfind('.');
    version.resize(dot == std::string::npos ? 0 : dot);
  }
  return false;
}

Reading mismatch(
    const Resource& resource,
    const DesiredAttribute& desired,
    const std::string& what,
    Diagnostics& diagnostics) {
  report_finding_at(
      diagnostics,
      resource,
      desired.source,
      "os-mismatch",
      fmt::format("{} runs {}", resource.address.node.str(), what))
      .with_help("fabric changes no operating system: update the node, or correct `os`");
  return Reading::unknown("it runs " + what.substr(0, what.find(',')));
}

Reading release_reading(
    const Resource& resource,
    const DesiredAttribute& desired,
    const System& system,
    Diagnostics& diagnostics) {
  if (system.value("ID").empty()) return Reading::unknown("/etc/os-release could not be read");
  const std::string wanted = to_text(desired.value);
  if (is_release(system, wanted)) return Reading::of(desired.value);
  const std::string name = fmt::format("{}-{}", system.value("ID"), system.value("VERSION_ID"));
  return mismatch(
      resource, desired, fmt::format("{}, but `os` asks for {}", name, wanted), diagnostics);
}

Reading minimum_reading(
    const Resource& resource,
    const DesiredAttribute& desired,
    const System& system,
    Diagnostics& diagnostics) {
  const std::string wanted = to_text(desired.value);
  const auto old = is_older_version(system.kernel, wanted);
  if (!old) {
    return Reading::unknown(
        system.kernel.empty() ? "the kernel's version could not be read"
                              : fmt::format("{} and {} can't be compared", system.kernel, wanted));
  }
  if (!*old) return Reading::of(desired.value);
  return mismatch(
      resource,
      desired,
      fmt::format("kernel {}, but `os` asks for {} or newer", system.kernel, wanted),
      diagnostics);
}

std::vector<Probe> probes_of_os() {
  return {{std::string{kOsProbe}, std::string{sh::probe_os.text}}};
}

bool os_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kRelease || feature == kMinimum;
}

std::vector<Observation> observe_os(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const System system = system_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [name, desired] : resource.desired) {
      LayeredReading& reading = observation.attributes[name];
      reading.running = name == kRelease ? release_reading(resource, desired, system, diagnostics)
                                         : minimum_reading(resource, desired, system, diagnostics);
    }
  });
}

Result<Work> work_on_os(const Change& change, const WorkContext& /*context*/) {
  return impossible(change.resource, "fabric changes no operating system");
}

}  // namespace

// "os": the release and the kernel of a node. Only checked. Running attributes: `release` (by name,
// version or both: "debian", "12", "debian-12", "bookworm") and `minimum`, the oldest kernel. If
// satisfied, it reads as the desired value. Diagnostics: os-mismatch.
Provider os_provider() {
  return {
      .kind = kinds::kOs,
      .probes = probes_of_os,
      .supports = os_supports,
      .observe = observe_os,
      .disruption = always(Disruption::none),
      .work = work_on_os,
  };
}

}  // namespace fabric::providers

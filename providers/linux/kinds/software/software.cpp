// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/software/driver_stack.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kDriverStackProbe = "driver-stack";

// The packages of DOCA that contain drivers; doca-host alone is only the repository.
constexpr const char* kDocaPackages[] = {"doca-ofed", "doca-all", "doca-networking", "doca-roce"};

struct Told {
  std::string ofed;    // "MLNX_OFED_LINUX-5.8-1.1.2.1:"
  std::string kernel;  // "6.1.0-26-amd64"
  std::string mst;     // "mst, mft 4.28.0-92, built on ..."
  struct Driver {
    std::string module, file;
  };
  std::vector<Driver> drivers;
};

Told told_of(const std::string& output) {
  Told told;
  for (const std::string_view line : split_lines(output)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, blank);
    const std::string rest{trim(line.substr(blank + 1))};
    if (key == "ofed") told.ofed = rest;
    if (key == "kernel") told.kernel = rest;
    if (key == "mst") told.mst = rest;
    const std::vector<std::string_view> words = split_words(rest);
    if (key == "driver" && words.size() == 2)
      told.drivers.push_back({std::string{words[0]}, std::string{words[1]}});
  }
  return told;
}

// The version behind the name of a stack: from its first digit that follows a '-'.
std::string version_behind(std::string_view text) {
  while (text.ends_with(':'))
    text.remove_suffix(1);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '-' && text[i + 1] >= '0' && text[i + 1] <= '9')
      return std::string{text.substr(i + 1)};
  }
  return {};
}

const InstalledPackage* doca_package(const PackageDatabase& packages) {
  for (const char* name : kDocaPackages) {
    if (const InstalledPackage* package = packages.find(name)) return package;
  }
  return nullptr;
}

// Modules of the kernel's own tree are below kernel/, all others in updates/, extra/ and the like.
bool is_of_the_kernel(const std::string& file) {
  return file.find("/kernel/") != std::string::npos;
}

std::string mixture(const Told& told, const DriverStack& stack, bool has_doca_package) {
  if (has_doca_package && told.ofed.starts_with("MLNX_OFED"))
    return fmt::format("packages of DOCA mixed with {}", told.ofed.substr(0, told.ofed.find(':')));
  for (const Told::Driver& driver : told.drivers) {
    if (is_of_the_kernel(driver.file) == (stack.name == "inbox")) continue;
    return stack.name == "inbox"
               ? fmt::format("the driver {} without the tools of its stack", driver.file)
               : fmt::format(
                     "driver {} of the kernel, but the tools of {} {}",
                     driver.module,
                     stack.name,
                     stack.version);
  }
  return {};
}

// "mst, mft 4.28.0-92, built on Apr 25 2024"
std::string mft_version(const std::string& mst, const PackageDatabase& packages) {
  const std::size_t start = mst.find("mft ");
  if (start != std::string::npos) {
    const std::string_view rest = std::string_view{mst}.substr(start + 4);
    return std::string{trim(rest.substr(0, rest.find(',')))};
  }
  const InstalledPackage* package = packages.find("mft");
  return package == nullptr ? std::string{} : package->version;
}

}  // namespace

Probe driver_stack_probe() {
  return {std::string{kDriverStackProbe}, std::string{sh::probe_driver_stack.text}};
}

DriverStack driver_stack(const NodeFacts& facts) {
  DriverStack stack;
  const std::string* output = facts.output(kDriverStackProbe);
  if (output == nullptr) return stack;
  const Told told = told_of(*output);
  const PackageDatabase& packages = package_database(facts);
  const InstalledPackage* doca = doca_package(packages);
  if (told.ofed.starts_with("MLNX_OFED")) {
    stack.name = "mlnx_ofed";
    stack.version = version_behind(told.ofed);
  } else if (!told.ofed.empty() || doca != nullptr) {
    // The OFED of DOCA calls itself OFED-internal, by a version of its own.
    stack.name = "doca";
    stack.version = doca == nullptr ? version_behind(told.ofed) : doca->version;
  } else {
    stack.name = "inbox";
    stack.version = told.kernel;
  }
  stack.mixed = mixture(told, stack, doca != nullptr);
  stack.mft = mft_version(told.mst, packages);
  return stack;
}

namespace {

constexpr std::string_view kStack = "stack";
constexpr std::string_view kMinimum = "minimum";
constexpr std::string_view kMft = "mft";

// Observes one resource.
class Observer {
 public:
  Observer(const Resource& resource, const DriverStack& stack, Diagnostics& diagnostics)
      : resource_{resource}, stack_{stack}, diagnostics_{diagnostics} {}

  Reading reading(const std::string& attribute, const DesiredAttribute& desired) const {
    if (stack_.name.empty()) return Reading::unknown("the driver stack could not be read");
    const std::string wanted = to_text(desired.value);
    if (attribute == kStack) return stack(desired, wanted);
    if (attribute == kMinimum) return version(desired, stack_.name, stack_.version, wanted);
    if (attribute != kMft) return Reading::unknown("fabric does not read this yet");
    if (stack_.mft.empty())
      return mismatch(desired, "has no Mellanox Firmware Tools", "MFT " + wanted + " or newer");
    return version(desired, "MFT", stack_.mft, wanted);
  }

 private:
  Reading mismatch(
      const DesiredAttribute& desired, const std::string& found, const std::string& wanted) const {
    report_finding_at(
        diagnostics_,
        resource_,
        desired.source,
        "software-mismatch",
        fmt::format(
            "{} {}, but the document asks for {}", resource_.address.node.str(), found, wanted))
        .with_help(
            "fabric installs no driver stack: install it on the node, or correct `software`");
    return Reading::unknown("the node " + found);
  }

  Reading stack(const DesiredAttribute& desired, const std::string& wanted) const {
    if (!stack_.mixed.empty()) return mismatch(desired, "has " + stack_.mixed, wanted + " alone");
    if (stack_.name == wanted) return Reading::of(desired.value);
    const std::string version = stack_.version.empty() ? "" : " " + stack_.version;
    return mismatch(desired, fmt::format("has {}{}", stack_.name, version), wanted);
  }

  Reading version(
      const DesiredAttribute& desired,
      const std::string& what,
      const std::string& found,
      const std::string& minimum) const {
    const auto old = is_older_version(found, minimum);
    if (!old) {
      return Reading::unknown(
          found.empty() ? fmt::format("{} does not show its version", what)
                        : fmt::format("the versions {} and {} can't be compared", found, minimum));
    }
    if (!*old) return Reading::of(desired.value);
    return mismatch(desired, fmt::format("has {} {}", what, found), minimum + " or newer");
  }

  const Resource& resource_;
  const DriverStack& stack_;
  Diagnostics& diagnostics_;
};

std::vector<Probe> probes_of_software() {
  return {driver_stack_probe(), package_probe()};
}

bool software_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kStack || feature == kMinimum || feature == kMft;
}

std::vector<Observation> observe_software(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const DriverStack stack = driver_stack(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const Observer observer{resource, stack, diagnostics};
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name].running = observer.reading(name, desired);
  });
}

std::string software_vendor_drivers(const NodeFacts& facts) {
  const DriverStack stack = driver_stack(facts);
  return stack.name == "mlnx_ofed" ? stack.version : std::string{};
}

Result<Work> work_on_software(const Change& change, const WorkContext& /*context*/) {
  return impossible(change.resource, "fabric installs no driver stack");
}

}  // namespace

// "software": the RDMA driver stack of a node and its tools. Only checked: stacks are not installed
// over one another, and never mixed. Running attributes: `stack`, `minimum` (its version; for
// inbox, the kernel's) and `mft`, the oldest version of the Mellanox Firmware Tools. If satisfied,
// it reads as the desired value. Diagnostics: software-mismatch.
Provider software_provider() {
  return {
      .kind = kinds::kSoftware,
      .probes = probes_of_software,
      // Not the bundles of ESXi.
      .supports = software_supports,
      .observe = observe_software,
      .vendor_drivers = software_vendor_drivers,
      .disruption = always(Disruption::none),
      .work = work_on_software,
  };
}

}  // namespace fabric::providers

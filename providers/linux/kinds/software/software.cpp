// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/provider/diagnose.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/software/driver_stack.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers {

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
  return Error{
      ErrorCode::invalid,
      fmt::format("{}: fabric installs no driver stack", change.resource.address.str())};
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/provider/diagnose.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kSoftwareProbe = "esxi-vibs";
constexpr const char* kMft = "mft";

Result<std::vector<EsxVib>> vibs_of(const NodeFacts& facts) {
  return parse_esxcli_vib_list(FABRIC_TRY(answer(facts, kSoftwareProbe)));
}

// Drivers of the cards come from VMware or the vendor, the firmware tools from the vendor.
bool is_of_cards(const EsxVib& vib) {
  return vib.name.starts_with("nmlx") || vib.name.starts_with("mft") ||
         vib.name.starts_with("nmst") || vib.vendor == "MEL";
}

// "4.28.0-92" in the document is 4.28.0.92-0 on the host.
Reading mft_reading(
    const Resource& resource,
    const DesiredAttribute& desired,
    const Result<std::vector<EsxVib>>& vibs,
    Diagnostics& diagnostics) {
  if (!vibs) return Reading::unknown(vibs.error().message);
  const auto vib = std::find_if(vibs->begin(), vibs->end(), [](const EsxVib& each) {
    return each.name == kMft || each.name == "mft-oem";
  });
  const std::string wanted = to_text(desired.value);
  const bool there = vib != vibs->end();
  if (there && is_older_version(vib->version, wanted) == false) return Reading::of(desired.value);
  const std::string found = there ? "has MFT " + vib->version : "has no Mellanox Firmware Tools";
  report_finding_at(
      diagnostics,
      resource,
      desired.source,
      "software-mismatch",
      fmt::format(
          "{} {}, but the document asks for MFT {} or newer",
          resource.address.node.str(),
          found,
          wanted))
      .with_help(
          "fabric installs no packages on ESXi: put the packages nmst and mft into the host's "
          "image, or correct `software`");
  return Reading::unknown("the node " + found);
}

std::vector<Probe> probes_of_software() {
  return {{kSoftwareProbe, "esxcli --formatter=csv software vib list\n"}};
}

bool software_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kMft;
}

std::vector<Observation> observe_software(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const Result<std::vector<EsxVib>> vibs = vibs_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    for (const auto& [name, desired] : resource.desired) {
      observation.attributes[name].running =
          name == kMft ? mft_reading(resource, desired, vibs, diagnostics)
                       : Reading::unknown("fabric does not read this yet");
    }
  });
}

Map software_inventory(const NodeFacts& facts) {
  Result<std::vector<EsxVib>> vibs = vibs_of(facts);
  if (!vibs) return {{"vibs", unknown(vibs.error())}};
  std::erase_if(*vibs, [](const EsxVib& vib) { return !is_of_cards(vib); });
  return {{"vibs", *to_value(*vibs).find("vibs")}};
}

}  // namespace

// "software": the vendor's packages, which fabric verifies and does not install.
Provider software_provider() {
  return {
      .kind = kinds::kSoftware,
      .probes = probes_of_software,
      .supports = software_supports,
      .observe = observe_software,
      .inventory = software_inventory,
      .disruption = always(Disruption::none),
      .work = no_change,
  };
}

}  // namespace fabric::providers::esxi

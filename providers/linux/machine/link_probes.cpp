// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/link_probes.hpp"

#include "engine/base/text.hpp"
#include "engine/platform/link_tools/lldp_json.hpp"
#include "providers/linux/machine/sh/scripts.hpp"
#include "providers/posix/machine/link_state.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kLldpProbe = "lldp";

}  // namespace

Probe link_state_probe() {
  return {kLinkStateProbe, std::string{sh::probe_link_state.text}};
}

Probe lldp_probe() {
  return {
      kLldpProbe,
      R"(command -v lldpcli >/dev/null 2>&1 || { echo "lldpcli is not installed" >&2; exit 127; }
lldpcli -f json0 show neighbors details
)"};
}

Result<std::vector<Neighbour>> lldp_neighbours(const NodeFacts& facts) {
  if (const auto* told = facts.parsed(kLldpProbe, parse_lldp_json)) {
    if (*told) return *told;
    return with_context(told->error(), "its answer is unreadable");
  }
  const auto probe = facts.probes.find(kLldpProbe);
  if (probe == facts.probes.end()) return Error{ErrorCode::invalid, "lldp was not asked for"};
  return Error{ErrorCode::unreachable, last_line(probe->second.standard_error)};
}

}  // namespace fabric::platform

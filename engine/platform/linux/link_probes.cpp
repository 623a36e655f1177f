// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/linux/link_probes.hpp"

#include "engine/base/text.hpp"
#include "engine/platform/link_tools/lldp_json.hpp"
#include "engine/platform/shell/link_state.hpp"

namespace fabric::platform {

namespace {

constexpr const char* kLldpProbe = "lldp";

}  // namespace

Probe link_state_probe() {
  return {kLinkStateProbe, R"sh(for d in /sys/class/net/*; do
  [ -e "$d/device" ] || continue
  echo "netdev ${d##*/}"
  cd -P "$d/device" && echo "pci $PWD"
  for f in address dev_port operstate carrier speed mtu; do
    value=
    [ ! -r "$d/$f" ] || read -r value <"$d/$f"
    echo "$f $value"
  done
  id= place=
  [ ! -r "$d/phys_switch_id" ] || read -r id <"$d/phys_switch_id"
  [ ! -r "$d/phys_port_name" ] || read -r place <"$d/phys_port_name"
  case $id-$place in -|-p[0-9]*) ;; *) echo "phys_switch_id $id"; echo "phys_port_name $place" ;; esac
done 2>/dev/null
exit 0
)sh"};
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

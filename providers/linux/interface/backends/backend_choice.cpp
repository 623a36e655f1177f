#include "providers/linux/interface/backends/backend_choice.hpp"

#include <algorithm>
#include <set>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kBackendProbe = "network-backends";
constexpr std::string_view kFilesProbe = "network-files";
constexpr std::string_view kIfenslave = "/etc/network/if-pre-up.d/ifenslave";

// What the probe told, by the first word of its lines.
struct Signs {
  std::set<std::string, std::less<>> files, active_units, tools;
  std::map<std::string, std::string, std::less<>> networkmanager;  // device: state
  std::map<std::string, std::string, std::less<>> networkd;        // device: setup state

  bool has_file(std::string_view start) const {
    const auto found = files.lower_bound(start);
    return found != files.end() && found->starts_with(start);
  }
};

void read_sign(Signs& signs, const std::vector<std::string_view>& words) {
  const std::string subject{words[1]};
  if (words[0] == "file") signs.files.insert(subject);
  if (words[0] == "tool") signs.tools.insert(subject);
  if (words[0] == "unit" && words.size() == 3 && words[2] == "active")
    signs.active_units.insert(subject);
  if (words[0] == "networkctl" && words.size() >= 6)
    signs.networkd[std::string{words[2]}] = std::string{words[5]};
  if (words[0] == "nmcli") {
    const std::vector<std::string_view> parts = split(words[1], ':');
    if (parts.size() >= 2) signs.networkmanager[std::string{parts[0]}] = std::string{parts[1]};
  }
}

Signs signs_of(const NodeFacts& facts) {
  Signs signs;
  const std::string* output = facts.output(kBackendProbe);
  if (output == nullptr) return signs;
  for (const std::string_view line : split_lines(*output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() >= 2) read_sign(signs, words);
  }
  return signs;
}

bool netplan_owns(const Signs& signs) {
  return (signs.has_file("/etc/netplan/") || signs.has_file("/run/netplan/")) &&
         (signs.has_file("/run/systemd/network/10-netplan-") ||
          signs.has_file("/run/NetworkManager/system-connections/netplan-"));
}

bool networkmanager_owns(const Signs& signs, std::string_view device) {
  if (!signs.active_units.contains("NetworkManager")) return false;
  const auto state = signs.networkmanager.find(device);
  return state == signs.networkmanager.end() || state->second != "unmanaged";
}

bool has_stanza(const NodeFacts& facts, std::string_view device) {
  if (device.empty()) return false;
  for (const auto& [path, content] : network_files(facts)) {
    if (!path.starts_with("/etc/network/interfaces")) continue;
    for (const std::string_view line : split_lines(content)) {
      const std::vector<std::string_view> words = split_words(line);
      if (words.size() >= 2 && words[0] == "iface" && words[1] == device) return true;
    }
  }
  return false;
}

bool networkd_owns(const NodeFacts& facts, const Signs& signs, std::string_view device) {
  if (!signs.active_units.contains("systemd-networkd")) return false;
  const auto setup = signs.networkd.find(device);
  const bool unmanaged = setup == signs.networkd.end() || setup->second == "unmanaged";
  return !unmanaged || !has_stanza(facts, device);
}

BackendChoice ifupdown_choice(const Signs& signs) {
  if (signs.tools.contains("ifreload")) return {&ifupdown2_backend(), {}};
  return {
      &ifupdown_backend(),
      signs.files.contains(kIfenslave)
          ? ""
          : "ifupdown ignores every bond-* option without the package ifenslave"};
}

BackendChoice by_name(std::string_view name, const Signs& signs) {
  if (name == "networkd") return {&networkd_backend(), {}};
  if (name == "ifupdown") return ifupdown_choice(signs);
  if (name == "networkmanager") return {&keyfile_backend(), {}};
  if (name == "netplan") return {&netplan_backend(), {}};
  if (name != "ifcfg") return {};
  const bool manager = signs.active_units.contains("NetworkManager");
  return {manager ? &ifcfg_manager_backend() : &ifcfg_backend(), {}};
}

// What says who configures the interfaces of this node.
constexpr std::string_view kSignsScript =
    R"sh(for f in /etc/netplan/*.yaml /run/netplan/*.yaml /run/systemd/network/10-netplan-* \
  /run/NetworkManager/system-connections/netplan-* /etc/network/interfaces \
  /etc/network/if-pre-up.d/ifenslave /etc/sysconfig/network-scripts/ifcfg-*; do
  [ -e "$f" ] && echo "file $f"
done
for u in NetworkManager systemd-networkd networking network; do
  echo "unit $u $(systemctl is-active "$u" 2>/dev/null)"
done
for t in ifup ifreload networkctl nmcli netplan; do
  command -v "$t" >/dev/null 2>&1 && echo "tool $t"
done
nmcli -t -f DEVICE,STATE device 2>/dev/null | sed 's/^/nmcli /'
networkctl --no-pager --no-legend list 2>/dev/null | sed 's/^/networkctl /'
exit 0
)sh";

// Lines that may hold a secret are printed empty, so that the others keep their numbers. Of
// netplan's files these are the keys of secrets, wherever on their line, with all that stands below
// them: a name (of a node in our marker, of an interface as we write it) may say "key" too.
constexpr std::string_view kFilesScript =
    R"sh(for f in /etc/systemd/network/* /etc/systemd/network/*.d/* /run/systemd/network/* \
  /etc/udev/rules.d/70-fabric-*.rules /etc/udev/rules.d/90-fabric-ipoib-*.rules; do
  [ -f "$f" ] && grep -H '' "$f"
done
for d in /var/lib/fabric/adopted/*; do
  [ -d "$d" ] && echo "$d:"
done
for f in /etc/network/interfaces /etc/network/interfaces.d/*; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -e 's/:[[:space:]]*wpa-.*/:/' -e 's/:[[:space:]]*wireless-key.*/:/'
done
for f in /etc/NetworkManager/system-connections/*; do
  [ -f "$f" ] && awk -v f="$f" '
    /^\[/ { known = /^\[(connection|match|ethernet|802-3-ethernet|infiniband|bond|bond-port|vlan|bridge|bridge-port|ipv4|ipv6)\]/ }
    { print f ":" (known || /^#/ ? $0 : "") }' "$f"
done
for f in /etc/sysconfig/network-scripts/ifcfg-* /etc/sysconfig/network-scripts/route*-*; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -E '/:PKEY(_ID)?=/!s/^([^:]*:).*(KEY|PSK|PASS|SECRET)[A-Z0-9_]*=.*/\1/'
done
for f in /etc/netplan/*.yaml /run/netplan/*.yaml; do
  [ -f "$f" ] && awk -v f="$f" '
    function is_secret(line, key) {
      if (ours && line ~ /^    "[^"]*":$/) return 0
      line = tolower(line)
      while (match(line, "[a-z0-9_.-]+[\"\047]?[ \t]*:")) {
        key = substr(line, RSTART, RLENGTH)
        sub("[\"\047 \t:]+$", "", key)
        if (key ~ /pass|psk|secret|token/) return 1
        if (key ~ /(^|[-_.])(key|keys|private|shared|pin|cak)[0-9]*([-_.]|$)/) return 1
        line = substr(line, RSTART + RLENGTH)
      }
      return 0
    }
    NR == 1 { ours = /^# managed by fabric: / }
    {
      at = match($0, /[^ \t-]/)
      hide = at > 0 && (next_too || (below && at > below))
      if (!hide && at > 0) {
        comment = $0 ~ /^[ \t]*#/
        hide = is_secret($0)
        if (!comment) below = hide ? at : 0
      }
      if (at > 0) next_too = hide && $0 ~ /:[ \t]*$/
      print f ":" (hide ? "" : $0)
    }' "$f"
done
exit 0
)sh";

}  // namespace

std::vector<Probe> backend_probes() {
  return {
      {std::string{kBackendProbe}, std::string{kSignsScript}},
      {std::string{kFilesProbe}, std::string{kFilesScript}}};
}

FileTexts network_files(const NodeFacts& facts) {
  const std::string* output = facts.output(kFilesProbe);
  return output == nullptr ? FileTexts{} : file_texts(*output);
}

BackendChoice choose_backend(
    const NodeFacts& facts, std::string_view wanted, std::string_view device) {
  const Signs signs = signs_of(facts);
  if (!wanted.empty() && wanted != "auto") return by_name(wanted, signs);
  if (netplan_owns(signs)) return by_name("netplan", signs);
  if (networkmanager_owns(signs, device)) return by_name("networkmanager", signs);
  if (networkd_owns(facts, signs, device)) return by_name("networkd", signs);
  if (signs.has_file("/etc/sysconfig/network-scripts/ifcfg-")) return by_name("ifcfg", signs);
  if (signs.tools.contains("ifup") && signs.has_file("/etc/network/interfaces"))
    return by_name("ifupdown", signs);
  return {};
}

std::vector<FormerFile> former_files(
    const NetworkBackend& chosen, const LinkTarget& target, const FileTexts& files) {
  const std::vector<std::string> own = chosen.paths(target);
  std::set<std::string> seen{own.begin(), own.end()};
  std::vector<FormerFile> former;
  for (const NetworkBackend* other :
       {&networkd_backend(),
        &ifupdown_backend(),
        &keyfile_backend(),
        &netplan_backend(),
        &ifcfg_backend()}) {
    if (!other->obstacle(target, {}).empty()) continue;
    for (std::string& path : other->paths(target)) {
      const auto file = files.find(path);
      if (file == files.end() || !other->owns(file->second)) continue;
      if (seen.insert(path).second) former.push_back({other, std::move(path)});
    }
  }
  return former;
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/copy/simulated_linux.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/model/spec.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/shell.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/linux/machine/node_lock.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::rehearse {

namespace {

// Copies one node's facts to a host of the lab.

lab::LabAdapter copy_linux_card(const providers::Card& card, const NodeFacts& facts) {
  return copy_card(card, providers::settings_of(facts, card.address));
}

// "== tool mstconfig", "== version mstconfig, mstflint 4.26.0, Git SHA Hash: N/A"
void copy_tool(const NodeFacts& facts, lab::LabHost& host) {
  const std::string* output = facts.output("mlxconfig");
  if (output == nullptr) return;
  host.tool = "none";
  for (const std::string_view line : split_lines(*output)) {
    if (line.starts_with("== tool "))
      host.tool = line.ends_with("mlxconfig") ? "mlxconfig" : "mstconfig";
    if (!line.starts_with("== version ")) continue;
    for (std::string_view word : split_words(line)) {
      while (word.ends_with(','))
        word.remove_suffix(1);
      if (!word.empty() && word.front() >= '0' && word.front() <= '9') {
        // "4.26.0-1": the layout of its tables is that of 4.26.
        const std::size_t point = word.find('.');
        host.tool_version = std::string{word.substr(0, word.find_first_of(".-", point + 1))};
        return;
      }
    }
  }
}

// The probes print files as grep -H does, the whole of each.
void copy_files(const NodeFacts& facts, lab::LabHost& host) {
  constexpr std::array<std::string_view, 3> kFolders{"/etc/", "/var/lib/fabric/", "/usr/lib/"};
  for (const auto& [id, probe] : facts.probes) {
    std::map<std::string, std::string> files;
    for (const std::string_view line : split_lines(probe.standard_output)) {
      const std::size_t colon = line.find(':');
      const bool is_file = colon != std::string_view::npos &&
                           std::ranges::any_of(kFolders, [line](std::string_view folder) {
                             return line.starts_with(folder);
                           });
      const std::string_view path = line.substr(0, is_file ? colon : 0);
      if (path.empty() || path.find(' ') != std::string_view::npos || path.ends_with('/')) continue;
      files[std::string{path}] += fmt::format("{}\n", line.substr(colon + 1));
    }
    for (auto& [path, content] : files)
      host.files.try_emplace(path, std::move(content));
  }
}

// Installs packages of the lab's archive that documents or back ends may depend on.
void copy_packages(
    const NodeName& node,
    const NodeFacts& facts,
    const std::vector<Resource>& resources,
    lab::LabHost& host) {
  std::set<std::string> names{"ifenslave", "opensm"};
  for (const Resource& resource : resources) {
    if (resource.address.node == node && resource.address.kind == kinds::kPackage)
      names.insert(resource.address.name);
  }
  const providers::PackageDatabase database = providers::package_database(facts);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const providers::InstalledPackage* package = database.find(name);
    if (package != nullptr && package->unfinished.empty()) found.push_back(remote::quote(name));
  }
  if (found.empty()) return;
  host.done_since_boot.emplace_back("apt-get -q update");
  for (const std::string& name : found)
    host.done_since_boot.push_back("apt-get -q -y install " + name);
}

// "/proc/sys/...": value
std::map<std::string, std::string> sysctls_of(const NodeFacts& facts) {
  std::map<std::string, std::string> values;
  const std::string* output = facts.output("sysctl");
  if (output == nullptr) return values;
  for (const std::string_view line : split_lines(*output)) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("/proc/sys/") && colon != std::string_view::npos)
      values.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return values;
}

std::map<std::string, providers::IpLink> links_of(const NodeFacts& facts) {
  std::map<std::string, providers::IpLink> links;
  const std::string* output = facts.output("ip-addr");
  const auto parsed = providers::parse_ip_json(output == nullptr ? "" : *output);
  if (!parsed) return links;
  for (const providers::IpLink& link : *parsed) {
    const bool is_card = link.kind.empty() && link.master.empty() && link.link_type != "loopback";
    if (is_card) links.emplace(link.name, link);
  }
  return links;
}

void catch_up_links(
    const NodeFacts& facts, const NodeFacts& copied, std::vector<std::string>& commands) {
  const auto there = links_of(facts);
  for (const auto& [name, copy] : links_of(copied)) {
    const auto found = there.find(name);
    if (found == there.end()) continue;
    const providers::IpLink& link = found->second;
    const std::string device = remote::quote(name);
    if (link.mtu != copy.mtu)
      commands.push_back(fmt::format("ip link set dev {} mtu {}", device, link.mtu));
    if (link.admin_up != copy.admin_up)
      commands.push_back(
          fmt::format("ip link set dev {} {}", device, link.admin_up ? "up" : "down"));
    const auto has = [](const providers::IpLink& of, const providers::IpAddressEntry& address) {
      return std::ranges::any_of(
          of.addresses, [&](const auto& other) { return other.address == address.address; });
    };
    for (const providers::IpAddressEntry& address : link.addresses) {
      if (address.family == "inet" && !has(copy, address))
        commands.push_back(fmt::format("ip addr add {} dev {}", address.address, device));
    }
    for (const providers::IpAddressEntry& address : copy.addresses) {
      if (address.family == "inet" && !has(link, address))
        commands.push_back(fmt::format("ip addr del {} dev {}", address.address, device));
    }
  }
}

std::set<std::string> running_managers(const NodeFacts& facts) {
  std::set<std::string> units;
  const std::string* output = facts.output("opensm");
  if (output == nullptr) return units;
  for (const std::string_view line : split_lines(*output)) {
    const auto words = split_words(line);
    if (words.size() >= 3 && words[0] == "unit" && words[2] == "active") units.emplace(words[1]);
  }
  return units;
}

// `resources`: of that node, or of all. Copies the cards in the facts, every file that a probe
// printed as a whole, the identity, and packages that the document names.
lab::LabHost copy_host(
    const NodeSpec& node, const NodeFacts& facts, const std::vector<Resource>& resources) {
  lab::LabHost host;
  const std::vector<providers::Card> cards = providers::inventory_of(facts);
  std::string device;
  for (const Resource& resource : resources) {
    if (resource.address.node != node.name || resource.address.kind != kinds::kAdapter) continue;
    const providers::FoundCard found = providers::find_card(cards, resource.binding);
    lab::LabAdapter& adapter = host.adapters[resource.address.name];
    if (found.card == nullptr) {
      adapter.missing = true;
      continue;
    }
    adapter = copy_linux_card(*found.card, facts);
    if (!found.card->ports.empty()) device = found.card->ports.front().netdev;
  }
  const std::string_view wanted = node.network_backend.value == NetworkBackend::automatic
                                      ? "auto"
                                      : to_string(node.network_backend.value);
  constexpr std::array<std::string_view, 6> kPlayed{
      "networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan", "networkmanager"};
  const auto choice = providers::choose_backend(facts, wanted, device);
  const std::string_view backend = choice.backend == nullptr ? "" : choice.backend->name();
  if (std::ranges::find(kPlayed, backend) != kPlayed.end()) host.backend = std::string{backend};
  copy_tool(facts, host);
  copy_files(facts, host);
  const platform::Identity identity = platform::linux_platform().identity(facts);
  if (!identity.machine_id.empty()) host.files["/etc/machine-id"] = identity.machine_id + "\n";
  if (!identity.boot_id.empty()) host.boot_id = identity.boot_id;
  const auto lldp = facts.probes.find("lldp");
  host.lldpd = lldp != facts.probes.end() && lldp->second.exit_status == 0;
  copy_packages(node.name, facts, resources, host);
  return host;
}

// The commands of root on the copy, whose facts are `copied`, so that it runs as the node does:
// sysctls, MTUs, links that are up, addresses, subnet managers.
std::vector<std::string> catching_up(const NodeFacts& facts, const NodeFacts& copied) {
  std::vector<std::string> commands;
  const auto there = sysctls_of(facts);
  for (const auto& [path, value] : sysctls_of(copied)) {
    const auto found = there.find(path);
    if (found == there.end() || found->second == value) continue;
    commands.push_back(
        fmt::format("echo {} >{}", remote::quote(found->second), remote::quote(path)));
  }
  catch_up_links(facts, copied, commands);
  const std::set<std::string> run = running_managers(copied);
  for (const std::string& unit : running_managers(facts)) {
    if (!run.contains(unit)) commands.push_back("systemctl enable --now " + remote::quote(unit));
  }
  return commands;
}

// True for files of package managers and boot loaders, which change when fabric calls these tools.
bool is_kept_by_tools(const std::string& path) {
  constexpr std::array<std::string_view, 5> kTheirs{
      "/var/lib/dpkg/", "/var/lib/apt/", "/boot/", "/usr/", "/var/log/"};
  return std::ranges::any_of(
      kTheirs, [&path](std::string_view folder) { return path.starts_with(folder); });
}

// True for a file of fabric by its name, or a folder that one needs.
bool is_ours(const std::string& path, const std::vector<std::string>& touched) {
  constexpr std::string_view kMark = "fabric";
  if (path.find(kMark) != std::string::npos) return true;
  // A rollback leaves the empty folder of a unit's drop-in.
  if (path.ends_with(".service.d")) return true;
  return std::ranges::any_of(touched, [&](const std::string& other) {
    return other.starts_with(path + "/") && other.find(kMark, path.size()) != std::string::npos;
  });
}

// Initscripts read files named by interface, and only the marker tells whether one is fabric's. A
// missing file was there for the run only, or is a file of fabric that was removed.
bool is_our_script(const std::string& path, const std::optional<std::string>& content) {
  constexpr std::array<std::string_view, 3> kScripts{"/ifcfg-", "/route-", "/route6-"};
  const bool is_script = path.find("/network-scripts/") != std::string::npos &&
                         std::ranges::any_of(kScripts, [&path](std::string_view prefix) {
                           return path.find(prefix) != std::string::npos;
                         });
  return is_script && (!content || content->starts_with("# managed by fabric"));
}

class SimulatedLinux final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const override {
    return copy_host(node, facts, resources);
  }

  std::vector<std::string> catching_up(
      const NodeFacts& facts, const NodeFacts& copied) const override {
    return rehearse::catching_up(facts, copied);
  }

  std::optional<SimulatedLock> lock(const lab::Lab& lab, const NodeName& node) const override {
    const std::optional<std::string> text = lab.read_file(node, platform::kLockFile);
    if (!text) return std::nullopt;
    SimulatedLock lock{*text, "unknown", Duration{0}};
    for (const std::string_view line : split_lines(lock.text)) {
      const auto words = split_words(line);
      if (words.size() != 2) continue;
      if (words[0] == "run") lock.run = words[1];
      if (words[0] == "length")
        lock.length = std::chrono::seconds{parse_integer(words[1]).value_or(0)};
    }
    return lock;
  }

  bool is_about_lock(const remote::Step& step) const override {
    constexpr std::size_t kName = 3;
    const auto* run = std::get_if<remote::step::Run>(&step);
    return run != nullptr && run->command.argv.size() > kName &&
           run->command.argv[kName] == "fabric-lock";
  }

  bool is_lock_work(const lab::Work& work) const override {
    const auto* command = std::get_if<lab::CommandLine>(&work);
    return command != nullptr && command->line.find("' fabric-lock ") != std::string::npos;
  }

  std::optional<std::string> meddled(const remote::step::WriteFile& file) const override {
    constexpr std::string_view kKeys[] = {"MTUBytes=", "mtu "};
    for (const std::string_view key : kKeys) {
      const std::size_t at = file.content.rfind(key);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + key.size();
      const std::size_t end =
          std::min(file.content.find_first_not_of("0123456789", begin), file.content.size());
      if (end == begin) continue;
      std::string content = file.content;
      return content.replace(begin, end - begin, "4242");
    }
    return std::nullopt;
  }

  void write(
      lab::Lab& lab,
      const NodeName& node,
      const std::string& path,
      const std::string& content) const override {
    lab.change(node, "cat >" + remote::quote(path) + "; sync", content);
  }

  void edit(lab::Lab& lab, const NodeName& node, const std::string& path, FileEdit::How how)
      const override {
    using How = FileEdit::How;
    const std::string file = remote::quote(path);
    const std::string elsewhere = "/var/log/somebody-else" + path;
    std::string line;
    if (how == How::edited) line = "echo '# by somebody else' >>" + file;
    if (how == How::removed) line = "rm -f " + file;
    if (how == How::truncated) line = ": >" + file;
    if (how == How::linked) {
      const std::string place = remote::quote(elsewhere);
      line = "mkdir -p " + remote::quote(elsewhere.substr(0, elsewhere.rfind('/'))) + " && mv " +
             file + " " + place + " && ln -s " + place + " " + file;
    }
    lab.change(node, line + "; sync", "");
  }

  bool is_link(lab::Lab& lab, const NodeName& node, const std::string& path) const override {
    return lab.look(node, "[ -L " + remote::quote(path) + " ]", "").exit_status == 0;
  }

  bool may_touch(
      const std::string& path,
      const std::vector<std::string>& touched,
      const std::optional<std::string>& content) const override {
    return is_ours(path, touched) || is_kept_by_tools(path) || is_our_script(path, content);
  }

  bool may_be_lost(const std::string& path) const override {
    return path.starts_with("/var/log/") || path == "/var/cache" || path.starts_with("/var/cache/");
  }

  // The path, its digest and the lines to remove, after "sh -c SCRIPT NAME".
  std::optional<ShownEdit> shown_edit(
      std::string_view kind, const remote::Argv& command) const override {
    constexpr std::size_t kFirst = 4;
    if (command.size() <= kFirst + 3) return std::nullopt;
    const std::string& first = command[kFirst];
    if (kind == methods::kNetworkAdopt) {
      const std::string& path = command[kFirst + 1];
      ShownEdit edit{path, command[kFirst + 3], {}, {}};
      if (command[kFirst + 2] == "whole")
        edit.kept_as = {first + "/whole" + path, first + "/later" + path};
      return edit;
    }
    if (!first.starts_with('/')) return std::nullopt;
    ShownEdit edit{first, command[kFirst + 1], {}, {}};
    for (std::size_t at = kFirst + 3; at < command.size(); ++at) {
      for (const std::string_view line : split_lines(command[at]))
        edit.lines.emplace_back(line);
    }
    return edit;
  }
};

}  // namespace

const SimulatedPlatform& simulated_linux() {
  static const SimulatedLinux platform;
  return platform;
}

}  // namespace fabric::rehearse

#include "engine/lab/host/networkd.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/lab/host/links.hpp"
#include "engine/lab/shell/pattern.hpp"

namespace fabric::lab {
namespace {

using Match = std::map<std::string, std::vector<std::string>>;

// Name to path; a file in /etc hides one of the same name in /run, that one in /usr/lib.
std::map<std::string, std::string> unit_files(const Machine& machine, std::string_view suffix) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder :
       {"/usr/lib/systemd/network", "/run/systemd/network", "/etc/systemd/network"}) {
    for (const std::string& name : machine.state.files.list(folder)) {
      const bool fits = name.size() > suffix.size() && name.front() != '.' &&
                        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      if (fits) files[name] = std::string{folder} + "/" + name;
    }
  }
  return files;
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& text) {
  bool positive = false;
  bool matched = false;
  for (const std::string& pattern : patterns) {
    const bool negated = !pattern.empty() && pattern.front() == '!';
    if (negated && shell::matches(pattern.substr(1), text)) return false;
    positive = positive || !negated;
    matched = matched || (!negated && shell::matches(pattern, text));
  }
  return matched || !positive;
}

bool any_equals(const std::vector<std::string>& macs, const std::string& mac) {
  return std::any_of(macs.begin(), macs.end(), [&](const std::string& candidate) {
    std::string normal = to_lower(candidate);
    std::replace(normal.begin(), normal.end(), '-', ':');
    return normal == mac;
  });
}

bool key_matches(
    const Machine& machine,
    const Interface& interface,
    const std::string& key,
    const std::vector<std::string>& values) {
  if (key == "Name" || key == "OriginalName") return any_matches(values, interface.name);
  if (key == "Path") return any_matches(values, udev_path(machine, interface));
  if (key == "MACAddress") return any_equals(values, interface.mac);
  if (key == "PermanentMACAddress") return any_equals(values, interface.permanent_mac);
  if (key == "Type")
    return any_matches(
        values,
        interface.loopback     ? "loopback"
        : interface.infiniband ? "infiniband"
                               : "ether");
  if (key == "Driver") {
    return any_matches(
        values, interface.card ? machine.state.cards[*interface.card].hardware.driver : "igb");
  }
  return false;
}

bool matches(const Machine& machine, const Interface& interface, const Match& match) {
  if (match.empty()) return false;  // such a file is ignored
  return std::all_of(match.begin(), match.end(), [&](const auto& one) {
    return key_matches(machine, interface, one.first, one.second);
  });
}

void add_match(Match& match, const std::string& key, const std::string& value) {
  for (const std::string_view word : split_words(value))
    match[key].emplace_back(word);
}

std::optional<std::uint32_t> parse_bytes(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty() && text.back() == 'K') {
    factor = 1024;
    text.remove_suffix(1);
  }
  const std::optional<std::uint64_t> value = parse_unsigned(text, 10);
  if (!value || *value > 1'000'000) return std::nullopt;
  return static_cast<std::uint32_t>(*value * factor);
}

void add_address(NetworkFile& file, const std::string& text) {
  std::optional<IpPrefix> address = IpPrefix::parse(text);
  if (!address) return;
  // Without a length networkd takes the one of the old class.
  if (text.find('/') == std::string::npos && !address->ipv6()) address->set_length(24);
  file.addresses.push_back(*address);
}

void read_key(
    NetworkFile& file,
    const std::string& section,
    const std::string& key,
    const std::string& value) {
  if (section == "Match") return add_match(file.match, key, value);
  if (section == "Link") {
    if (key == "MTUBytes") file.mtu = parse_bytes(value);
    if (key == "Unmanaged") file.unmanaged = value == "yes" || value == "true" || value == "1";
    if (key == "ActivationPolicy")
      file.activate = value != "down" && value != "always-down" && value != "manual";
  }
  if ((section == "Network" || section == "Address") && key == "Address") add_address(file, value);
  if ((section == "Network" || section == "Route") && key == "Gateway") file.gateway = value;
}

}  // namespace

std::vector<IniSection> parse_ini(std::string_view content) {
  std::vector<IniSection> sections;
  for (const std::string_view raw : split_lines(content)) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      sections.push_back(IniSection{std::string{line.substr(1, line.size() - 2)}, {}});
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || sections.empty()) continue;
    sections.back().keys.emplace_back(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
  return sections;
}

std::string udev_path(const Machine& machine, const Interface& interface) {
  if (interface.loopback) return "";
  if (!interface.card) return "pci-0000:00:1f.6";
  return "pci-" + machine.state.cards[*interface.card].function_of(interface.port);
}

LinkSettings link_settings(const Machine& machine, const Interface& interface) {
  for (const auto& [name, path] : unit_files(machine, ".link")) {
    std::string content;
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    Match match;
    LinkSettings settings;
    for (const IniSection& section : parse_ini(content)) {
      for (const auto& [key, value] : section.keys) {
        if (section.name == "Match") add_match(match, key, value);
        if (section.name == "Link" && key == "Name") settings.name = value;
        if (section.name == "Link" && key == "MTUBytes") settings.mtu = parse_bytes(value);
      }
    }
    if (matches(machine, interface, match)) return settings;
  }
  return {};
}

std::vector<NetworkFile> read_network_files(const Machine& machine) {
  std::vector<NetworkFile> files;
  for (const auto& [name, path] : unit_files(machine, ".network")) {
    std::string content;
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    NetworkFile file;
    file.path = path;
    for (const IniSection& section : parse_ini(content)) {
      for (const auto& [key, value] : section.keys)
        read_key(file, section.name, key, value);
    }
    files.push_back(std::move(file));
  }
  return files;
}

const NetworkFile* network_file_for(const Machine& machine, const Interface& interface) {
  if (interface.loopback) return nullptr;
  for (const NetworkFile& file : machine.state.networkd) {
    if (matches(machine, interface, file.match)) return file.unmanaged ? nullptr : &file;
  }
  return nullptr;
}

void networkd_configure(Machine& machine, Interface& interface) {
  const NetworkFile* file = network_file_for(machine, interface);
  if (file == nullptr) {
    if (!interface.network_file.empty()) flush_addresses(machine, interface);
    interface.network_file.clear();
    return;
  }
  interface.network_file = file->path;
  if (file->mtu) set_mtu(machine, interface, *file->mtu);
  const std::vector<IpPrefix> before = interface.addresses;
  for (const IpPrefix& address : before) {
    const bool wanted =
        std::find(file->addresses.begin(), file->addresses.end(), address) != file->addresses.end();
    if (!wanted) remove_address(machine, interface, address);
  }
  for (const IpPrefix& address : file->addresses)
    lab::add_address(machine, interface, address);
  if (file->activate) set_up(machine, interface, true);
  if (!file->gateway.empty()) set_default_route(machine, file->gateway, interface.name);
}

void networkd_start(Machine& machine) {
  machine.state.networkd = read_network_files(machine);
  for (Interface& interface : machine.state.interfaces) {
    if (!interface.loopback) networkd_configure(machine, interface);
  }
}

void networkd_reload(Machine& machine) {
  const std::vector<NetworkFile> before = machine.state.networkd;
  std::vector<NetworkFile> now = read_network_files(machine);
  const auto file_of = [&](const Interface& interface) {
    const NetworkFile* file = network_file_for(machine, interface);
    return file == nullptr ? NetworkFile{} : *file;
  };
  std::vector<NetworkFile> old;
  for (const Interface& interface : machine.state.interfaces)
    old.push_back(file_of(interface));
  machine.state.networkd = std::move(now);
  for (std::size_t i = 0; i < machine.state.interfaces.size(); ++i) {
    Interface& interface = machine.state.interfaces[i];
    if (!interface.loopback && !(file_of(interface) == old[i]))
      networkd_configure(machine, interface);
  }
}

}  // namespace fabric::lab

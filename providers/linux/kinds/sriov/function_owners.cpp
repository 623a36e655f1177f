// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/sriov/function_owners.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"
#include "providers/linux/kinds/interface/backends/networkd_match.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kOwnersProbe = "sriov-owners";

struct Line {
  std::size_t number = 1;
  std::string text;
  bool of_interface = false;  // of the stanza of the interface that it is about
};
using Lines = std::vector<Line>;

std::map<std::string, Lines> lines_by_file(std::string_view output) {
  std::map<std::string, Lines> files;
  for (const std::string_view line : split_lines(output)) {
    const std::size_t name = line.find(':');
    const std::size_t number = name == std::string_view::npos ? name : line.find(':', name + 1);
    if (number == std::string_view::npos || !line.starts_with('/')) continue;
    const auto at = parse_unsigned(line.substr(name + 1, number - name - 1), 10);
    if (!at || *at == 0) continue;
    files[std::string{line.substr(0, name)}].push_back(
        {static_cast<std::size_t>(*at), std::string{line.substr(number + 1)}});
  }
  return files;
}

bool is_comment(std::string_view text) {
  const std::string_view words = trim(text);
  return words.empty() || words.front() == '#' || words.front() == ';';
}

LinkTarget target_of(const NodeFacts& facts, const Card& card, const AdapterPort& port) {
  LinkTarget target{ResourceAddress{facts.node, kinds::kSriov, card.address.str()}};
  target.kind = LinkKind::port;
  target.name = port.netdev;
  target.card = &card;
  target.port = &port;
  return target;
}

// The file as it is, with its lines where they are.
std::string whole(const Lines& lines) {
  std::string text;
  std::size_t next = 1;
  for (const Line& line : lines) {
    for (; next < line.number; ++next)
      text += '\n';
    text += line.text + "\n";
    ++next;
  }
  return text;
}

// Of the first of the keys that has a value.
std::optional<Line> with_key(const Lines& lines, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    for (const Line& line : lines) {
      const std::string_view text = trim(line.text);
      if (text.starts_with(key) && trim(text.substr(key.size())).starts_with('=')) return line;
    }
  }
  return std::nullopt;
}

// A .link knows an interface by the name that the kernel gave it.
std::optional<Line> by_networkd(const Lines& lines, const LinkTarget& target) {
  const auto says = with_key(lines, {"SR-IOVVirtualFunctions", "VirtualFunction"});
  if (!says) return std::nullopt;
  Lines renamed = lines;
  for (Line& line : renamed) {
    constexpr std::string_view kKernels = "OriginalName";
    if (trim(line.text).starts_with(kKernels))
      line.text = std::string{trim(line.text).substr(std::string_view{"Original"}.size())};
  }
  return judge_match(target, whole(renamed)).matches ? says : std::nullopt;
}

std::optional<Line> by_keyfile(const Lines& lines, const LinkTarget& target) {
  const auto says = with_key(lines, {"total-vfs"});
  if (!says) return std::nullopt;
  const KeyfileProfile profile = keyfile_profile(whole(lines));
  const bool is_meant = profile.interface.empty() ? means_port(profile, target).fits
                                                  : profile.interface == target.name;
  return is_meant ? says : std::nullopt;
}

std::size_t indent_of(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

std::string_view value_behind(std::string_view text, std::string_view key) {
  std::string_view value = trim(trim(text).substr(key.size()));
  if (value.size() > 1 && (value.front() == '"' || value.front() == '\'')) {
    value.remove_prefix(1);
    value.remove_suffix(1);
  }
  return value;
}

// The block of an interface: its name, with what its `match` says.
struct NetplanBlock {
  std::string id, name, mac;
  bool unread = false;  // `match` on one line: it may be any port

  bool means(const LinkTarget& target) const {
    if (unread) return true;
    if (!mac.empty()) {
      const Result<MacAddress> address = MacAddress::parse(mac);
      const AdapterPort& port = *target.port;
      return address && (port.mac == *address || port.permanent_mac == *address);
    }
    const std::string& pattern = name.empty() ? id : name;
    return fnmatch(pattern.c_str(), target.name.c_str(), 0) == 0;
  }
};

std::optional<Line> by_netplan(const Lines& lines, const LinkTarget& target) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = trim(lines[i].text);
    if (text.find("virtual-function-count") == std::string_view::npos || is_comment(text)) continue;
    if (!text.starts_with("virtual-function-count")) {
      // On one line with its interface.
      const bool is_meant = text.find("match") != std::string_view::npos ||
                            text.find(target.name) != std::string_view::npos;
      if (is_meant) return lines[i];
      continue;
    }
    const std::size_t inner = indent_of(lines[i].text);
    NetplanBlock block;
    std::size_t first = i;
    while (first > 0 && indent_of(lines[first].text) >= inner)
      --first;
    block.id = std::string{trim(lines[first].text)};
    if (block.id.ends_with(':')) block.id.pop_back();
    std::erase_if(block.id, [](char c) { return c == '"' || c == '\''; });
    for (std::size_t n = first + 1; n < lines.size() && indent_of(lines[n].text) >= inner; ++n) {
      const std::string_view each = trim(lines[n].text);
      block.unread = block.unread || each.starts_with("match: {");
      if (each.starts_with("macaddress:")) block.mac = value_behind(each, "macaddress:");
      if (each.starts_with("name:")) block.name = value_behind(each, "name:");
    }
    if (block.means(target)) return lines[i];
  }
  return std::nullopt;
}

// "enp1s0f0np0" of "/sys/class/net/enp1s0f0np0/device/sriov_numvfs"; "" if it is said otherwise.
std::string_view between(std::string_view text, std::string_view begin, char end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::string_view rest = text.substr(from + begin.size());
  return rest.substr(0, rest.find(end));
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("$*?[{%") != std::string_view::npos;
}

bool fits(std::string_view pattern, const std::string& text) {
  return fnmatch(std::string{pattern}.c_str(), text.c_str(), 0) == 0;
}

// Text of a shell, of a rule of udev's, or of sysfs.d. `stanza`: the interface that $IFACE is.
bool is_about(std::string_view text, std::string_view stanza, const LinkTarget& target) {
  const std::string function = target.port->function.str();
  if (text.find(function) != std::string_view::npos) return true;
  for (const auto& [begin, end, mine] :
       {std::tuple{"class/net/", '/', &target.name},
        std::tuple{"KERNEL==\"", '"', &target.name},
        std::tuple{"NAME==\"", '"', &target.name},
        std::tuple{"pci/devices/", '/', &function},
        std::tuple{"KERNELS==\"", '"', &function},
        std::tuple{"PCI_SLOT_NAME}==\"", '"', &function}}) {
    const std::string_view named = between(text, begin, end);
    if (named.empty()) continue;
    if (named.find("IFACE") != std::string_view::npos && !stanza.empty())
      return stanza == target.name;
    if (named.find('$') != std::string_view::npos) return true;
    return is_pattern(named) ? fits(named, *mine) : named == *mine;
  }
  return true;
}

std::optional<Line> by_text(const Lines& lines, const LinkTarget& target) {
  std::string stanza;
  for (const Line& line : lines) {
    if (is_comment(line.text)) continue;
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() > 1 && words[0] == "iface") {
      stanza = words[1];
      continue;
    }
    if (is_about(line.text, stanza, target))
      return Line{line.number, line.text, stanza == target.name};
  }
  return std::nullopt;
}

// "0000:01:00.0 8", or an interface in place of the address.
std::optional<Line> by_table(const Lines& lines, const LinkTarget& target) {
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.empty() || is_comment(line.text)) continue;
    if (words[0] == target.port->function.str() || words[0] == target.name) return line;
  }
  return std::nullopt;
}

std::optional<Line> by_module(const Lines& lines, const LinkTarget& target) {
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = split_words(line.text);
    if (words.size() > 1 && words[0] == "options" && words[1] == target.card->driver) return line;
  }
  return std::nullopt;
}

std::optional<Line> owning_line(
    const std::string& path, const Lines& lines, const LinkTarget& target) {
  if (path.find("/systemd/network/") != std::string::npos) return by_networkd(lines, target);
  if (path.find("/system-connections/") != std::string::npos) return by_keyfile(lines, target);
  if (path.find("/netplan/") != std::string::npos) return by_netplan(lines, target);
  if (path.find("/modprobe.d/") != std::string::npos) return by_module(lines, target);
  if (path.starts_with("/etc/rdma/")) return by_table(lines, target);
  return by_text(lines, target);
}

}  // namespace

Probe function_owners_probe() {
  return {kOwnersProbe, std::string{sh::probe_sriov_owners.text}};
}

std::vector<FunctionOwner> function_owners(const Card& card, const NodeFacts& facts) {
  const std::string* output = facts.output(kOwnersProbe);
  std::vector<FunctionOwner> owners;
  if (output == nullptr) return owners;
  for (const auto& [path, lines] : lines_by_file(*output)) {
    const bool ours = std::any_of(lines.begin(), lines.end(), [](const Line& line) {
      return line.number == 1 && line.text.starts_with("# managed by fabric");
    });
    if (ours) continue;
    for (const AdapterPort& port : card.ports) {
      const auto line = owning_line(path, lines, target_of(facts, card, port));
      if (!line) continue;
      const bool of_service =
          path.starts_with("/etc/") &&
          (path.ends_with(".network") || path.find("/system-connections/") != std::string::npos ||
           path.find("/netplan/") != std::string::npos);
      owners.push_back(
          {path,
           line->number,
           std::string{trim(line->text)},
           port.function.str(),
           port.number,
           of_service || line->of_interface});
      break;
    }
  }
  return owners;
}

}  // namespace fabric::providers

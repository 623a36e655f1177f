// systemd-networkd: one .network file a port.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fnmatch.h>

#include "engine/base/text.hpp"
#include "providers/interface/backend.hpp"
#include "providers/interface/ini_file.hpp"
#include "providers/systemd_match.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kSuffix = ".network";

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

bool matches_any(std::string_view patterns, const std::string& text) {
  const std::vector<std::string_view> words = split_words(patterns);
  return std::any_of(words.begin(), words.end(), [&text](std::string_view word) {
    return !text.empty() && fnmatch(std::string{word}.c_str(), text.c_str(), 0) == 0;
  });
}

bool is_mac(std::string_view words, const std::optional<MacAddress>& mac) {
  const std::vector<std::string_view> list = split_words(words);
  return std::any_of(list.begin(), list.end(), [&mac](std::string_view word) {
    const Result<MacAddress> given = MacAddress::parse(word);
    return given && mac == *given;
  });
}

// What a foreign [Match] says of our port. A key that we don't know may well hold.
struct Verdict {
  bool matches = false;
  bool names_it = false;  // and not a whole class of interfaces
  std::size_t line = 1;
};

Verdict judge(const InterfaceTarget& target, std::string_view content) {
  Verdict verdict;
  bool all_hold = true;
  bool any = false;
  for (const IniEntry& entry : ini_entries(content)) {
    if (entry.section != "Match") continue;
    if (!any) verdict.line = entry.line;
    any = true;
    if (entry.key == "Name") {
      const bool negated = entry.value.starts_with('!');
      const bool hit = matches_any(entry.value.substr(negated ? 1 : 0), target.name);
      all_hold = all_hold && hit != negated;
      verdict.names_it = verdict.names_it || (hit && !negated && !has_wildcard(entry.value));
    } else if (entry.key == "MACAddress" || entry.key == "PermanentMACAddress") {
      const bool hit = is_mac(
          entry.value, entry.key == "MACAddress" ? target.port.mac : target.port.permanent_mac);
      all_hold = all_hold && hit;
      verdict.names_it = verdict.names_it || hit;
    } else if (entry.key == "Path") {
      const bool hit = matches_any(entry.value, "pci-" + target.port.function.str());
      all_hold = all_hold && hit;
      verdict.names_it = verdict.names_it || (hit && !has_wildcard(entry.value));
    } else if (entry.key == "Type") {
      all_hold = all_hold && matches_any(entry.value, "ether");
    } else if (entry.key == "Driver") {
      all_hold =
          all_hold && (target.card.driver.empty() || matches_any(entry.value, target.card.driver));
    }
  }
  verdict.matches = any && all_hold;
  return verdict;
}

class Networkd final : public NetworkBackend {
 public:
  std::string_view name() const override { return "networkd"; }

  std::string obstacle(const InterfaceTarget& target) const override {
    if (!systemd_match(target.card, target.port).empty()) return {};
    return fmt::format(
        "both ports of card {} sit behind one PCI function and the MAC address of port {} is not "
        "known",
        target.card.address.str(),
        target.port.number);
  }

  std::string path(const InterfaceTarget& target) const override {
    return fmt::format("/etc/systemd/network/10-fabric-{}{}", target.address.name, kSuffix);
  }

  // Addresses stay while the cable is out or the neighbour reboots, and boot does not wait for it.
  std::string render(const InterfaceTarget& target, const InterfaceConfig& config) const override {
    std::string text = owned_marker(target.address);
    text += "[Match]\n" + systemd_match(target.card, target.port) + "\n[Link]\n";
    if (config.mtu) text += fmt::format("MTUBytes={}\n", *config.mtu);
    text += "RequiredForOnline=no\n\n[Network]\n";
    bool ipv6 = false;
    for (const std::string& address : config.addresses) {
      text += "Address=" + address + "\n";
      ipv6 = ipv6 || address.find(':') != std::string::npos;
    }
    text += fmt::format("LinkLocalAddressing={}\n", ipv6 ? "ipv6" : "no");
    text += "IPv6AcceptRA=no\nConfigureWithoutCarrier=yes\n";
    return text;
  }

  std::optional<InterfaceConfig> read(
      const InterfaceTarget& target, std::string_view content) const override {
    std::string match;
    InterfaceConfig config;
    for (const IniEntry& entry : ini_entries(content)) {
      if (entry.section == "Match") match += fmt::format("{}={}\n", entry.key, entry.value);
      if (entry.section == "Link" && entry.key == "MTUBytes")
        config.mtu = parse_integer(entry.value);
      if (entry.section == "Network" && entry.key == "Address")
        config.addresses.emplace_back(entry.value);
    }
    if (match != systemd_match(target.card, target.port)) return std::nullopt;
    return config;
  }

  // Files are read in order of name and the first that matches wins: one that names this very
  // interface is somebody's intention, one for a whole class matters only if it comes before ours.
  std::vector<ForeignEntry> foreign(
      const InterfaceTarget& target, const FileTexts& files) const override {
    const std::string own = path(target);
    std::vector<ForeignEntry> entries;
    for (const auto& [file, content] : files) {
      if (file.find("/systemd/network/") == std::string::npos || !file.ends_with(kSuffix)) continue;
      if (is_owned(content)) continue;
      const Verdict verdict = judge(target, content);
      if (!verdict.matches) continue;
      if (file == own || verdict.names_it || base_name(file) < base_name(own)) {
        entries.push_back({file, verdict.line});
      }
    }
    return entries;
  }

  std::string not_in_use(const FileTexts& /*files*/) const override { return {}; }

  std::vector<remote::Argv> activate(const std::string& device) const override {
    return {{"networkctl", "reload"}, {"networkctl", "reconfigure", device}};
  }
  // networkd leaves addresses alone where no file is left.
  std::vector<remote::Argv> restore(const std::string& device) const override {
    return {
        {"networkctl", "reload"},
        {"ip", "address", "flush", "dev", device, "scope", "global"},
        {"networkctl", "reconfigure", device}};
  }
  std::vector<remote::Argv> restore_all() const override {
    return {{"systemctl", "restart", "systemd-networkd"}};
  }
};

}  // namespace

const NetworkBackend& networkd_backend() {
  static const Networkd backend;
  return backend;
}

}  // namespace fabric::providers

// ifupdown (Debian) and ifupdown2 (Proxmox, Cumulus): one file a port in interfaces.d.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/interface/backend.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kInterfaces = "/etc/network/interfaces";
constexpr const char* kFolder = "/etc/network/interfaces.d";

struct Stanza {
  std::string_view name;    // of the interface
  std::string_view family;  // "inet"
  std::string_view method;  // "static"
  std::size_t line = 1;
  std::vector<std::vector<std::string_view>> options;
};

bool opens_something(std::string_view word) {
  return word == "iface" || word == "auto" || word == "mapping" || word == "source" ||
         word == "source-directory" || word == "rename" || word == "template" ||
         word.starts_with("allow-") || word.starts_with("no-auto-down") ||
         word.starts_with("no-scripts");
}

std::vector<Stanza> stanzas_of(std::string_view text) {
  std::vector<Stanza> stanzas;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (opens_something(words[0])) {
      inside = words[0] == "iface" && words.size() >= 2;
      if (!inside) continue;
      const auto word = [&words](std::size_t at) {
        return words.size() > at ? words[at] : std::string_view{};
      };
      stanzas.push_back({words[1], word(2), word(3), number, {}});
    } else if (inside) {
      stanzas.back().options.push_back(words);
    }
  }
  return stanzas;
}

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

class Ifupdown final : public NetworkBackend {
 public:
  explicit Ifupdown(bool second) : second_{second} {}
  std::string_view name() const override { return second_ ? "ifupdown2" : "ifupdown"; }

  std::string obstacle(const InterfaceTarget& target) const override {
    if (!target.name.empty()) return {};
    return fmt::format(
        "ifupdown needs the name of the interface, and port {} of card {} has none yet",
        target.port.number,
        target.card.address.str());
  }

  // No dots: `source-directory` of older versions skips such names.
  std::string path(const InterfaceTarget& target) const override {
    std::string file = target.address.name;
    for (char& c : file) {
      const bool plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (!plain) c = '-';
    }
    return fmt::format("{}/fabric-{}", kFolder, file);
  }

  std::string render(const InterfaceTarget& target, const InterfaceConfig& config) const override {
    std::string text = owned_marker(target.address);
    text += fmt::format("auto {}\n", target.name);
    const std::string mtu = config.mtu ? fmt::format("    mtu {}\n", *config.mtu) : "";
    // The MTU once: in a stanza of family inet6 it would be that of IPv6 only.
    const auto first_ipv4 =
        std::find_if_not(config.addresses.begin(), config.addresses.end(), is_ipv6);
    if (first_ipv4 == config.addresses.end()) {
      text += fmt::format("iface {} inet manual\n{}", target.name, mtu);
    }
    for (auto address = config.addresses.begin(); address != config.addresses.end(); ++address) {
      text += fmt::format(
          "iface {} {} static\n    address {}\n",
          target.name,
          is_ipv6(*address) ? "inet6" : "inet",
          *address);
      if (address == first_ipv4) text += mtu;
    }
    return text;
  }

  std::optional<InterfaceConfig> read(
      const InterfaceTarget& target, std::string_view content) const override {
    InterfaceConfig config;
    bool found = false;
    for (const Stanza& stanza : stanzas_of(content)) {
      if (stanza.name != target.name) continue;
      found = true;
      for (const auto& option : stanza.options) {
        if (option.size() != 2) continue;
        if (option[0] == "mtu") config.mtu = parse_integer(option[1]);
        if (option[0] == "address") config.addresses.emplace_back(option[1]);
      }
    }
    // Without `auto` the boot leaves the interface alone.
    if (!found || content.find(fmt::format("auto {}\n", target.name)) == std::string_view::npos)
      return std::nullopt;
    return config;
  }

  std::vector<ForeignEntry> foreign(
      const InterfaceTarget& target, const FileTexts& files) const override {
    std::vector<ForeignEntry> entries;
    for (const auto& [file, content] : files) {
      if (!file.starts_with(kInterfaces) || is_owned(content)) continue;
      for (const Stanza& stanza : stanzas_of(content)) {
        // A bare `iface X inet manual` configures nothing; Proxmox writes one for every port.
        const bool bare = stanza.method == "manual" && stanza.options.empty();
        if (stanza.name == target.name && !bare) entries.push_back({file, stanza.line});
      }
    }
    return entries;
  }

  std::string not_in_use(const FileTexts& files) const override {
    const auto interfaces = files.find(kInterfaces);
    if (interfaces != files.end()) {
      for (const std::string_view line : split_lines(interfaces->second)) {
        const std::vector<std::string_view> words = split_words(line);
        if (words.size() < 2 || !words[0].starts_with("source")) continue;
        std::string_view pattern = words[1];
        if (pattern.starts_with("/etc/network/")) pattern.remove_prefix(13);
        if (pattern.starts_with("interfaces.d")) return {};
      }
    }
    return fmt::format("{} does not read the files of {}", kInterfaces, kFolder);
  }

  // The former content is gone when this runs, so `ifdown` of ifupdown can't know what to take
  // away: the addresses are flushed. ifupdown2 keeps the state it made.
  std::vector<remote::Argv> activate(const std::string& device) const override {
    if (second_) return {{"ifdown", device}, {"ifup", device}};
    return {
        {"ifdown", "--force", device},
        {"ip", "addr", "flush", "dev", device},
        {"ifup", "--force", device}};
  }
  std::vector<remote::Argv> restore(const std::string& device) const override {
    return {
        {"sh",
         "-c",
         "ifdown --force \"$1\" 2>/dev/null; ip address flush dev \"$1\" scope global; "
         "ifquery \"$1\" >/dev/null 2>&1 || exit 0; exec ifup --force \"$1\"",
         "fabric",
         device}};
  }
  std::vector<remote::Argv> restore_all() const override {
    return {{"systemctl", "restart", "networking"}};
  }

 private:
  bool second_;
};

}  // namespace

const NetworkBackend& ifupdown_backend() {
  static const Ifupdown backend{false};
  return backend;
}

const NetworkBackend& ifupdown2_backend() {
  static const Ifupdown backend{true};
  return backend;
}

}  // namespace fabric::providers

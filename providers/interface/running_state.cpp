#include "providers/interface/running_state.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kProbe = "ip-addr";

// Link-local ones come by themselves, and so do those of a router advertisement.
bool is_configured(const IpAddressEntry& entry) {
  return entry.scope != "link" && entry.scope != "host" &&
         !(entry.family == "inet6" && entry.dynamic);
}

RunningState from_link(const IpLink& link) {
  std::vector<std::string> addresses;
  for (const IpAddressEntry& entry : link.addresses) {
    if (is_configured(entry)) addresses.push_back(entry.address);
  }
  // An interface that is down keeps its addresses, but nothing passes.
  if (!link.admin_up) addresses.clear();
  return {Reading::of(link.mtu), Reading::of(address_list(std::move(addresses)))};
}

// "4: enp1s0f0np0    inet 10.30.0.1/24 brd 10.30.0.255 scope global enp1s0f0np0"
std::vector<std::string> from_lines(std::string_view text, const std::string& device) {
  std::vector<std::string> addresses;
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 4 || words[1] != device || !words[2].starts_with("inet")) continue;
    IpAddressEntry entry{std::string{words[2]}, std::string{words[3]}, "global", false};
    for (std::size_t at = 4; at < words.size(); ++at) {
      if (words[at] == "scope" && at + 1 < words.size()) entry.scope = std::string{words[at + 1]};
      if (words[at] == "dynamic") entry.dynamic = true;
    }
    if (is_configured(entry)) addresses.push_back(entry.address);
  }
  return addresses;
}

}  // namespace

Probe ip_addr_probe() {
  // iproute2 of CentOS 7 has no -j for addresses.
  return {std::string{kProbe}, "ip -j -d addr show 2>/dev/null || ip -o addr show\n"};
}

Value address_list(std::vector<std::string> addresses) {
  const auto key = [](const std::string& text) -> std::optional<IpAddress> {
    const Result<IpAddress> address =
        IpAddress::parse(std::string_view{text}.substr(0, text.find('/')));
    return address ? std::optional{*address} : std::nullopt;
  };
  std::sort(addresses.begin(), addresses.end(), [&key](const std::string& a, const std::string& b) {
    const auto left = key(a);
    const auto right = key(b);
    return left != right ? left < right : a < b;
  });
  List list;
  for (std::string& address : addresses)
    list.emplace_back(std::move(address));
  return list;
}

RunningState running_state(const NodeFacts& facts, const AdapterPort& port) {
  if (port.netdev.empty() || !port.netdev_is_ethernet) return {};
  const Reading sysfs_mtu =
      port.mtu > 0 ? Reading::of(port.mtu) : Reading::unknown("its MTU could not be read");
  const std::string* output = facts.output(kProbe);
  if (output == nullptr) return {sysfs_mtu, Reading::unknown("ip did not tell the addresses")};
  if (!trim(*output).starts_with('[')) {
    return {sysfs_mtu, Reading::of(address_list(from_lines(*output, port.netdev)))};
  }
  const Result<std::vector<IpLink>> links = parse_ip_json(*output);
  if (!links) return {sysfs_mtu, Reading::unknown("ip printed " + links.error().message)};
  const auto link = std::find_if(links->begin(), links->end(), [&port](const IpLink& each) {
    return each.name == port.netdev;
  });
  if (link == links->end()) return {sysfs_mtu, Reading::unknown("ip does not list " + port.netdev)};
  return from_link(*link);
}

}  // namespace fabric::providers

#include "engine/cli/lab/lab_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::cli {

namespace {

constexpr std::size_t kListed = 20;
constexpr std::size_t kListedOfMany = 3;

// "key: value" for scalars, indented blocks for what has parts.
// NOLINTNEXTLINE(misc-no-recursion): over a Value of the lab's own, a few levels deep
std::string block(const Value& value, std::size_t indent) {
  const Map* map = value.as_map();
  if (map == nullptr) return std::string(indent, ' ') + to_text(value) + '\n';
  std::size_t width = 0;
  for (const auto& [key, member] : *map)
    width = std::max(width, key.size());
  std::string text;
  for (const auto& [key, member] : *map) {
    text += std::string(indent, ' ');
    const bool nested = member.as_map() != nullptr && !member.as_map()->empty();
    text += nested ? key + '\n' + block(member, indent + 2)
                   : report::pad(key, width) + "  " + to_text(member) + '\n';
  }
  return text;
}

}  // namespace

std::string lab_addresses_text(const labserver::LabInfo& info) {
  std::size_t width = 0;
  for (const auto& [name, address] : info.addresses)
    width = std::max(width, name.size());
  std::string text;
  std::size_t number = 0;
  const std::size_t all = info.addresses.size();
  for (const auto& [name, address] : info.addresses) {
    ++number;
    const bool shown = all <= kListed || number <= kListedOfMany || number == all;
    if (shown) text += fmt::format("{}  {}\n", report::pad(name, width), address);
    if (!shown && number == kListedOfMany + 1)
      text += fmt::format("... {} more ...\n", all - kListedOfMany - 1);
  }
  if (all == 0) return text;
  return text + fmt::format(
                    "log in with: ssh -p {} -i {} -o UserKnownHostsFile={} root@{}\n",
                    info.port,
                    info.identity_file,
                    info.known_hosts_file,
                    info.addresses.begin()->second);
}

std::string lab_status_text(const Value& status) {
  return block(status, 0);
}

}  // namespace fabric::cli

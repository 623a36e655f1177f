// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/live_claims.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/sriov/virtual_functions.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::providers {

namespace {

// Queueing disciplines that the kernel or sysctl net.core.default_qdisc gives to every interface.
constexpr std::string_view kByDefault[] = {
    "", "noop", "noqueue", "mq", "pfifo", "pfifo_fast", "fq", "fq_codel", "fq_pie", "sfq", "cake"};

const IpLink* link_of(const NodeFacts& facts, const std::string& device) {
  const std::vector<IpLink>* links = links_by_ip(facts);
  if (links == nullptr) return nullptr;
  const auto found = std::find_if(
      links->begin(), links->end(), [&device](const IpLink& each) { return each.name == device; });
  return found == links->end() ? nullptr : &*found;
}

bool wants(const Resource& resource, const std::string& address) {
  const List& list = or_null(resource.wanted("addresses")).items();
  return std::find(list.begin(), list.end(), Value{address}) != list.end();
}

void add_addresses(const IpLink& link, const Resource& resource, std::vector<std::string>& claims) {
  for (const IpAddressEntry& entry : link.addresses) {
    if (entry.scope == "link" || entry.scope == "host" || entry.dynamic) continue;
    if (!wants(resource, entry.address))
      claims.push_back(fmt::format("{} has the address {}", link.name, entry.address));
  }
}

// Virtual functions of a fabric rule are fabric's.
void add_functions(
    const FoundLink& link, const NodeFacts& facts, std::vector<std::string>& claims) {
  const AdapterPort& port = *link.target.port;
  if (makes_functions(facts, port.function)) return;
  constexpr std::size_t kShown = 3;
  std::vector<std::string> uses = used_functions(port, facts);
  const std::size_t more = uses.size() > kShown ? uses.size() - kShown : 0;
  uses.resize(uses.size() - more);
  if (more > 0) uses.push_back(fmt::format("{} more of its virtual functions are used", more));
  claims.insert(claims.end(), uses.begin(), uses.end());
}

}  // namespace

namespace {

std::string shaper_of(const IpLink* told) {
  const bool by_default =
      told == nullptr ||
      std::find(std::begin(kByDefault), std::end(kByDefault), told->qdisc) != std::end(kByDefault);
  return by_default ? std::string{} : told->qdisc;
}

// Word number `at` behind `key` in the words of ip.
std::string after(std::string_view text, std::string_view key) {
  const std::vector<std::string_view> words = split_words(text);
  const auto found = std::find(words.begin(), words.end(), key);
  return found == words.end() || found + 1 == words.end() ? std::string{}
                                                          : std::string{*(found + 1)};
}

// True if a line of a file of any format makes the value: foreign files are not parsed for that.
bool makes(
    std::string_view line,
    std::string_view attribute,
    const std::string& value,
    const std::string& device) {
  const bool about_device = has_word(line, device) || line.find("IFACE") != std::string_view::npos;
  if (attribute == "rules") {
    const std::string from = after(value, "from");
    const std::string lower = to_lower(line);
    const bool is_rule =
        lower.find("rule") != std::string::npos || lower.find("from") != std::string::npos;
    return is_rule && has_word(line, from == "all" ? after(value, "lookup") : from);
  }
  if (attribute == "table_routes") {
    const std::string via = after(value, "via");
    return has_word(line, via.empty() ? value.substr(0, value.find(' ')) : via);
  }
  if (attribute == "xdp") return has_word(line, "xdp") && about_device;
  return has_word(line, "tc") && about_device;
}

// `within`: looks in the files that are adopted, otherwise in those that stay.
bool is_made(
    std::string_view attribute,
    const std::string& value,
    const std::string& device,
    const FileTexts& files,
    const std::vector<ForeignEntry>& taken,
    bool within) {
  for (const auto& [path, content] : files) {
    if (is_owned(content)) continue;
    std::size_t number = 0;
    for (const std::string_view raw : split_lines(content)) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      const bool is_taken = std::ranges::any_of(
          taken,
          [at = number, &file = path](const ForeignEntry& each) { return each.has(file, at); });
      if (is_taken == within && makes(line, attribute, value, device)) return true;
    }
  }
  return false;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word, std::string_view joints) {
  const auto goes_on = [joints](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           joints.find(c) != std::string_view::npos;
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !goes_on(text[at - 1])) &&
        (at + word.size() == text.size() || !goes_on(text[at + word.size()])))
      return true;
  return false;
}

bool is_live_attribute(std::string_view attribute) {
  return std::find(std::begin(kLiveAttributes), std::end(kLiveAttributes), attribute) !=
         std::end(kLiveAttributes);
}

bool is_made_by(
    std::string_view attribute,
    const std::string& value,
    const std::string& device,
    const FileTexts& files,
    const std::vector<ForeignEntry>& taken) {
  return is_made(attribute, value, device, files, taken, true);
}

RunningAttributes live_attributes(
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files,
    const std::vector<ForeignEntry>& taken) {
  RunningAttributes found;
  const std::string& device = link.device;
  if (device.empty()) return found;
  const auto put = [&](const char* attribute, const std::vector<std::string>& values) {
    List list;
    for (const std::string& value : values)
      if (!value.empty() && !is_made(attribute, value, device, files, taken, false))
        list.emplace_back(value);
    if (!list.empty()) found.emplace(attribute, Reading::of(std::move(list)));
  };
  const IpLink* told = link_of(facts, device);
  std::vector<std::string> addresses;
  if (told != nullptr)
    for (const IpAddressEntry& each : told->addresses)
      addresses.push_back(each.address);
  const PolicyRouting routing = policy_routing(facts, device, addresses);
  put("rules", routing.rules);
  put("table_routes", routing.routes);
  put("queueing", {shaper_of(told)});
  put("filters", {links.file(device, "tc")});
  put("xdp", {told != nullptr && told->has_xdp ? "xdp" : ""});
  return found;
}

bool has_file_of_ours(const Resource& resource, const FileTexts& files) {
  const std::string address = resource.address.str();
  return std::ranges::any_of(files, [&](const auto& file) {
    const std::string_view first = std::string_view{file.second}.substr(0, file.second.find('\n'));
    return is_owned(file.second) && first.ends_with(" " + address);
  });
}

std::string live_claims(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const NodeFacts& facts,
    const FileTexts& files) {
  const LinkTarget& target = link.target;
  const std::string& device = link.device;
  if (target.kind != LinkKind::port || device.empty() || has_file_of_ours(resource, files))
    return {};
  const std::string master = links.master(device);
  const bool is_foreign_port = !master.empty() && master != target.bond;
  std::vector<std::string> claims;
  if (is_foreign_port)
    claims.push_back(fmt::format("{} is a port of the running {}", device, master));
  for (const std::string& name : links.above(device)) {
    const RunningLinks::Vlan* vlan = links.vlan(name);
    // If the port's own file is gone, the file of a VLAN on it may still be fabric's.
    const bool is_ours = std::ranges::any_of(files, [&name](const auto& file) {
      return is_owned(file.second) && has_word(file.second, name);
    });
    if (vlan != nullptr && !is_ours)
      claims.push_back(fmt::format("{} carries the VLAN {}, {}", device, vlan->id, name));
  }
  add_functions(link, facts, claims);
  // Filters and programs of tc are attached to one of these.
  if (const std::string filters = links.file(device, "tc"); !filters.empty())
    claims.push_back(fmt::format("{} has filters of tc ({})", device, filters));
  const IpLink* told = link_of(facts, device);
  if (told == nullptr) return join(claims, "; ");
  // A port of a bond or bridge is not reached by its own address.
  if (master.empty()) add_addresses(*told, resource, claims);
  if (const std::string shaper = shaper_of(told); !shaper.empty())
    claims.push_back(fmt::format("{} sends by the queueing discipline {}", device, shaper));
  if (told->has_xdp) claims.push_back(fmt::format("{} runs an XDP program", device));
  return join(claims, "; ");
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/proc_bonding.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// The kernel's text of a mode, and its name.
constexpr std::pair<std::string_view, std::string_view> kModes[] = {
    {"load balancing (round-robin)", "balance-rr"},
    {"fault-tolerance (active-backup)", "active-backup"},
    {"load balancing (xor)", "balance-xor"},
    {"fault-tolerance (broadcast)", "broadcast"},
    {"IEEE 802.3ad Dynamic link aggregation", "802.3ad"},
    {"transmit load balancing", "balance-tlb"},
    {"adaptive load balancing", "balance-alb"},
};

template <class Record>
using NumberKey = std::pair<std::string_view, std::optional<std::int64_t> Record::*>;

constexpr std::array<NumberKey<ProcBonding>, 4> kBondNumbers{{
    {"MII Polling Interval (ms)", &ProcBonding::miimon},
    {"Up Delay (ms)", &ProcBonding::updelay},
    {"Down Delay (ms)", &ProcBonding::downdelay},
    {"Min links", &ProcBonding::min_links},
}};
constexpr std::array<NumberKey<BondingSlave>, 3> kSlaveNumbers{{
    {"Speed", &BondingSlave::speed_mbps},
    {"Link Failure Count", &BondingSlave::link_failures},
    {"Aggregator ID", &BondingSlave::aggregator},
}};

struct Line {
  std::string_view key, value;
  std::size_t number = 1;
};

Result<std::int64_t> number(const Line& line) {
  // "44 Mbps"
  const std::vector<std::string_view> words = split_words(line.value);
  const auto value = words.empty() ? std::nullopt : parse_integer(words.front());
  if (!value)
    return error_at(line.number, fmt::format("'{}' of '{}' is no number", line.value, line.key));
  return *value;
}

// "layer2+3 (2)" to "layer2+3"
std::string first_word(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  return words.empty() ? std::string{} : std::string{words.front()};
}

class ProcBondingReader {
 public:
  Result<ProcBonding> read(std::string_view text) {
    std::size_t count = 0;
    for (const std::string_view line : split_lines(text)) {
      ++count;
      FABRIC_TRY(read_line(trim(line), count));
    }
    if (bond_.mode.empty()) return error_at(count, "'Bonding Mode:' is missing");
    return std::move(bond_);
  }

 private:
  Result<std::monostate> read_line(std::string_view text, std::size_t count) {
    if (text.empty() || text == "802.3ad info") return std::monostate{};
    if (text.ends_with("has no active aggregator")) {
      bond_.no_active_aggregator = true;
      return std::monostate{};
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return error_at(count, fmt::format("expected 'key: value', found '{}'", text));
    const Line line{trim(text.substr(0, colon)), trim(text.substr(colon + 1)), count};
    if (line.key == "Slave Interface") {
      if (line.value.empty()) return error_at(count, "a slave without a name");
      bond_.slaves.emplace_back().name = line.value;
      details_.clear();
      return std::monostate{};
    }
    return bond_.slaves.empty() ? read_bond(line) : read_slave(line);
  }

  Result<std::monostate> read_mode(const Line& line) {
    std::string_view text = line.value;
    for (const auto& [words, name] : kModes) {
      if (!text.starts_with(words)) continue;
      text = trim(text.substr(words.size()));
      if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
      bond_.mode = name;
      bond_.note = text;
      return std::monostate{};
    }
    return error_at(line.number, fmt::format("'{}' is no bonding mode", line.value));
  }

  // Writes the number where the key is one of the table's.
  template <class Record, std::size_t count>
  static Result<std::monostate> read_number(
      const Line& line, const std::array<NumberKey<Record>, count>& table, Record& record) {
    for (const auto& [key, member] : table) {
      if (line.key == key) record.*member = FABRIC_TRY(number(line));
    }
    return std::monostate{};
  }

  Result<std::monostate> read_bond(const Line& line) {
    const std::string value{line.value};
    if (line.key == "Bonding Mode") return read_mode(line);
    if (line.key == "Ethernet Channel Bonding Driver") bond_.driver = value;
    if (line.key == "Transmit Hash Policy") bond_.hash_policy = first_word(value);
    if (line.key == "Primary Slave" && value != "None") bond_.primary = first_word(value);
    if (line.key == "Currently Active Slave" && value != "None") bond_.active_slave = value;
    if (line.key == "MII Status") bond_.mii_status = value;
    if (line.key == "LACP rate") bond_.lacp_rate = value;
    if (line.key == "Aggregator selection policy (ad_select)") bond_.ad_select = first_word(value);
    if (line.key == "Active Aggregator Info") bond_.aggregator.emplace();
    if (bond_.aggregator) FABRIC_TRY(read_aggregator(line));
    return read_number(line, kBondNumbers, bond_);
  }

  Result<std::monostate> read_aggregator(const Line& line) {
    BondingAggregator& aggregator = *bond_.aggregator;
    if (line.key == "Aggregator ID") aggregator.id = FABRIC_TRY(number(line));
    if (line.key == "Number of ports") aggregator.ports = FABRIC_TRY(number(line));
    if (line.key == "Partner Mac Address")
      aggregator.partner_address = to_lower(std::string{line.value});
    return std::monostate{};
  }

  Result<std::monostate> read_slave(const Line& line) {
    BondingSlave& slave = bond_.slaves.back();
    const std::string value{line.value};
    if (line.key.starts_with("details ")) details_ = line.key;
    if (line.key == "MII Status") slave.mii_status = value;
    if (line.key == "Permanent HW addr") slave.permanent_address = to_lower(value);
    if (line.key == "Actor Churn State") slave.actor_churn = value;
    if (line.key == "Partner Churn State") slave.partner_churn = value;
    if (line.key == "port state") return read_port_state(line, slave);
    // The speed while the link is down, and the aggregator of a slave that is in none.
    if (value == "N/A" || value.starts_with("Unknown")) return std::monostate{};
    return read_number(line, kSlaveNumbers, slave);
  }

  Result<std::monostate> read_port_state(const Line& line, BondingSlave& slave) const {
    if (details_ == "details actor lacp pdu") slave.actor_state = FABRIC_TRY(number(line));
    if (details_ == "details partner lacp pdu") slave.partner_state = FABRIC_TRY(number(line));
    return std::monostate{};
  }

  ProcBonding bond_;
  std::string details_;  // the block of a slave that is being read
};

Value slave_value(const BondingSlave& slave) {
  Map map{{"name", slave.name}};
  put(map, "mii_status", slave.mii_status);
  put(map, "permanent_address", slave.permanent_address);
  put(map, "speed_mbps", slave.speed_mbps);
  put(map, "link_failures", slave.link_failures);
  put(map, "aggregator", slave.aggregator);
  put(map, "actor_churn", slave.actor_churn);
  put(map, "partner_churn", slave.partner_churn);
  put(map, "actor_state", slave.actor_state);
  put(map, "partner_state", slave.partner_state);
  return map;
}

}  // namespace

Result<ProcBonding> parse_proc_bonding(std::string_view text) {
  return ProcBondingReader{}.read(text);
}

Value to_value(const ProcBonding& bond) {
  Map map{{"mode", bond.mode}};
  put(map, "driver", bond.driver);
  put(map, "note", bond.note);
  put(map, "hash_policy", bond.hash_policy);
  put(map, "primary", bond.primary);
  put(map, "active_slave", bond.active_slave);
  put(map, "mii_status", bond.mii_status);
  put(map, "lacp_rate", bond.lacp_rate);
  put(map, "ad_select", bond.ad_select);
  put(map, "miimon", bond.miimon);
  put(map, "updelay", bond.updelay);
  put(map, "downdelay", bond.downdelay);
  put(map, "min_links", bond.min_links);
  if (bond.aggregator) {
    map.emplace(
        "aggregator",
        Map{{"id", bond.aggregator->id},
            {"ports", bond.aggregator->ports},
            {"partner_address", bond.aggregator->partner_address}});
  }
  if (bond.no_active_aggregator) map.emplace("no_active_aggregator", true);
  map.emplace("slaves", to_list(bond.slaves, slave_value));
  return map;
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/hardware.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/model/resource.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/cards/seen_card.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/machine/link_probes.hpp"
#include "providers/parsers/ip_json.hpp"
#include "providers/parsers/mlxconfig_query.hpp"

namespace fabric::providers {

namespace {

// The records in fabric's own files on a node about the document that they were written for.

class OwnedRecords {
 public:
  struct Record {
    Resource resource;
    std::string text;            // of the file that it stands in
    const Card* card = nullptr;  // that it is bound to; null: none alone
  };

  explicit OwnedRecords(const NodeFacts& facts);

  // The record of this kind of a port of a card. Null: there is none.
  const Record* of_port(std::string_view kind, const Card& card, std::uint32_t port) const;
  // The name of a VLAN in its network; of all below "" where no file tells.
  std::string vlan(const std::string& network, std::int64_t id) const;
  // What fabric has named the interface of the port, by its link file or its rule of udev.
  std::string interface_name(const Card& card, std::uint32_t port) const;
  // The name by which a document calls a card, and the model that it has it as.
  std::string adapter(const Card& card) const { return of_card(card, "adapter"); }
  std::string model(const Card& card) const { return of_card(card, "model"); }

  // A value in the binding of a record.
  static const Value* at(const Resource& record, const char* key);
  static std::string text_of(const Resource& record, const char* key);
  const std::vector<Record>& all() const { return records_; }

 private:
  // What is bound to no card that is there may be about any of its family.
  static bool is_about(const Record& record, const Card& card);
  std::string of_card(const Card& card, const char* key) const;

  std::vector<Record> records_;  // those that are bound to a card come first
};

OwnedRecords::OwnedRecords(const NodeFacts& facts) {
  for (const char* probe : {"network-files", "opensm-files", "sysctl-files"}) {
    for (const auto& [path, text] : probed_files(facts, probe)) {
      std::optional<Resource> record = owned_resource(facts.node, text);
      if (!record) continue;
      const Card* card = find_card(inventory_of(facts), *record->binding).card;
      records_.push_back({*std::move(record), text, card});
    }
  }
  std::stable_partition(
      records_.begin(), records_.end(), [](const Record& each) { return each.card != nullptr; });
}

bool OwnedRecords::is_about(const Record& record, const Card& card) {
  if (record.card != nullptr) return record.card == &card;
  const std::vector<const HardwareModel*> models = hardware_by_device(card.device_id);
  return !models.empty() && text_of(record.resource, "family") == models.front()->family;
}

const OwnedRecords::Record* OwnedRecords::of_port(
    std::string_view kind, const Card& card, std::uint32_t port) const {
  for (const Record& each : records_) {
    const Value* number = at(each.resource, "port");
    if (each.resource.address.kind == kind && is_about(each, card) && number != nullptr &&
        number->as_integer() != nullptr && *number->as_integer() == port)
      return &each;
  }
  return nullptr;
}

std::string OwnedRecords::vlan(const std::string& network, std::int64_t id) const {
  for (const auto& [record, text, card] : records_) {
    const Value* number = at(record, "id");
    const bool is_it = record.address.kind == "vlan" && text_of(record, "network") == network &&
                       number != nullptr && number->as_integer() != nullptr &&
                       *number->as_integer() == id;
    if (!is_it || !record.address.name.starts_with(network + ".")) continue;
    const std::string name = record.address.name.str().substr(network.size() + 1);
    return name.substr(0, name.find('.'));
  }
  return {};
}

std::string OwnedRecords::interface_name(const Card& card, std::uint32_t port) const {
  const Record* const found = of_port("link_name", card, port);
  if (found == nullptr) return {};
  for (const std::string_view key : {" NAME=\"", "\nName="}) {
    const std::size_t at = found->text.find(key);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + key.size();
    return found->text.substr(begin, found->text.find_first_of("\"\n", begin) - begin);
  }
  return {};
}

std::string OwnedRecords::of_card(const Card& card, const char* key) const {
  const auto found =
      std::ranges::find_if(records_, [&](const Record& each) { return is_about(each, card); });
  return found == records_.end() ? std::string{} : text_of(found->resource, key);
}

const Value* OwnedRecords::at(const Resource& record, const char* key) {
  const auto found = record.binding.find(key);
  return found == record.binding.end() ? nullptr : &found->second;
}

std::string OwnedRecords::text_of(const Resource& record, const char* key) {
  const Value* value = at(record, key);
  return value != nullptr && value->as_string() != nullptr ? *value->as_string() : "";
}

// The facts in the files of a subnet manager of fabric that a document can have.

// IBTA's code of an MTU.
std::uint32_t mtu_of(std::int64_t code) {
  constexpr std::uint32_t kSmallest = 256;
  return code < 1 || code > 5 ? 0 : kSmallest << static_cast<unsigned>(code - 1);
}

std::string file_of(const NodeFacts& facts, const ResourceAddress& manager, std::string_view end) {
  for (const auto& [path, text] : probed_files(facts, "opensm-files")) {
    const bool is_own = path.starts_with("/etc/") && path.ends_with(end);
    if (is_own && owned_address(facts.node, text) == manager) return text;
  }
  return {};
}

void read_option(SeenManager& found, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.size() < 2 || words[0].starts_with('#')) return;
  const std::string value{trim(line.substr(line.find(words[0]) + words[0].size()))};
  if (words[0] == "sm_priority") found.manager.priority = parse_integer(value).value_or(0);
  if (words[0] == "routing_engine") found.routing_engine = value;
  if (words[0] == "subnet_prefix") found.subnet_prefix = value;
  if (words[0] == "virt_enabled") found.virtualization = value == "2";
  if (opensm_option_rule(words[0]).is == OpensmOptionClass::settable)
    found.options.emplace(words[0], opensm_value(value));
  if (words[0] == "io_guid_file")
    found.notes.emplace_back("left out: the I/O nodes of its routing engine");
}

// Lines of one P_Key are one partition.
void read_partitions(SeenManager& found, const std::string& text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf) return;
  for (const Partition& line : conf->partitions) {
    const std::uint32_t pkey = line.p_key.value_or(0);
    auto known = std::ranges::find_if(
        found.partitions, [pkey](const SeenPartition& each) { return each.pkey == pkey; });
    if (known == found.partitions.end()) {
      const std::uint32_t mtu = mtu_of(line.flags.mtu.value_or(0));
      found.partitions.push_back({line.name, pkey, line.ipoib, mtu, {}});
      known = found.partitions.end() - 1;
    }
    for (const PartitionMember& member : line.members) {
      known->members.emplace_back(
          member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
          membership_name(member.membership));
    }
  }
  if (found.partitions.empty()) return;
  found.mtu = found.partitions.front().mtu;
  // The partitions of a document that names none.
  const SeenPartition& first = found.partitions.front();
  const bool is_plain = found.partitions.size() == 1 && first.name == "Default" &&
                        first.members.size() == 1 && first.members.front().first == "ALL";
  if (is_plain) found.partitions.clear();
}

// `record` and `text`: of one of its files. Nullopt: it is not the file of its options.
std::optional<SeenManager> see_manager(
    const NodeFacts& facts, const Resource& record, const std::string& text) {
  if (text.find("sm_priority") == std::string::npos) return std::nullopt;
  SeenManager found;
  found.network = OwnedRecords::text_of(record, "network");
  const Value* port = OwnedRecords::at(record, "port");
  found.manager.at = {
      facts.node.str(),
      OwnedRecords::text_of(record, "adapter"),
      port != nullptr && port->as_integer() != nullptr ? std::to_string(*port->as_integer()) : "1"};
  for (const std::string_view line : split_lines(text))
    read_option(found, line);
  read_partitions(found, file_of(facts, record.address, ".partitions"));
  const std::string roots = file_of(facts, record.address, ".roots");
  for (const std::string_view line : split_lines(roots))
    if (line.starts_with("0x")) found.root_guids.emplace_back(line);
  return found;
}

bool has_infiniband(const Card& card) {
  return std::ranges::any_of(
      card.ports, [](const AdapterPort& port) { return port.link_layer == LinkLayer::infiniband; });
}

// VPI and EN cards have one PCI device id. A card that has LINK_TYPE, or runs InfiniBand, is VPI.
const HardwareModel* model_of(
    const Card& card, const SettingsTable* settings, const OwnedRecords& records) {
  const std::vector<const HardwareModel*> models = hardware_by_device(card.device_id);
  if (models.empty()) return nullptr;
  const std::string recorded = records.model(card);
  const bool vpi = has_infiniband(card) ||
                   (settings != nullptr && settings->find("LINK_TYPE_P1") != nullptr) ||
                   card.driver == "mlx4_core";
  for (const HardwareModel* model : models)
    if (model->slug == recorded) return model;
  return model_of_device(card.device_id, vpi);
}

class SeenNodeReader {
 public:
  SeenNodeReader(const NodeFacts& facts, const std::set<std::string>& noticed)
      : facts_{facts},
        noticed_{noticed},
        records_{facts},
        links_{running_links(facts)},
        cards_{inventory_of(facts)} {
    const std::string* output = facts.output("ip-addr");
    if (output == nullptr) return;
    Result<std::vector<IpLink>> links = parse_ip_json(*output);
    if (links) ip_ = std::move(*links);
  }

  SeenNode read() {
    seen_.name = facts_.node.str();
    seen_.node.all_cards = true;
    for (const Card& card : cards_)
      read_card(card);
    read_records();
    // Foreign configuration is adopted only if a person says so.
    seen_.node.adopt = foreign_;
    if (foreign_) seen_.node.state = "observe";
    return std::move(seen_);
  }

 private:
  const IpLink* link(const std::string& device) const {
    const auto found =
        std::ranges::find_if(ip_, [&](const IpLink& each) { return each.name == device; });
    return found == ip_.end() ? nullptr : &*found;
  }

  // The first address in a file.
  std::string address_on(const std::string& device, std::string_view family = "inet") const {
    const std::vector<std::string> all = addresses_on(device, family);
    return all.empty() ? "" : all.front();
  }

  std::vector<std::string> addresses_on(const std::string& device, std::string_view family) const {
    std::vector<std::string> all;
    const IpLink* found = link(device);
    if (found == nullptr) return all;
    for (const IpAddressEntry& each : found->addresses) {
      if (each.family == family && each.scope == "global" && !each.dynamic)
        all.push_back(each.address);
    }
    return all;
  }

  std::string adapter_name(const Card& card, const HardwareModel& model) {
    std::string name = records_.adapter(card);
    if (name.empty()) name = short_name(model.family);
    const std::size_t before = used_[name]++;
    return before == 0 ? name : fmt::format("{}-{}", name, before + 1);
  }

  void read_card(const Card& card) {
    const SettingsTable* settings = told_table(facts_, card.address);
    const HardwareModel* model = model_of(card, settings, records_);
    if (model == nullptr) {
      seen_.node.notes.push_back(fmt::format("left out: the card {}", card.text()));
      return;
    }
    const std::string name = adapter_name(card, *model);
    description::Adapter& adapter = seen_.node.adapters[name];
    adapter.model = model->slug;
    if (card.ports.size() == 1 && model->ports > 1) adapter.ports = 1;
    const auto alike = std::ranges::count_if(
        cards_, [&](const Card& each) { return each.device_id == card.device_id; });
    if (alike > 1) adapter.pci = card.address.str();
    adapter.serial = card.serial;
    for (const AdapterPort& port : card.ports)
      learn(port, adapter.evidence[port.number]);
    const bool chained = is_set(settings, "HOST_CHAINING_MODE");
    for (const AdapterPort& port : card.ports)
      read_port(card, port, {seen_.name, name, std::to_string(port.number)}, adapter, chained);
  }

  static void learn(const AdapterPort& port, description::PortEvidence& to) {
    if (port.node_guid) to.node_guid = port.node_guid->str();
    if (port.port_guid) to.port_guid = port.port_guid->str();
    for (const std::optional<MacAddress>& mac : {port.mac, port.permanent_mac})
      if (mac) to.macs.insert(mac->str());
    for (const std::string& device : {port.netdev, port.rdma_device})
      if (!device.empty()) to.devices.insert(to_lower(device));
  }

  void read_port(
      const Card& card,
      const AdapterPort& port,
      const description::End& end,
      description::Adapter& adapter,
      bool chained) {
    const std::string called = records_.interface_name(card, port.number);
    if (!called.empty()) adapter.names[port.number] = called;
    if (port.netdev.empty()) return;
    if (has_link(port.netdev)) seen_.node.linked.emplace(end.adapter + "/" + end.port, 0);
    SeenPort found;
    found.end = end;
    found.device = port.netdev;
    const auto* const record = records_.of_port("interface", card, port.number);
    if (record != nullptr) found.network = OwnedRecords::text_of(record->resource, "network");
    for (const std::optional<MacAddress>& mac : {port.mac, port.permanent_mac})
      if (mac) found.macs.push_back(mac->str());
    if (port.port_guid) found.port_guid = port.port_guid->str();
    const bool infiniband = port.link_layer == LinkLayer::infiniband;
    const std::string bond = infiniband ? "" : links_.master(port.netdev);
    const bool bonded = !bond.empty() && !links_.file(bond, "bonding/mode").empty();
    const std::string& carrying = bonded ? bond : port.netdev;
    found.address = address_on(carrying);
    found.address6 = address_on(carrying, "inet6");
    found.transit = record != nullptr && record->resource.desired->contains("incoming_table");
    for (const std::string& each : addresses_on(carrying, "inet"))
      if (found.loopback.empty() && each != found.address && each.ends_with("/32"))
        found.loopback = each;
    // Routes of a host that forwards follow from the cables.
    if (!found.transit) read_routes(carrying, found);
    const IpLink* link_there = link(carrying);
    found.mtu = link_there == nullptr ? port.mtu : link_there->mtu;
    found.mode = infiniband ? "infiniband" : bonded ? "lag" : chained ? "chain" : "ethernet";
    if (infiniband && record != nullptr)
      found.mtu_is_set = record->resource.desired->contains("mtu");
    if (infiniband) found.ipoib_mode = links_.file(port.netdev, "mode");
    if (bonded) {
      found.lag = lag_of(bond);
      found.lag->roce = port.rdma_device.find("bond") != std::string::npos;
    }
    read_vlans(carrying, found);
    const bool in_use = record != nullptr || has_address(found) || bonded || chained ||
                        noticed_.contains(port.netdev) || (infiniband && has_link(port.netdev));
    if (!in_use) return;
    if (record == nullptr && (has_address(found) || bonded)) foreign_ = true;
    seen_.ports.push_back(std::move(found));
  }

  static bool has_address(const SeenPort& port) {
    return !port.address.empty() || !port.address6.empty();
  }

  void read_routes(const std::string& device, SeenPort& port) const {
    const WrittenRoutes routes = written_routes(facts_, device);
    port.gateway = routes.gateway;
    port.gateway6 = routes.gateway6;
    for (const Route& each : routes.others)
      (is_ipv6(each.to) ? port.routes6 : port.routes).emplace_back(each.to, each.via);
  }

  void read_vlans(const std::string& device, SeenPort& port) const {
    for (const std::string& above : links_.above(device)) {
      const RunningLinks::Vlan* vlan = links_.vlan(above);
      if (vlan == nullptr) continue;
      const auto id = static_cast<std::uint32_t>(vlan->id);
      std::string name = records_.vlan(port.network, vlan->id);
      if (name.empty()) name = fmt::format("vlan{}", id);
      port.vlans.push_back({std::move(name), id, address_on(above)});
    }
  }

  bool has_link(const std::string& device) const {
    const IpLink* found = link(device);
    return found != nullptr && found->operstate == "UP";
  }

  // The kernel prints "802.3ad 4".
  std::string word(const std::string& bond, const char* file) const {
    const std::string text = links_.file(bond, std::string{"bonding/"} + file);
    const std::string_view trimmed = trim(text);
    return std::string{trimmed.substr(0, trimmed.find(' '))};
  }
  std::uint32_t number(const std::string& bond, const char* file) const {
    constexpr std::int64_t kMost = 1'000'000;
    const std::int64_t value = parse_integer(word(bond, file)).value_or(0);
    return value < 0 || value > kMost ? 0 : static_cast<std::uint32_t>(value);
  }

  // The number of the port that has this interface; "" if it belongs to no port.
  std::string port_called(const std::string& device) const {
    for (const Card& card : cards_) {
      for (const AdapterPort& port : card.ports)
        if (!device.empty() && port.netdev == device) return std::to_string(port.number);
    }
    return {};
  }

  description::Lag lag_of(const std::string& bond) const {
    description::Lag lag;
    lag.bond = bond;
    lag.policy = word(bond, "mode");
    lag.miimon = number(bond, "miimon");
    lag.updelay = number(bond, "updelay");
    lag.downdelay = number(bond, "downdelay");
    if (lag.policy == "802.3ad" && word(bond, "lacp_rate") == "fast") lag.lacp_rate = "fast";
    const std::string hash = word(bond, "xmit_hash_policy");
    if (hash != "layer2" && !hash.empty()) lag.hash_policy = hash;
    // It has a meaning only for 802.3ad, and a document that has it otherwise gets a finding.
    if (lag.policy == "802.3ad") lag.min_links = number(bond, "min_links");
    lag.primary = port_called(word(bond, "primary"));
    const std::string chosen = word(bond, "ad_select");
    if (lag.policy == "802.3ad" && chosen != "stable") lag.ad_select = chosen;
    return lag;
  }

  void read_records() {
    for (const auto& [record, text, card] : records_.all()) {
      if (record.address.kind == "subnet_manager") add_manager(record, text);
      if (record.address.kind == "sysctl" && record.address.name == "node") read_sysctl(text);
    }
  }

  void add_manager(const Resource& record, const std::string& text) {
    std::optional<SeenManager> found = see_manager(facts_, record, text);
    if (!found) return;
    const bool is_known = std::ranges::any_of(seen_.managers, [&](const SeenManager& each) {
      return each.network == found->network && each.manager.at == found->manager.at;
    });
    if (!is_known) seen_.managers.push_back(*std::move(found));
  }

  void read_sysctl(const std::string& text) {
    for (const std::string_view line : split_lines(text)) {
      const std::size_t sign = line.find('=');
      if (line.empty() || line.front() == '#' || sign == std::string_view::npos) continue;
      seen_.node.sysctl[std::string{trim(line.substr(0, sign))}] = trim(line.substr(sign + 1));
    }
  }

  const NodeFacts& facts_;
  const std::set<std::string>& noticed_;
  OwnedRecords records_;
  const RunningLinks& links_;
  const std::vector<Card>& cards_;
  std::vector<IpLink> ip_;
  std::map<std::string, std::size_t> used_;
  bool foreign_ = false;
  SeenNode seen_;
};

}  // namespace

SeenNode see_linux_host(const NodeFacts& facts) {
  Result<std::vector<Neighbour>> heard = platform::lldp_neighbours(facts);
  std::vector<Neighbour> neighbours = heard ? *std::move(heard) : std::vector<Neighbour>{};
  std::set<std::string> noticed;
  for (const Neighbour& neighbour : neighbours)
    noticed.insert(neighbour.local_interface);
  SeenNode seen = SeenNodeReader{facts, noticed}.read();
  seen.neighbours = std::move(neighbours);
  return seen;
}

}  // namespace fabric::providers

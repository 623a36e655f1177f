// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/host/owned_records.hpp"

#include <optional>

#include "engine/platform/owned_file.hpp"

namespace fabric::providers {

OwnedRecords::OwnedRecords(const NodeFacts& facts) {
  for (const char* probe : {"network-files", "opensm-files", "sysctl-files"}) {
    for (const auto& [path, text] : probed_files(facts, probe)) {
      std::optional<Resource> record = owned_resource(facts.node, text);
      if (record) resources_.emplace_back(std::move(*record), text);
    }
  }
}

const std::pair<Resource, std::string>* OwnedRecords::of_port(
    std::string_view kind, const std::string& family, std::uint32_t port) const {
  for (const auto& each : resources_) {
    const Resource& record = each.first;
    const Value* number = at(record, "port");
    if (record.address.kind == kind && text_of(record, "family") == family && number != nullptr &&
        number->as_integer() != nullptr && *number->as_integer() == port)
      return &each;
  }
  return nullptr;
}

std::string OwnedRecords::vlan(const std::string& network, std::int64_t id) const {
  for (const auto& [record, text] : resources_) {
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

std::string OwnedRecords::interface_name(const std::string& family, std::uint32_t port) const {
  const auto* const found = of_port("link_name", family, port);
  if (found == nullptr) return {};
  for (const std::string_view key : {" NAME=\"", "\nName="}) {
    const std::size_t at = found->second.find(key);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + key.size();
    return found->second.substr(begin, found->second.find_first_of("\"\n", begin) - begin);
  }
  return {};
}

std::string OwnedRecords::of_family(const std::string& family, const char* key) const {
  for (const auto& [record, text] : resources_) {
    if (text_of(record, "family") == family) return text_of(record, key);
  }
  return {};
}

const Value* OwnedRecords::at(const Resource& record, const char* key) {
  const auto found = record.binding.find(key);
  return found == record.binding.end() ? nullptr : &found->second;
}

std::string OwnedRecords::text_of(const Resource& record, const char* key) {
  const Value* value = at(record, key);
  return value != nullptr && value->as_string() != nullptr ? *value->as_string() : "";
}

}  // namespace fabric::providers

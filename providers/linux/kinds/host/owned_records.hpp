// SPDX-License-Identifier: Apache-2.0
// What fabric's own files on a node record of the document that they were written for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"

namespace fabric::providers {

class OwnedRecords {
 public:
  explicit OwnedRecords(const NodeFacts& facts);

  // The record of this kind of a port of a card of this family, and the file that it stands in.
  // Null: there is none.
  const std::pair<Resource, std::string>* of_port(
      std::string_view kind, const std::string& family, std::uint32_t port) const;
  // The name of a VLAN in its network; of all below "" where no file tells.
  std::string vlan(const std::string& network, std::int64_t id) const;
  // What fabric has named the interface of the port, by its link file or its rule of udev.
  std::string interface_name(const std::string& family, std::uint32_t port) const;
  // The name by which a document calls a card of this family, and the model that it has it as.
  std::string adapter(const std::string& family) const { return of_family(family, "adapter"); }
  std::string model(const std::string& family) const { return of_family(family, "model"); }

  // Of the binding of a record.
  static const Value* at(const Resource& record, const char* key);
  static std::string text_of(const Resource& record, const char* key);
  const std::vector<std::pair<Resource, std::string>>& all() const { return resources_; }

 private:
  std::string of_family(const std::string& family, const char* key) const;

  std::vector<std::pair<Resource, std::string>> resources_;
};

}  // namespace fabric::providers

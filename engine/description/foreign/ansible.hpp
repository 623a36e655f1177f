// SPDX-License-Identifier: Apache-2.0
// An Ansible inventory while it is read: hosts in groups, with variables of both.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/description/description.hpp"

namespace fabric::description {

class Inventory {
 public:
  using Variables = std::map<std::string, std::string>;

  void group(const std::string& name) { groups_[name]; }
  void add_child(const std::string& group, const std::string& child);
  // "web[01:20]" and "db-[a:c]" are ranges. Fails with the line for an invalid name, and beyond
  // limits::kNodes and kForeignValues.
  Result<std::vector<std::string>> add_hosts(
      const std::string& group, std::string_view written, std::size_t line);
  Result<void> set_group(
      const std::string& group, const std::string& key, const std::string& value, std::size_t line);
  // Skips hosts that the inventory does not have.
  Result<void> set_hosts(
      const std::vector<std::string>& hosts,
      const std::string& key,
      const std::string& value,
      std::size_t line);
  // Adds a note about a part that is not understood, once.
  void name(const std::string& note);
  bool has_group(const std::string& name) const { return name == "all" || groups_.contains(name); }
  bool has_host(const std::string& name) const { return hosts_.contains(name); }

  // Each host with its address and login. Fails if there is none.
  Result<Description> take() const;

 private:
  struct Group {
    Variables variables;
    std::set<std::string> hosts, children;
  };
  Result<void> count(std::size_t values, std::size_t line);
  std::map<std::string, std::size_t> depths() const;
  Variables variables_of(
      const std::string& host,
      const std::map<std::string, std::set<std::string>>& groups_of,
      const std::map<std::string, std::size_t>& depths) const;

  std::map<std::string, Group> groups_;
  std::map<std::string, Variables> hosts_;
  std::vector<std::string> notes_;
  std::size_t counted_ = 0;
};

// Reads an inventory's own file. Fails with its line.
Result<void> read_inventory(std::string_view text, Inventory& inventory);
// Reads a file of group_vars or host_vars.
Result<void> read_ansible_variables(
    std::string_view text, const std::string& of, bool of_host, Inventory& inventory);

}  // namespace fabric::description

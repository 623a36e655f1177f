// SPDX-License-Identifier: Apache-2.0
// netplan's files: their entries for one interface, and the foreign parts of these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/source.hpp"
#include "engine/yaml/node.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"

namespace fabric::providers {

// "bonds", "vlans" or "ethernets".
// A line that may hold a secret, as the probe shows it.
inline constexpr std::string_view kHiddenLine = "# (hidden)";

const char* netplan_section(const LinkTarget& target);

// The value of a key of a mapping: "", nothing and none where there is no such key.
std::string netplan_text(const yaml::Node& mapping, std::string_view key);
std::optional<std::int64_t> netplan_number(const yaml::Node& mapping, std::string_view key);
std::vector<std::string> netplan_list(const yaml::Node& mapping, std::string_view key);

// A file as netplan reads it; empty if it is not YAML.
class NetplanDocument {
 public:
  NetplanDocument(const std::string& path, std::string_view text);

  bool broken() const { return broken_; }
  // The entries of a section; none if the file has no such section.
  const std::vector<yaml::Entry>& entries(std::string_view name) const;
  const yaml::Node* section(std::string_view name) const;
  // True if the file has one interface, in `section`, and nothing else.
  bool is_only(std::string_view section) const;
  std::size_t line(const SourceRange& range) const;
  // The last line of an entry that shares no line with others; 0 if it does.
  std::size_t last_line(const yaml::Entry& entry) const;
  // The indentation of an entry that shares no line with others.
  std::string indentation(const yaml::Entry& entry) const;

 private:
  SourceMap sources_;
  FileId file_;
  yaml::Node root_;
  bool broken_ = false;
};

// netplan merges files: an entry of the same interface in another file would add to fabric's. An
// entry that only says which interface it means does no harm. A file that has only this interface,
// to which nothing refers, is taken over whole. From another file the lines of the entry are taken,
// and an entry without any settings stays in their place: netplan refuses a section without
// entries, and a reference to an interface before a file has defined it (seen with netplan 0.106).
std::vector<ForeignEntry> netplan_foreign(const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers

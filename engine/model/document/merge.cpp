// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/merge.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace fabric {

namespace {

using Entries = std::vector<yaml::Entry>;

// All entries of all mappings, those of one key together, keys in order of first writing.
std::vector<Entries> group_by_key(std::vector<yaml::Node>& mappings) {
  std::vector<Entries> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (yaml::Node& mapping : mappings) {
    for (yaml::Entry& entry : mapping.entries) {
      const auto [place, is_new] = places.try_emplace(entry.key, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(std::move(entry));
    }
  }
  return groups;
}

// REQUIRES: at least one mapping.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the documents, which limits::kNestingDepth bounds.
yaml::Node merge_mappings(std::vector<yaml::Node> mappings, Diagnostics& diagnostics);

// One entry of what several files give for one key.
// NOLINTNEXTLINE(misc-no-recursion): see merge_mappings.
yaml::Entry merge_entries(Entries entries, Diagnostics& diagnostics) {
  const auto is_null = [](const yaml::Entry& entry) {
    return entry.value.kind == yaml::Kind::null;
  };
  const auto valued = std::stable_partition(
      entries.begin(), entries.end(), [&](const yaml::Entry& entry) { return !is_null(entry); });
  if (valued != entries.begin()) entries.erase(valued, entries.end());
  yaml::Entry first = std::move(entries.front());
  if (entries.size() == 1 || is_null(first)) return first;

  std::vector<yaml::Node> mappings;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (first.value.is_mapping() && entries[i].value.is_mapping()) {
      mappings.push_back(std::move(entries[i].value));
    } else {
      diagnostics
          .error(
              "duplicate-key",
              entries[i].key_range,
              fmt::format("'{}' is given in two files", first.key))
          .with_note(first.key_range, "first given here")
          .with_help("only mappings merge; give a value or a list in one place");
    }
  }
  if (!mappings.empty()) {
    mappings.insert(mappings.begin(), std::move(first.value));
    first.value = merge_mappings(std::move(mappings), diagnostics);
  }
  return first;
}

// NOLINTNEXTLINE(misc-no-recursion): see its declaration.
yaml::Node merge_mappings(std::vector<yaml::Node> mappings, Diagnostics& diagnostics) {
  std::vector<Entries> groups = group_by_key(mappings);
  yaml::Node merged = std::move(mappings.front());
  merged.entries.clear();
  for (Entries& group : groups) {
    merged.entries.push_back(merge_entries(std::move(group), diagnostics));
  }
  return merged;
}

// A file of a document has some of these; one that has all is a document by itself.
bool is_whole(const yaml::Node& mapping) {
  return mapping.find("apiVersion") != nullptr && mapping.find("name") != nullptr &&
         mapping.find("nodes") != nullptr;
}

// Two whole documents in one folder are one mistake, and not as many as they have keys in common:
// the first is read.
void leave_out_others(std::vector<yaml::Node>& mappings, Diagnostics& diagnostics) {
  const auto first = std::find_if(mappings.begin(), mappings.end(), is_whole);
  if (first == mappings.end()) return;
  const SourceRange first_name = first->find_entry("name")->key_range;
  const auto others = std::stable_partition(
      first + 1, mappings.end(), [](const yaml::Node& each) { return !is_whole(each); });
  for (auto other = others; other != mappings.end(); ++other) {
    diagnostics
        .error(
            "duplicate-key",
            other->find_entry("name")->key_range,
            "two files of the folder are two documents: each has apiVersion, name and nodes")
        .with_note(first_name, "the other document, which is read")
        .with_help("name the file that is meant, or keep one of them elsewhere");
  }
  mappings.erase(others, mappings.end());
}

}  // namespace

yaml::Node merge_documents(std::vector<yaml::Node> documents, Diagnostics& diagnostics) {
  if (documents.empty()) return {};
  if (documents.size() == 1) return std::move(documents.front());
  std::vector<yaml::Node> mappings;
  for (yaml::Node& document : documents) {
    if (document.is_mapping()) {
      mappings.push_back(std::move(document));
    } else if (document.kind != yaml::Kind::null) {
      diagnostics.error("wrong-type", document.range, "a document is a mapping at its top");
    }
  }
  if (mappings.empty()) return std::move(documents.front());
  leave_out_others(mappings, diagnostics);
  return merge_mappings(std::move(mappings), diagnostics);
}

}  // namespace fabric

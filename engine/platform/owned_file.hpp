// SPDX-License-Identifier: Apache-2.0
// Files on a node that fabric owns begin with a marker line; all others are foreign and never
// touched.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/resource.hpp"
#include "engine/platform/facts.hpp"

namespace fabric {

// "# managed by fabric: pve1/interface/cx5.1\n"
std::string owned_marker(const ResourceAddress& address);
// The marker with a second line that records the resource, for when the document drops it.
// `before`: the values in force when the file was first written, by attribute.
std::string owned_marker(const Resource& resource, const Map& before = {});
// The `before` of a file of fabric; empty if it has none.
Map owned_before(std::string_view content);
// True if the first line is a marker, of any resource.
bool is_owned(std::string_view content);

// The address, on this node, of the resource that a file of fabric belongs to; it may have had
// another name when the file was written. Nullopt: no file of fabric, or of no resource.
std::optional<ResourceAddress> owned_address(const NodeName& node, std::string_view content);
// The resource with its binding and the names of its attributes of that time; nullopt without a
// record.
std::optional<Resource> owned_resource(const NodeName& node, std::string_view content);

// Texts of files by path, from `grep -H ''` over them. Lines end with '\n' whether or not the
// file's last one did.
using FileTexts = std::map<std::string, std::string, std::less<>>;
// The text of the file at `path`; null if there is none.
inline const std::string* text_at(const FileTexts& files, std::string_view path) {
  const auto file = files.find(path);
  return file == files.end() ? nullptr : &file->second;
}
FileTexts file_texts(std::string_view grep_output);
// The files in the output of such a probe; none if it failed. Valid as long as the facts.
const FileTexts& probed_files(const NodeFacts& facts, std::string_view probe);

// Provider::orphans for resources of `kind` that stand in `files` of `node`.
std::vector<Resource> left_in_files(
    const FileTexts& files,
    const NodeName& node,
    std::string_view kind,
    std::span<const Resource> wanted);

}  // namespace fabric

// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/owned_file.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

namespace fabric {

namespace {

constexpr std::string_view kMarker = "# managed by fabric: ";
constexpr std::string_view kRecord = "# resource: ";

List attributes_of(const Resource& resource) {
  List names;
  for (const auto& [name, desired] : resource.desired) {
    if (!desired.value.is_null()) names.emplace_back(name);
  }
  return names;
}

List below(const Resource& resource) {
  List addresses;
  for (const ResourceAddress& address : resource.beneath)
    addresses.emplace_back(address.kind + "/" + address.name);
  return addresses;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// The record of a file; null for a file of a resource without one, or not of fabric.
Value record_of(std::string_view content) {
  if (!is_owned(content)) return {};
  const std::size_t end = content.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = first_line(content.substr(end + 1));
  if (!line.starts_with(kRecord)) return {};
  Result<Value> record = parse_json(line.substr(kRecord.size()));
  return record && record->as_map() != nullptr ? *std::move(record) : Value{};
}

std::vector<std::string> texts(const Map& record, std::string_view key) {
  std::vector<std::string> all;
  for (const Value& each : value_at(record, key).items())
    all.push_back(to_text(each));
  return all;
}

}  // namespace

std::string owned_marker(const ResourceAddress& address) {
  return std::string{kMarker} + address.str() + "\n";
}

std::string owned_marker(const Resource& resource, const Map& before) {
  Map record{{"attributes", attributes_of(resource)}, {"binding", *resource.binding}};
  if (!resource.beneath.empty()) record.emplace("beneath", below(resource));
  if (!before.empty()) record.emplace("before", before);
  return owned_marker(resource.address) + std::string{kRecord} + to_json(record) + "\n";
}

Map owned_before(std::string_view content) {
  return record_of(content).member("before").members();
}

bool is_owned(std::string_view content) {
  return content.starts_with(kMarker);
}

std::optional<ResourceAddress> owned_address(const NodeName& node, std::string_view content) {
  if (!is_owned(content)) return std::nullopt;
  Result<ResourceAddress> address =
      ResourceAddress::parse(first_line(content.substr(kMarker.size())));
  if (!address) return std::nullopt;
  address->node = node;
  return *std::move(address);
}

std::optional<Resource> owned_resource(const NodeName& node, std::string_view content) {
  const Value record = record_of(content);
  if (record.is_null()) return std::nullopt;
  const auto address = owned_address(node, content);
  if (!address) return std::nullopt;
  const Map& map = *record.as_map();
  Resource resource{*address, {}, {}, {}, {}};
  if (const auto binding = map.find("binding");
      binding != map.end() && binding->second.as_map() != nullptr)
    resource.binding = *binding->second.as_map();
  for (const std::string& attribute : texts(map, "attributes"))
    resource.desired.emplace(attribute, DesiredAttribute{});
  for (const std::string& name : texts(map, "beneath")) {
    if (const auto below = ResourceAddress::parse(node.str() + "/" + name))
      resource.beneath.push_back(*below);
  }
  return resource;
}

namespace {

// The end of PATH in "PATH:LINE"; npos if there is none. A file of network-scripts is called
// "ifcfg-eth0:1" where it adds an address, and no line of one begins with a word and a colon.
std::size_t end_of_path(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (line.find("/network-scripts/ifcfg-") >= colon) return colon;
  const std::size_t next = line.find(':', colon + 1);
  const std::string_view word = line.substr(colon + 1, next - colon - 1);
  const bool is_word =
      next != std::string_view::npos && !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
          std::string_view::npos;
  return is_word ? next : colon;
}

}  // namespace

FileTexts file_texts(std::string_view grep_output) {
  FileTexts files;
  for (const std::string_view line : split_lines(grep_output)) {
    const std::size_t colon = end_of_path(line);
    if (colon == std::string_view::npos || !line.starts_with('/')) continue;
    std::string& text = files[std::string{line.substr(0, colon)}];
    text += line.substr(colon + 1);
    text += '\n';
  }
  return files;
}

const FileTexts& probed_files(const NodeFacts& facts, std::string_view probe) {
  return facts.parsed_or_none(probe, file_texts);
}

std::vector<Resource> left_in_files(
    const FileTexts& files,
    const NodeName& node,
    std::string_view kind,
    std::span<const Resource> wanted) {
  std::map<ResourceAddress, Resource> left;
  for (const auto& [path, content] : files) {
    std::optional<Resource> resource = owned_resource(node, content);
    if (!resource || resource->address.kind != kind) continue;
    const auto same = std::ranges::find_if(
        wanted, [&](const Resource& each) { return each.address == resource->address; });
    if (same != wanted.end()) {
      std::erase_if(resource->desired.edit(), [&](const auto& attribute) {
        return same->desired.contains(attribute.first);
      });
    }
    if (resource->desired.empty()) continue;
    // One resource may stand in several files.
    Resource& whole = left.try_emplace(resource->address, *resource).first->second;
    whole.desired.merge(resource->desired);
  }
  std::vector<Resource> resources;
  for (auto& [address, resource] : left)
    resources.push_back(std::move(resource));
  return resources;
}

}  // namespace fabric

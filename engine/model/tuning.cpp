// SPDX-License-Identifier: Apache-2.0
#include "engine/model/tuning.hpp"

#include <algorithm>

#include "engine/base/check.hpp"
#include "engine/schema/catalog.hpp"
#include "engine/value/json.hpp"

namespace fabric {

namespace {

std::string text(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_string() != nullptr,
      "a row of schemas/tuning.json lacks a text");
  return *member->as_string();
}

const List& list(const Value& row, std::string_view key) {
  const Value* member = row.find(key);
  FABRIC_CHECK(
      member != nullptr && member->as_list() != nullptr, "schemas/tuning.json lacks a list");
  return *member->as_list();
}

std::vector<TuningProfile> read_profiles() {
  const Result<Value> table = parse_json(schema::find_table("tuning.json"));
  FABRIC_CHECK(table.has_value(), "schemas/tuning.json is not valid JSON");
  std::vector<TuningProfile> profiles;
  for (const Value& row : list(table.value(), "profiles")) {
    TuningProfile profile{text(row, "name"), text(row, "description"), text(row, "source"), {}};
    for (const Value& value : list(row, "values"))
      profile.values.push_back({text(value, "key"), text(value, "value"), text(value, "why")});
    std::ranges::sort(profile.values, [](const auto& a, const auto& b) { return a.key < b.key; });
    profiles.push_back(std::move(profile));
  }
  std::ranges::sort(profiles, [](const auto& a, const auto& b) { return a.name < b.name; });
  return profiles;
}

}  // namespace

const std::vector<TuningProfile>& tuning_profiles() {
  static const std::vector<TuningProfile> profiles = read_profiles();
  return profiles;
}

const TuningProfile* find_tuning_profile(std::string_view name) {
  const std::vector<TuningProfile>& profiles = tuning_profiles();
  const auto found =
      std::ranges::find_if(profiles, [name](const auto& profile) { return profile.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

std::string sysctl_path(std::string_view key) {
  std::string path{key};
  const std::size_t first = key.find_first_of("./");
  if (first == std::string_view::npos || key[first] == '/') return path;
  for (char& c : path) {
    if (c == '.') {
      c = '/';
    } else if (c == '/') {
      c = '.';
    }
  }
  return path;
}

std::string sysctl_key(std::string_view written) {
  std::string key = sysctl_path(written);
  if (key.find('.') == std::string::npos) std::replace(key.begin(), key.end(), '/', '.');
  return key;
}

bool is_of_one_interface(std::string_view key) {
  const std::string path = sysctl_path(key);
  constexpr std::string_view kPerInterface[] = {
      "net/ipv4/conf/", "net/ipv4/neigh/", "net/ipv6/conf/", "net/ipv6/neigh/"};
  return std::any_of(
      std::begin(kPerInterface), std::end(kPerInterface), [&path](std::string_view folder) {
        if (!path.starts_with(folder)) return false;
        const std::string name =
            path.substr(folder.size(), path.find('/', folder.size()) - folder.size());
        return name != "all" && name != "default";
      });
}

}  // namespace fabric

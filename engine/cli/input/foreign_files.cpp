// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/foreign_files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/ansible.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/subnet.hpp"
#include "engine/files/read.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::cli {

namespace {

Result<description::Description> read_ibnetdiscover(std::string_view text) {
  return description::describe(FABRIC_TRY(providers::parse_ibnetdiscover(text)));
}

Result<description::Description> read_iblinkinfo(std::string_view text) {
  return description::describe(FABRIC_TRY(providers::parse_iblinkinfo(text)));
}

bool is_ibnetdiscover(std::string_view text) {
  return text.find("switchguid=") != std::string_view::npos ||
         text.find("caguid=") != std::string_view::npos;
}

bool is_iblinkinfo(std::string_view text) {
  return text.find(")==>") != std::string_view::npos;
}

std::vector<description::ForeignFormat> all_formats() {
  std::vector<description::ForeignFormat> all{
      {"iblinkinfo",
       "iblinkinfo, by node or in lines (-l)",
       is_iblinkinfo,
       read_iblinkinfo,
       description::Nearness::subnet,
       limits::kSubnetBytes},
      {"ibnetdiscover",
       "ibnetdiscover, its topology file",
       is_ibnetdiscover,
       read_ibnetdiscover,
       description::Nearness::subnet,
       limits::kSubnetBytes}};
  const std::vector<description::ForeignFormat>& files = description::foreign_formats();
  all.insert(all.end(), files.begin(), files.end());
  return all;
}

// Reads group_vars/NAME, NAME.yml or NAME/ with files beside an inventory, and host_vars.
Result<void> read_variables(
    const std::filesystem::path& folder, bool of_host, description::Inventory& inventory) {
  std::error_code failure;
  std::vector<std::filesystem::path> all;
  for (std::filesystem::recursive_directory_iterator entry{folder, failure}, end;
       !failure && entry != end;
       entry.increment(failure)) {
    if (entry->is_regular_file(failure)) all.push_back(entry->path().lexically_relative(folder));
    if (all.size() > limits::kNodes) break;
  }
  std::sort(all.begin(), all.end());
  for (const std::filesystem::path& each : all) {
    const std::string ending = each.extension().string();
    const bool is_file = ending == ".yml" || ending == ".yaml" || ending == ".json";
    const std::string name = each.has_parent_path() ? each.begin()->string()
                             : is_file              ? each.stem().string()
                                                    : each.string();
    if (of_host ? !inventory.has_host(name) : !inventory.has_group(name)) continue;
    const std::string text =
        FABRIC_TRY(files::read_beneath(folder.string(), each.string(), limits::kDocumentBytes));
    Result<void> read = description::read_ansible_variables(text, name, of_host, inventory);
    if (!read) return with_context(std::move(read).error(), (folder / each).string());
  }
  return {};
}

Result<description::Description> read_ansible(const std::string& path, std::string_view text) {
  description::Inventory inventory;
  FABRIC_TRY(description::read_inventory(text, inventory));
  const std::filesystem::path folder = std::filesystem::path{path}.parent_path();
  // The output of `ansible-inventory --list` already has the variables.
  if (trim(text).starts_with('{')) return inventory.take();
  for (const bool of_host : {false, true})
    FABRIC_TRY(read_variables(folder / (of_host ? "host_vars" : "group_vars"), of_host, inventory));
  return inventory.take();
}

std::string names_of(const std::vector<description::ForeignFormat>& formats) {
  std::vector<std::string> names;
  for (const description::ForeignFormat& format : formats)
    names.emplace_back(format.name);
  std::sort(names.begin(), names.end());
  return join(names, ", ");
}

// A message quotes what was found in the file, which may be most of the file.
std::string shortened(const std::string& text) {
  constexpr std::size_t kBegin = 240;
  constexpr std::size_t kEnd = 80;
  if (text.size() <= kBegin + kEnd) return text;
  return text.substr(0, kBegin) + "..." + text.substr(text.size() - kEnd);
}

}  // namespace

std::vector<ForeignName> foreign_names() {
  std::vector<ForeignName> names;
  for (const description::ForeignFormat& format : all_formats())
    names.push_back({std::string{format.name}, std::string{format.summary}});
  std::ranges::sort(
      names, [](const ForeignName& a, const ForeignName& b) { return a.name < b.name; });
  return names;
}

Result<ForeignFile> read_foreign_file(const std::string& path, const std::string& format) {
  const std::vector<description::ForeignFormat> formats = all_formats();
  const std::string text = FABRIC_TRY(files::read_argument(path, limits::kSubnetBytes));
  const auto found = std::ranges::find_if(formats, [&](const auto& each) {
    return format.empty() ? each.recognises(text) : each.name == format;
  });
  if (found == formats.end()) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: its format is not recognised; name the format with --from: {}",
            path,
            names_of(formats))};
  }
  if (text.size() > found->bytes_max) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: expected at most {} bytes, found {}", path, found->bytes_max, text.size())};
  }
  Result<description::Description> says =
      found->name == "ansible" ? read_ansible(path, text) : found->parse(text);
  if (!says) {
    const Error why{says.error().code, shortened(says.error().message)};
    return with_context(why, fmt::format("{} as {}", path, found->name));
  }
  return ForeignFile{std::string{found->name}, {path, std::move(*says), found->nearness}};
}

}  // namespace fabric::cli

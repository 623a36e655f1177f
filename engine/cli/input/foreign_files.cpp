// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/foreign_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
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

std::string names_of(const std::vector<description::ForeignFormat>& formats) {
  std::vector<std::string> names;
  for (const description::ForeignFormat& format : formats)
    names.emplace_back(format.name);
  std::sort(names.begin(), names.end());
  return join(names, ", ");
}

// A message quotes what was found in the file, which may be most of the file.
std::string shortened(const std::string& message) {
  constexpr std::size_t kBegin = 240;
  constexpr std::size_t kEnd = 80;
  if (message.size() <= kBegin + kEnd) return message;
  return message.substr(0, kBegin) + "..." + message.substr(message.size() - kEnd);
}

}  // namespace

std::vector<ForeignName> foreign_names() {
  std::vector<ForeignName> names;
  for (const description::ForeignFormat& format : all_formats())
    names.push_back({std::string{format.name}, std::string{format.summary}});
  std::sort(names.begin(), names.end(), [](const ForeignName& a, const ForeignName& b) {
    return a.name < b.name;
  });
  return names;
}

Result<ForeignFile> read_foreign_file(const std::string& path, const std::string& format) {
  const std::vector<description::ForeignFormat> formats = all_formats();
  const std::string text = FABRIC_TRY(files::read_argument(path, limits::kSubnetBytes));
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const auto& each) {
    return format.empty() ? each.recognises(text) : each.name == format;
  });
  if (found == formats.end()) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: of no format that can be recognised; name it with --from: {}",
            path,
            names_of(formats))};
  }
  if (text.size() > found->bytes_max) {
    return Error{
        ErrorCode::invalid,
        fmt::format(
            "{}: expected at most {} bytes, found {}", path, found->bytes_max, text.size())};
  }
  Result<description::Description> says = found->parse(text);
  if (!says) {
    const Error why{says.error().code, shortened(says.error().message)};
    return with_context(why, fmt::format("{} as {}", path, found->name));
  }
  return ForeignFile{std::string{found->name}, {path, std::move(*says), found->nearness}};
}

}  // namespace fabric::cli

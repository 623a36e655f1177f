// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/images.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/cli/state/named_file.hpp"
#include "engine/value/digest.hpp"
#include "engine/workflow/trust.hpp"

namespace fabric::cli {

namespace {

// Images have 4 to 32 MB.
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

struct Content {
  std::string sha256;  // 64 hex digits
  std::uint64_t bytes = 0;
};

Result<Content> content_of(const ImageSource& source, const std::string& path) {
  const std::string text =
      FABRIC_TRY(read_named_file(source.folder, path, source.trusted, kMostBytes));
  if (text.empty()) return Error{ErrorCode::invalid, path + ": the file is empty"};
  constexpr std::string_view kPrefix = "sha256:";
  return Content{sha256(std::string_view{text}).substr(kPrefix.size()), text.size()};
}

SourceRange image_line(const Resource& resource) {
  const auto found = std::ranges::find_if(
      resource.features, [](const Feature& feature) { return feature.name == "image"; });
  return found == resource.features.end() ? resource.origin : found->range;
}

void report_missing(const Resource& resource, const Error& error, Diagnostics& diagnostics) {
  const std::string message = "the firmware image can't be used: " + error.message;
  const bool is_outside = error.code == ErrorCode::forbidden;
  const std::string_view rule =
      is_outside ? workflow::kDocumentNotTrusted : std::string_view{"firmware-image-missing"};
  Diagnostic& found = only_observed(resource)
                          ? diagnostics.warning(rule, image_line(resource), message)
                          : diagnostics.error(rule, image_line(resource), message);
  found.with_help(
      is_outside ? fmt::format("put the image beside the document; {}", workflow::kHowToTrust)
                 : "the path is relative to the folder of the document, on this machine");
}

Error why_not(const Error& error) {
  if (error.code != ErrorCode::forbidden) return {ErrorCode::stale, error.message};
  return {ErrorCode::forbidden, fmt::format("{}; {}", error.message, workflow::kHowToTrust)};
}

}  // namespace

Bindings read_images(
    const ImageSource& source, const std::vector<Resource>& resources, Diagnostics& diagnostics) {
  Bindings bindings;
  // By path: one image is used by many cards, and one line by many nodes.
  std::map<std::string, Result<Content>> contents;
  std::set<std::pair<SourceRange, std::string>> said;
  for (const Resource& resource : resources) {
    const auto image = resource.binding.find("image");
    if (resource.address.kind != "firmware" || image == resource.binding.end()) continue;
    const std::string written = image->second.string_or_empty("source");
    const std::string path = (std::filesystem::path{source.folder} / written).string();
    auto content = contents.find(path);
    if (content == contents.end()) content = contents.emplace(path, content_of(source, path)).first;
    if (!content->second) {
      if (said.emplace(image_line(resource), path).second)
        report_missing(resource, content->second.error(), diagnostics);
      continue;
    }
    bindings[resource.address].emplace(
        "image",
        Map{{"source", path},
            {"sha256", content->second->sha256},
            {"bytes", static_cast<std::int64_t>(content->second->bytes)}});
  }
  return bindings;
}

workflow::BindFiles images_of(ImageSource source) {
  return [source = std::move(source)](
             const std::vector<Resource>& resources, Diagnostics& diagnostics) {
    return read_images(source, resources, diagnostics);
  };
}

Result<void> check_copies(const ImageSource& source, const plans::Plan& plan) {
  std::map<std::string, std::string> digests;
  for (const plans::Action& action : plan.actions) {
    for (const remote::step::CopyFile& copy : action.draft.steps.copies()) {
      const auto [known, is_new] = digests.emplace(copy.source, "");
      if (is_new) {
        Result<Content> content = content_of(source, copy.source);
        if (!content) return why_not(content.error());
        known->second = content->sha256;
      }
      if (known->second == copy.sha256) continue;
      return Error{
          ErrorCode::stale,
          fmt::format(
              "{} has changed since the plan was made: expected sha256 {}, found {}; plan again",
              copy.source,
              copy.sha256,
              known->second)};
    }
  }
  return {};
}

}  // namespace fabric::cli

// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/file_digests.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/digest.hpp"

namespace fabric {

namespace {

constexpr std::size_t kDigits = 64;

// True if the file at the path is what the action itself leaves there.
bool is_made(
    const ActionDraft& draft, const std::string& path, const std::string& found, bool begun) {
  return std::any_of(draft.steps.begin(), draft.steps.end(), [&](const remote::Step& step) {
    if (const auto* removal = std::get_if<remote::step::RemoveFile>(&step))
      return found.empty() && begun && removal->path == path;
    const auto* write = std::get_if<remote::step::WriteFile>(&step);
    return write != nullptr && !found.empty() && write->path == path &&
           sha256(std::string_view{write->content}) == "sha256:" + found;
  });
}

}  // namespace

FileDigests file_digests(const NodeFacts& facts) {
  FileDigests digests;
  for (const auto& [probe, section] : facts.probes) {
    const std::string* output =
        std::string_view{probe}.starts_with(kFileDigestsProbe) ? facts.output(probe) : nullptr;
    if (output == nullptr) continue;
    for (const std::string_view line : split_lines(*output)) {
      const std::size_t space = line.find(' ');
      if (space != kDigits || line.substr(space + 1, 1) != "/") continue;
      digests.emplace(line.substr(space + 1), line.substr(0, space));
    }
  }
  return digests;
}

std::vector<std::string> changed_files(
    const ActionDraft& draft, const NodeFacts& facts, bool begun) {
  const FileDigests digests = file_digests(facts);
  std::vector<std::string> texts;
  for (const FileCondition& condition : draft.file_preconditions) {
    const auto digest = digests.find(condition.path);
    const std::string found = digest == digests.end() ? std::string{} : digest->second;
    if (found == condition.digest || is_made(draft, condition.path, found, begun)) continue;
    const char* what = found.empty() ? "it was removed, or replaced by something else than a file,"
                       : condition.digest.empty() ? "it was created"
                                                  : "it was edited";
    texts.push_back(
        fmt::format("{}: {}: {} since the plan was made", facts.node.str(), condition.path, what));
  }
  return texts;
}

}  // namespace fabric

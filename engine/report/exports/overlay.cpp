// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/overlay.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/value/json.hpp"
#include "engine/value/lists.hpp"

namespace fabric::report {

namespace {

// The name of a folder, of characters that mean nothing to shells and tools.
std::string folder_name(const std::vector<NodeName>& nodes, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : fold(nodes)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (plain) name += c;
    if (c == ',') name += '_';
  }
  name = name.substr(0, kLongest);
  std::string unique = name;
  for (std::size_t number = 2; !taken.insert(unique).second; ++number)
    unique = fmt::format("{}.{}", name, number);
  return unique;
}

bool stays_below_root(const std::string& path) {
  if (!path.starts_with('/') || path.ends_with('/')) return false;
  const std::vector<std::string_view> parts = split(std::string_view{path}.substr(1), '/');
  return std::ranges::none_of(
      parts, [](std::string_view part) { return part.empty() || part == "." || part == ".."; });
}

bool does_more(const plans::Action& action) {
  const ActionDraft& draft = action.draft;
  const std::string& kind = draft.kind;
  const bool is_look = kind == methods::kHealthCheck || kind == methods::kHookBefore ||
                       kind == methods::kHookAfter || kind == methods::kHookForget;
  return !is_look && kind != methods::kReboot &&
         (!draft.steps.has_writes() || draft.steps.has_copies() || draft.steps.has_removes());
}

}  // namespace

Result<std::vector<Overlay>> overlays_of(const plans::Plan& plan) {
  // If two actions write a file, the later one counts.
  std::map<std::pair<NodeName, std::string>, const remote::step::WriteFile*> written;
  for (const plans::Action& action : plan.actions) {
    for (const remote::Step& step : action.draft.steps) {
      const auto* written_file = std::get_if<remote::step::WriteFile>(&step);
      if (written_file == nullptr) continue;
      const remote::step::WriteFile& write = *written_file;
      if (!stays_below_root(write.path)) {
        return Error{
            ErrorCode::invalid,
            fmt::format("{}: {} is no path of a file", action.node.str(), write.path)};
      }
      // The record of a hook is no configuration.
      if (action.draft.kind != methods::kHookBefore)
        written.insert_or_assign({action.node, write.path}, &write);
    }
  }
  if (written.empty())
    return Error{ErrorCode::invalid, "the plan writes no file, so there is nothing to export"};
  using Same = std::tuple<std::string, std::string, std::uint32_t, std::string>;
  std::map<Same, std::vector<NodeName>> nodes_of;
  for (const auto& [at, write] : written)
    nodes_of[{write->path, write->content, write->mode, write->owner}].push_back(at.first);
  std::map<std::vector<NodeName>, std::vector<OverlayFile>> groups;
  for (const auto& [file, nodes] : nodes_of) {
    const auto& [path, content, mode, owner] = file;
    groups[nodes].push_back({path, content, owner, mode});
  }
  std::vector<Overlay> overlays;
  std::set<std::string> taken;
  for (auto& [nodes, files] : groups)
    overlays.push_back({folder_name(nodes, taken), nodes, std::move(files)});
  return overlays;
}

std::string overlay_list(const std::vector<Overlay>& overlays) {
  List list;
  for (const Overlay& overlay : overlays) {
    List files;
    for (const OverlayFile& file : overlay.files) {
      files.emplace_back(Map{
          {"path", file.path}, {"mode", fmt::format("{:04o}", file.mode)}, {"owner", file.owner}});
    }
    list.emplace_back(Map{
        {"overlay", overlay.name}, {"nodes", to_list(overlay.nodes)}, {"files", std::move(files)}});
  }
  return to_json(Map{{"overlays", std::move(list)}}) + "\n";
}

std::vector<std::string> not_in_overlays(const plans::Plan& plan) {
  std::set<std::string> titles;
  for (const plans::Action& action : plan.actions)
    if (does_more(action)) titles.insert(action.draft.title);
  return {titles.begin(), titles.end()};
}

}  // namespace fabric::report

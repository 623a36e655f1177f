// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/foreign_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/remote/file_digest.hpp"
#include "engine/value/digest.hpp"

namespace fabric::rehearse {

namespace {

// What stands before a line that was commented out; "" = it was not.
std::string_view mark_of(std::string_view line) {
  if (!line.starts_with(remote::kAdoptedMark)) return {};
  const std::size_t end = line.find("# ", remote::kAdoptedMark.size());
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end + 2);
}

// Lines with their ends, so that nothing of them is lost.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Of a line that was commented out: without its mark and its end.
std::string_view bare_of(std::string_view line) {
  std::string_view bare = line.substr(mark_of(line).size());
  if (bare.ends_with('\n')) bare.remove_suffix(1);
  return bare;
}

std::string without_marks(std::string_view text) {
  std::string bare;
  for (const std::string_view line : whole_lines(text))
    bare += line.substr(mark_of(line).size());
  return bare;
}

std::string digest_of(const std::string& text) {
  return sha256(std::string_view{text}).substr(std::string_view{"sha256:"}.size());
}

}  // namespace

void ForeignWatch::left(const NodeName& node, const std::string& path) {
  Left left;
  if (const auto known = left_.find({node, path}); known != left_.end())
    left.before = known->second.text ? known->second.text : known->second.before;
  if (const std::optional<std::string> text = lab_.read_file(node, path)) {
    left.text = without_marks(*text);
    for (const std::string_view line : whole_lines(*text))
      if (!mark_of(line).empty()) left.out.emplace(bare_of(line));
  }
  left_.insert_or_assign({node, path}, std::move(left));
}

// The words of the commands are looked at as they stand in the plan, whatever made them: a file,
// its digest, and what is to go.
void ForeignWatch::shown(const plans::Plan& plan) {
  constexpr std::size_t kFirst = 4;  // after "sh -c SCRIPT NAME"
  for (const plans::Action& action : plan.actions) {
    for (const remote::Argv& argv : action.draft.commands) {
      if (argv.size() <= kFirst + 3) continue;
      if (action.draft.kind == methods::kNetworkAdopt) {
        const File file{action.node, argv[kFirst + 1]};
        Shown& shown = shown_[{file, argv[kFirst + 3]}];
        if (argv[kFirst + 2] == "whole") shown.may_go_to.insert(argv[kFirst]);
      } else if (argv[kFirst].starts_with('/')) {
        Shown& shown = shown_[{{action.node, argv[kFirst]}, argv[kFirst + 1]}];
        for (std::size_t at = kFirst + 3; at < argv.size(); ++at) {
          for (const std::string_view line : split_lines(argv[at]))
            shown.lines.emplace(line);
        }
      }
    }
  }
}

bool ForeignWatch::is_kept(const File& file, const std::string& was, const Shown& shown) const {
  return std::any_of(
      shown.may_go_to.begin(), shown.may_go_to.end(), [&](const std::string& folder) {
        return lab_.read_file(file.first, folder + "/whole" + file.second) == was ||
               lab_.read_file(file.first, folder + "/later" + file.second) == was;
      });
}

std::string ForeignWatch::judge(const File& file, const Left& left) const {
  const std::optional<std::string> now = lab_.read_file(file.first, file.second);
  const std::optional<std::string>& was = left.text ? left.text : left.before;
  if (!was) return now ? "came back" : "";
  const auto found = shown_.find({file, digest_of(*was)});
  static const Shown nothing;
  const Shown& shown = found == shown_.end() ? nothing : found->second;
  if (!left.text) {
    // Somebody removed what an action was taking away: its rollback can't tell who did.
    const bool is_rolled_back = now == was && !shown.may_go_to.empty();
    return !now || is_rolled_back ? "" : "came back";
  }
  if (!now)
    return is_kept(file, *was, shown) ? "" : "is gone, and no plan has shown that and kept it";
  if (without_marks(*now) != *was) return "was changed, and no plan has shown that";
  for (const std::string_view line : whole_lines(*now)) {
    const std::string_view bare = bare_of(line);
    if (mark_of(line).empty() || left.out.contains(bare)) continue;
    if (!shown.lines.contains(std::string{bare}))
      return fmt::format("has lost a line that no plan has shown: {}", bare);
  }
  return {};
}

void ForeignWatch::look() const {
  for (const auto& [file, left] : left_) {
    const std::string what = judge(file, left);
    if (what.empty()) continue;
    violations_.push_back(
        fmt::format("{}: {} is somebody else's, and {}", file.first.str(), file.second, what));
  }
}

}  // namespace fabric::rehearse

// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/foreign_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/remote/file_digest.hpp"
#include "engine/value/digest.hpp"

namespace fabric::rehearse {

namespace {

// The mark before a line that was commented out; "" = it was not.
std::string_view mark_of(std::string_view line) {
  if (!line.starts_with(remote::kAdoptedMark)) return {};
  const std::size_t end = line.find("# ", remote::kAdoptedMark.size());
  return end == std::string_view::npos ? std::string_view{} : line.substr(0, end + 2);
}

// Lines with their line ends, so that no byte is lost.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// A line that was commented out, without its mark and its line end.
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

void ForeignWatch::shown(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    const SimulatedPlatform* simulated = simulated_.find(plan.nodes.at(action.node).platform);
    if (simulated == nullptr) continue;
    for (const remote::Argv& argv : action.draft.steps.commands()) {
      const std::optional<ShownEdit> edit = simulated->shown_edit(action.draft.kind, argv);
      if (!edit) continue;
      Shown& shown = shown_[{{action.node, edit->path}, edit->digest}];
      shown.lines.insert(edit->lines.begin(), edit->lines.end());
      shown.kept_as.insert(edit->kept_as.begin(), edit->kept_as.end());
    }
  }
}

bool ForeignWatch::is_kept(const File& file, const std::string& was, const Shown& shown) const {
  return std::any_of(shown.kept_as.begin(), shown.kept_as.end(), [&](const std::string& path) {
    return lab_.read_file(file.first, path) == was;
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
    // A person removed a file that an action was removing too: its rollback can't know which of
    // them did.
    const bool is_rolled_back = now == was && !shown.kept_as.empty();
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
    violations_.push_back(fmt::format(
        "{}: {} belongs to another program, and {}", file.first.str(), file.second, what));
  }
}

}  // namespace fabric::rehearse

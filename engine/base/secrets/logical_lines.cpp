// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/logical_lines.hpp"

#include <algorithm>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// "PATH:"
std::size_t prefix_length(std::string_view line) {
  const std::size_t colon = line.starts_with('/') ? line.find(':') : kNowhere;
  return colon == kNowhere ? 0 : colon + 1;
}

// There a comment between is passed over, and does not go on itself (systemd.syntax(7)).
bool is_of_systemd(const FileLines& lines) {
  return lines.path.find("/systemd/") != kNowhere;
}
bool is_comment(std::string_view content) {
  const std::string_view text = trim(content);
  return text.starts_with('#') || text.starts_with(';');
}

bool is_continued(std::string_view content) {
  const std::size_t last = content.find_last_not_of(" \t\r");
  return last != kNowhere && content[last] == '\\';
}

bool goes_on(const FileLines& lines) {
  const std::string_view last = lines.contents.back();
  if (is_of_systemd(lines) && is_comment(last)) return lines.contents.size() > 1;
  return is_continued(last);
}

}  // namespace

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

std::vector<std::string> pieces_of(const FileLines& lines) {
  std::vector<std::string> pieces;
  for (const std::string_view content : lines.contents) {
    const bool is_last = &content == &lines.contents.back();
    if (is_of_systemd(lines) && is_comment(content) && lines.contents.size() > 1) continue;
    pieces.emplace_back(
        is_continued(content) && !is_last ? content.substr(0, content.rfind('\\')) : content);
    if (is_of_systemd(lines) && !is_last) pieces.back() += ' ';
  }
  return pieces;
}

FileLines LogicalLines::next() {
  FileLines lines;
  lines.prefix = line().substr(0, prefix_length(line()));
  const std::size_t length = lines.prefix.size();
  lines.path = lines.prefix.substr(0, length == 0 ? 0 : length - 1);
  const bool is_tree = is_yaml(lines.path);
  do {
    lines.contents.push_back(line().substr(length));
    at_ += line().size() + 1;
  } while (length > 0 && !at_end() && line().starts_with(lines.prefix) &&
           (is_tree || goes_on(lines)));
  return lines;
}

std::string_view LogicalLines::line() const {
  return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
}

}  // namespace fabric

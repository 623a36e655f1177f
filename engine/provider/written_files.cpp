// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/written_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/overloaded.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/text.hpp"

namespace fabric {

namespace {

// True if no file format that fabric writes takes it for syntax.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-_.:@+/,="}.find(c) != std::string_view::npos;
  });
}

// True if no part of the path leads anywhere else.
bool is_way_down(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return is_plain(path) && std::ranges::none_of(parts, [](std::string_view part) {
           return part.empty() || part == "." || part == "..";
         });
}

bool is_path(std::string_view path) {
  return path.starts_with('/') && is_way_down(path.substr(1));
}

std::string_view path_of(const remote::Step& step) {
  return std::visit(
      Overloaded{
          [](const remote::step::WriteFile& file) { return std::string_view{file.path}; },
          [](const remote::step::CopyFile& file) { return std::string_view{file.path}; },
          [](const remote::step::RemoveFile& file) { return std::string_view{file.path}; },
          [](const auto&) {
            return std::string_view{};
          }},
      step);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the values that expand() makes.
const std::string* find_broken(const Value& value) {
  if (const std::string* text = value.as_string()) return is_one_line(*text) ? nullptr : text;
  if (const List* list = value.as_list()) {
    for (const Value& each : *list) {
      if (const std::string* found = find_broken(each)) return found;
    }
  }
  if (const Map* map = value.as_map()) {
    for (const auto& [key, each] : *map) {
      if (!is_one_line(key)) return &key;
      if (const std::string* found = find_broken(each)) return found;
    }
  }
  return nullptr;
}

std::string wrong_text(const Resource& resource) {
  if (!is_way_down(resource.address.name.str()))
    return fmt::format("the name '{}' can't stand in a file", resource.address.name.str());
  const auto broken = [](std::string_view key, const std::string& text) {
    return fmt::format("'{}' of its {} is no text of one line", text, key);
  };
  for (const auto& [key, value] : resource.binding) {
    if (const std::string* text = find_broken(value)) return broken(key, *text);
  }
  for (const auto& [key, desired] : resource.desired) {
    if (const std::string* text = find_broken(desired.value)) return broken(key, *text);
  }
  return {};
}

class Wall {
 public:
  Wall(const ActionDraft& draft, const std::vector<std::string_view>& folders)
      : draft_{draft}, folders_{folders} {}

  std::string wrong(const remote::Step& step) const {
    if (const auto* talk = std::get_if<remote::step::Converse>(&step)) return wrong_line(*talk);
    const std::string_view path = path_of(step);
    if (path.empty()) return {};
    if (!is_path(path)) return fmt::format("'{}' is no path that fabric writes", path);
    const bool is_ours = std::ranges::any_of(
        folders_, [&](std::string_view each) { return path.starts_with(each); });
    if (is_ours || is_somebody_elses(path)) return {};
    return fmt::format("{} is not in {}", path, fmt::join(folders_, ", "));
  }

 private:
  static std::string wrong_line(const remote::step::Converse& talk) {
    for (const std::string& line : talk.lines) {
      if (!is_one_line(line)) return fmt::format("'{}' is no line for a prompt", line);
    }
    return {};
  }

  bool is_somebody_elses(std::string_view path) const {
    const auto& known = draft_.file_preconditions;
    return std::ranges::any_of(known, [&](const FileCondition& each) { return each.path == path; });
  }

  const ActionDraft& draft_;
  const std::vector<std::string_view>& folders_;
};

}  // namespace

std::string why_not_written(
    const Resource& resource,
    const ActionDraft& draft,
    const std::vector<std::string_view>& folders) {
  const Wall wall{draft, folders};
  for (const WorkSteps* steps : {&draft.steps, &draft.undo}) {
    for (const remote::Step& step : *steps) {
      if (std::string wrong = wall.wrong(step); !wrong.empty()) return wrong;
    }
  }
  const bool is_written = draft.steps.changes_files() || draft.undo.changes_files();
  return is_written ? wrong_text(resource) : std::string{};
}

}  // namespace fabric

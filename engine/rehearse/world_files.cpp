// Files of a simulated fabric: somebody else writes them, and what is not ours is not touched.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/rehearse/world.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::rehearse {

namespace {

// What package managers and boot loaders keep is theirs, and changes with what we ask them for.
bool is_kept_by_tools(const std::string& path) {
  constexpr std::array<std::string_view, 5> kTheirs{
      "/var/lib/dpkg/", "/var/lib/apt/", "/boot/", "/usr/", "/var/log/"};
  return std::any_of(kTheirs.begin(), kTheirs.end(), [&path](std::string_view folder) {
    return path.starts_with(folder);
  });
}

// A file of ours by its name, or the folder that one of them needs.
bool is_ours(const std::string& path, const std::vector<std::string>& touched) {
  constexpr std::string_view kMark = "fabric";
  if (path.find(kMark) != std::string::npos) return true;
  // What is rolled back leaves the folder of its drop-in, which says nothing without it.
  if (path.ends_with(".service.d")) return true;
  return std::any_of(touched.begin(), touched.end(), [&](const std::string& other) {
    return other.starts_with(path + "/") && other.find(kMark, path.size()) != std::string::npos;
  });
}

// Initscripts go by the name of the interface, and only the marker tells whose file it is. One that
// is gone was there for the run alone, or is one of ours that left.
bool is_our_script(const std::string& path, const std::optional<std::string>& content) {
  constexpr std::array<std::string_view, 3> kScripts{"/ifcfg-", "/route-", "/route6-"};
  const bool is_script =
      path.find("/network-scripts/") != std::string::npos &&
      std::any_of(kScripts.begin(), kScripts.end(), [&path](std::string_view prefix) {
        return path.find(prefix) != std::string::npos;
      });
  return is_script && (!content || content->starts_with("# managed by fabric"));
}

}  // namespace

// Another operator, without a lock, changes what this action is about to write.
void World::meddle(const plans::Action& action) {
  constexpr std::string_view kKeys[] = {"MTUBytes=", "mtu "};
  if (lab_.power(action.node) != lab::Power::up) return;
  for (const remote::step::WriteFile& write : action.draft.writes) {
    std::string content = write.content;
    for (const std::string_view key : kKeys) {
      const std::size_t at = content.rfind(key);
      if (at == std::string::npos) continue;
      const std::size_t begin = at + key.size();
      const std::size_t end =
          std::min(content.find_first_not_of("0123456789", begin), content.size());
      if (end == begin) continue;
      content.replace(begin, end - begin, "4242");
      // What was there when the plan was made changes nothing.
      if (lab_.read_file(action.node, write.path) == content) continue;
      lab_.exec(action.node, "root", "cat >" + remote::quote(write.path), content);
      if (lab_.read_file(action.node, write.path) != content) return;
      note(
          TraceLine::Kind::host,
          fmt::format("somebody writes {} on {}", write.path, action.node.str()));
      meddled_with_.insert(action.node);
      meddled_.push_back({action.node, write.path, std::move(content)});
      return;
    }
  }
}

void World::check_files() {
  for (const Meddled& meddled : meddled_) {
    if (lab_.read_file(meddled.node, meddled.path) == meddled.content) continue;
    violation(fmt::format(
        "{}: {} was written over, though it was not as planned", meddled.node.str(), meddled.path));
  }
  for (const NodeName& node : lab_.nodes()) {
    const auto spec = scene_.spec.nodes.find(node);
    if (spec != scene_.spec.nodes.end() && spec->second.adopt.value) continue;
    const std::vector<std::string> touched = lab_.touched_files(node);
    for (const std::string& path : touched) {
      if (is_ours(path, touched) || is_kept_by_tools(path)) continue;
      if (is_our_script(path, lab_.read_file(node, path))) continue;
      if (touched_before_[node].contains(path)) continue;
      violation(fmt::format("{}: {} is not ours and was touched", node.str(), path));
    }
  }
}

}  // namespace fabric::rehearse

// SPDX-License-Identifier: Apache-2.0
// Files of a simulated fabric: other operators write them, and foreign files are not touched.
#include <optional>

#include <fmt/format.h>

#include "engine/rehearse/world.hpp"

namespace fabric::rehearse {

// Another operator, without a lock, changes what this action is about to write.
void World::meddle(const plans::Action& action) {
  const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(action.node));
  if (simulated == nullptr || lab_.power(action.node) != lab::Power::up) return;
  for (const remote::step::WriteFile& write : action.draft.steps.writes()) {
    std::optional<std::string> content = simulated->meddled(write);
    // A content that was there when the plan was made is no change.
    if (!content || lab_.read_file(action.node, write.path) == content) continue;
    simulated->write(lab_, action.node, write.path, *content);
    if (lab_.read_file(action.node, write.path) != content) return;
    note(
        TraceLine::Kind::host,
        fmt::format("another program writes {} on {}", write.path, action.node.str()));
    meddled_with_.insert(action.node);
    written_[{action.node, write.path}].insert(*content);
    meddled_.push_back({action.node, write.path, std::move(*content)});
    return;
  }
}

void World::note_written(const plans::Plan& plan) {
  for (const plans::Action& action : plan.actions) {
    for (const WorkSteps* steps : {&action.draft.steps, &action.draft.undo}) {
      for (const remote::step::WriteFile& write : steps->writes()) {
        const auto [file, is_new] = written_.try_emplace({action.node, write.path});
        // The content before any plan could write the file: maybe only a rollback restores it.
        const std::optional<std::string> before =
            is_new ? lab_.read_file(action.node, write.path) : std::nullopt;
        if (before) file->second.insert(*before);
        file->second.insert(write.content);
      }
    }
  }
}

void World::check_owed() {
  watching_.end_all();
  for (const auto& [file, contents] : written_) {
    const auto& [node, path] = file;
    const std::optional<std::string> found = lab_.read_file(node, path);
    if (found && !contents.contains(*found))
      violation(fmt::format("{}: {} is torn, and fabric has not noticed", node.str(), path));
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
    const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(node));
    if (simulated == nullptr) continue;  // its files are not known
    const std::vector<std::string> touched = lab_.touched_files(node);
    for (const std::string& path : touched) {
      if (simulated->may_touch(path, touched, lab_.read_file(node, path))) continue;
      if (touched_before_[node].contains(path)) continue;
      violation(fmt::format("{}: {} is not a file of fabric and was touched", node.str(), path));
    }
  }
}

}  // namespace fabric::rehearse

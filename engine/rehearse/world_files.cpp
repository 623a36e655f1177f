// SPDX-License-Identifier: Apache-2.0
// Files of a simulated fabric: other operators write them, and foreign files are not touched.
#include <algorithm>
#include <optional>
#include <set>

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

// Part of a simulated fabric: a person changes the files that a plan depends on, between the plan
// and each of its actions.

namespace {

// The files of the node that the plan writes, removes or edits.
std::set<std::string> files_of(const plans::Plan& plan, const NodeName& node) {
  std::set<std::string> files;
  for (const plans::Action& action : plan.actions) {
    if (action.node != node) continue;
    for (const remote::step::WriteFile& write : action.draft.steps.writes())
      files.insert(write.path);
    for (const std::string& path : action.draft.steps.removes())
      files.insert(path);
    for (const FileCondition& file : action.draft.file_preconditions)
      files.insert(file.path);
  }
  return files;
}

bool is_about(const remote::Step& step, const std::string& path) {
  if (const auto* write = std::get_if<remote::step::WriteFile>(&step)) return write->path == path;
  if (const auto* removal = std::get_if<remote::step::RemoveFile>(&step))
    return removal->path == path;
  const auto* run = std::get_if<remote::step::Run>(&step);
  if (run == nullptr) return false;
  const remote::Argv& words = run->command.argv;
  return std::find(words.begin(), words.end(), path) != words.end();
}

}  // namespace

void World::edit_before_step(const plans::Plan& plan, const remote::StepRequest& request) {
  if (edit_.at == 0 || !remote::may_change(request.step)) return;
  if (edit_.at > 1) --edit_.at;
  if (edit_.at == 1) edit(plan, request.node, &request.step);
}

void World::edit_before_all(const plans::Plan& plan) {
  if (edit_.at != 1 || edit_.aimed || nodes_.empty()) return;
  edit(plan, nodes_[edit_.which % nodes_.size()], nullptr);
}

// Waits for the next step where there is no such file.
void World::edit(const plans::Plan& plan, const NodeName& node, const remote::Step* before) {
  const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(node));
  if (simulated == nullptr || lab_.power(node) != lab::Power::up) return;
  std::vector<std::string> there;
  for (const std::string& path : files_of(plan, node)) {
    if (edit_.aimed && before != nullptr && !is_about(*before, path)) continue;
    if (lab_.read_file(node, path) && !simulated->is_link(lab_, node, path)) there.push_back(path);
  }
  if (there.empty()) return;
  const std::string& path = there[edit_.which % there.size()];
  // Fabric's changes to the file so far are judged before the edit.
  foreign_.look();
  const std::string was = *lab_.read_file(node, path);
  simulated->edit(lab_, node, path, edit_.how);
  edit_.at = 0;
  edited_ = true;
  note(
      TraceLine::Kind::host,
      fmt::format("another program {} {} on {}", to_string(edit_.how), path, node.str()));
  ++faults_[fmt::format("another program {} a file", to_string(edit_.how))];
  edits_.push_back({node, path, was});
  // A text that another operator wrote there before was removed by a person.
  std::erase_if(
      meddled_, [&](const Meddled& each) { return each.node == node && each.path == path; });
  // Further effects on the node are caused by that person.
  meddled_with_.insert(node);
  const std::optional<std::string> now = lab_.read_file(node, path);
  if (foreign_.knows(node, path)) {
    foreign_.left(node, path);
  } else if (now) {
    written_[{node, path}].insert(*now);
  }
}

// The person sees the effect, and restores the file; of fabric's files, removes what is in the way.
void World::mend_edits() {
  for (const Edited& edited : edits_) {
    const SimulatedPlatform* simulated = scene_.simulated.find(platform_of(edited.node));
    if (foreign_.knows(edited.node, edited.path)) {
      foreign_.look();
      simulated->edit(lab_, edited.node, edited.path, FileEdit::How::removed);
      simulated->write(lab_, edited.node, edited.path, edited.was);
      foreign_.left(edited.node, edited.path);
      continue;
    }
    const bool in_the_way = simulated->is_link(lab_, edited.node, edited.path) ||
                            lab_.read_file(edited.node, edited.path) == std::string{};
    if (in_the_way) simulated->edit(lab_, edited.node, edited.path, FileEdit::How::removed);
  }
  edits_.clear();
}

}  // namespace fabric::rehearse

// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/work_steps.hpp"

#include <algorithm>
#include <iterator>

namespace fabric {

namespace step = remote::step;

namespace {

template <class Kind>
std::vector<Kind> all_of(const std::vector<remote::Step>& steps) {
  std::vector<Kind> kinds;
  for (const remote::Step& each : steps)
    if (const auto* one = std::get_if<Kind>(&each)) kinds.push_back(*one);
  return kinds;
}

template <class Kind>
bool any_of(const std::vector<remote::Step>& steps) {
  return std::ranges::any_of(
      steps, [](const remote::Step& each) { return std::holds_alternative<Kind>(each); });
}

}  // namespace

WorkSteps& WorkSteps::write(step::WriteFile file) {
  steps_.emplace_back(std::move(file));
  return *this;
}

WorkSteps& WorkSteps::copy(step::CopyFile file) {
  steps_.emplace_back(std::move(file));
  return *this;
}

WorkSteps& WorkSteps::remove(std::string path) {
  steps_.emplace_back(step::RemoveFile{std::move(path)});
  return *this;
}

WorkSteps& WorkSteps::run(remote::Argv argv) {
  steps_.emplace_back(step::Run{remote::Command{std::move(argv), {}}});
  return *this;
}

WorkSteps& WorkSteps::run_each(std::vector<remote::Argv> commands) {
  for (remote::Argv& argv : commands)
    run(std::move(argv));
  return *this;
}

WorkSteps& WorkSteps::converse(std::vector<std::string> lines) {
  if (lines.empty()) return *this;
  step::Converse talk;
  talk.lines = std::move(lines);
  steps_.emplace_back(std::move(talk));
  return *this;
}

WorkSteps& WorkSteps::here(remote::Argv argv) {
  steps_.emplace_back(step::RunHere{remote::Command{std::move(argv), {}}});
  return *this;
}

WorkSteps& WorkSteps::append(const WorkSteps& more) {
  steps_.insert(steps_.end(), more.steps_.begin(), more.steps_.end());
  return *this;
}

std::vector<step::WriteFile> WorkSteps::writes() const {
  return all_of<step::WriteFile>(steps_);
}

std::vector<step::CopyFile> WorkSteps::copies() const {
  return all_of<step::CopyFile>(steps_);
}

std::vector<std::string> WorkSteps::removes() const {
  std::vector<std::string> paths;
  for (step::RemoveFile& removal : all_of<step::RemoveFile>(steps_))
    paths.push_back(std::move(removal.path));
  return paths;
}

std::vector<remote::Argv> WorkSteps::commands() const {
  std::vector<remote::Argv> commands;
  for (step::Run& run : all_of<step::Run>(steps_))
    commands.push_back(std::move(run.command.argv));
  return commands;
}

std::vector<std::string> WorkSteps::lines() const {
  std::vector<std::string> lines;
  for (step::Converse& talk : all_of<step::Converse>(steps_))
    std::move(talk.lines.begin(), talk.lines.end(), std::back_inserter(lines));
  return lines;
}

remote::Argv WorkSteps::command_here() const {
  for (const remote::Step& each : steps_)
    if (const auto* run = std::get_if<step::RunHere>(&each)) return run->command.argv;
  return {};
}

bool WorkSteps::has_writes() const {
  return any_of<step::WriteFile>(steps_);
}

bool WorkSteps::has_copies() const {
  return any_of<step::CopyFile>(steps_);
}

bool WorkSteps::has_removes() const {
  return any_of<step::RemoveFile>(steps_);
}

void WorkSteps::erase_writes(const std::string& path) {
  std::erase_if(steps_, [&path](const remote::Step& each) {
    const auto* write = std::get_if<step::WriteFile>(&each);
    return write != nullptr && write->path == path;
  });
}

WorkSteps undone_together(const WorkSteps& first, const WorkSteps& then) {
  WorkSteps files;
  std::vector<remote::Argv> commands;
  for (const WorkSteps* steps : {&first, &then}) {
    for (step::WriteFile& file : steps->writes())
      files.write(std::move(file));
  }
  for (const WorkSteps* steps : {&first, &then}) {
    for (std::string& path : steps->removes())
      files.remove(std::move(path));
    for (remote::Argv& argv : steps->commands()) {
      std::erase(commands, argv);
      commands.push_back(std::move(argv));
    }
  }
  return files.run_each(std::move(commands));
}

}  // namespace fabric

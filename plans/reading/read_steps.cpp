// SPDX-License-Identifier: Apache-2.0
#include "plans/reading/read_steps.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/digest.hpp"

namespace fabric::plans {

namespace {

// "0644" to its number.
std::uint32_t read_mode(Shape& file) {
  const auto mode = parse_unsigned(file.text("mode"), 8);
  if (!mode || *mode > 07777) file.complain("mode", "expected an octal mode");
  return static_cast<std::uint32_t>(mode.value_or(0));
}

// A digest as hex digits.
std::string read_digest(Shape& shape, std::string_view key) {
  constexpr std::string_view kPrefix = "sha256:";
  const std::string digest = shape.text(key);
  if (digest.starts_with(kPrefix)) return digest.substr(kPrefix.size());
  shape.complain(key, "expected a digest");
  return {};
}

remote::step::WriteFile read_write(Shape& step) {
  Shape write{step.any("write"), step.path_of("write"), step.complaint()};
  remote::step::WriteFile file;
  file.path = write.text("path");
  if (!file.path.starts_with('/')) write.complain("path", "expected an absolute path");
  file.mode = read_mode(write);
  file.owner = write.text("owner");
  file.content = write.text("content");
  const std::string digest = write.text("sha256");
  if (digest != sha256(std::string_view{file.content}))
    write.complain("content", "does not have the digest " + digest);
  return file;
}

remote::step::CopyFile read_copy(Shape& step) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;
  Shape copy{step.any("copy"), step.path_of("copy"), step.complaint()};
  remote::step::CopyFile file;
  file.source = copy.text("source");
  if (file.source.empty()) copy.complain("source", "expected a path");
  file.sha256 = read_digest(copy, "sha256");
  file.bytes = static_cast<std::uint64_t>(copy.number("bytes", kMost));
  file.path = copy.text("path");
  if (!file.path.starts_with('/')) copy.complain("path", "expected an absolute path");
  file.mode = read_mode(copy);
  file.owner = copy.text("owner");
  return file;
}

std::string read_removal(Shape& step) {
  std::string path = step.text("remove");
  if (!path.starts_with('/')) step.complain("remove", "expected an absolute path");
  return path;
}

// An argument vector, or lines.
std::vector<std::string> read_words(Shape& step, std::string_view key) {
  std::vector<std::string> words = step.texts(key);
  if (words.empty())
    step.complain(key, key == "converse" ? "expected lines" : "expected an argument vector");
  return words;
}

remote::Argv read_argv(Shape& step, std::string_view key) {
  const std::vector<std::string> words = read_words(step, key);
  return {words.begin(), words.end()};
}

remote::Argv read_script(Shape& step, const Scripts& scripts) {
  Shape script{step.any("script"), step.path_of("script"), step.complaint()};
  const std::string name = script.text("name");
  remote::Argv argv{"sh", "-c"};
  if (const auto found = scripts.find(name); found != scripts.end()) {
    argv.emplace_back(*found->second);
  } else {
    script.complain("name", fmt::format("'{}' is not one of the plan's scripts", name));
  }
  argv.emplace_back(script.text("called"));
  for (const std::string& argument : script.texts("args"))
    argv.emplace_back(argument);
  return argv;
}

}  // namespace

Scripts read_scripts(Shape& plan) {
  Scripts scripts;
  if (plan.optional("scripts") == nullptr) return scripts;
  const Map& texts = plan.map("scripts");
  Shape shape{plan.any("scripts"), plan.path_of("scripts"), plan.complaint()};
  for (const auto& [name, text] : texts) {
    const bool is_plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_plain) shape.complain(name, "is not the name of a script");
    scripts.emplace(name, &remote::kept_script(name, shape.text(name)));
  }
  return scripts;
}

WorkSteps read_steps(Shape& shape, std::string_view key, const Scripts& scripts) {
  WorkSteps steps;
  each(shape, key, [&](const Value& item, const std::string& path) {
    Shape step{item, path, shape.complaint()};
    if (step.optional("write") != nullptr) {
      steps.write(read_write(step));
    } else if (step.optional("copy") != nullptr) {
      steps.copy(read_copy(step));
    } else if (step.optional("remove") != nullptr) {
      steps.remove(read_removal(step));
    } else if (step.optional("script") != nullptr) {
      steps.run(read_script(step, scripts));
    } else if (step.optional("run") != nullptr) {
      steps.run(read_argv(step, "run"));
    } else if (step.optional("converse") != nullptr) {
      steps.converse(read_words(step, "converse"));
    } else if (step.optional("here") != nullptr) {
      steps.here(read_argv(step, "here"));
    } else {
      shape.complaint().add(
          path, "expected one of `run`, `write`, `copy`, `remove`, `converse`, `here`");
    }
  });
  return steps;
}

std::vector<FileCondition> read_file_conditions(Shape& shape) {
  std::vector<FileCondition> conditions;
  if (shape.optional("file_preconditions") == nullptr) return conditions;
  each(shape, "file_preconditions", [&](const Value& item, const std::string& path) {
    Shape condition{item, path, shape.complaint()};
    FileCondition& file = conditions.emplace_back();
    file.path = condition.text("path");
    if (!file.path.starts_with('/')) condition.complain("path", "expected an absolute path");
    if (!condition.text("digest").empty()) file.digest = read_digest(condition, "digest");
  });
  return conditions;
}

}  // namespace fabric::plans

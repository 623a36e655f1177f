// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/udev_rules.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/shell/pattern.hpp"

namespace fabric::lab {
namespace {

// Later rules of the distribution take a name that is set as it is.
constexpr std::string_view kNetSetupLink = "80-net-setup-link.rules";
constexpr std::string_view kAttribute = "ATTR{";

// KEY{attribute}operator"value"
struct Token {
  std::string_view key, operation, value;
};

// False where udev would log a syntax error and drop the line.
bool next_token(std::string_view& rest, Token& token) {
  rest = trim(rest);
  while (rest.starts_with(','))
    rest = trim(rest.substr(1));
  const std::size_t quote = rest.find('"');
  if (quote == std::string_view::npos) return false;
  const std::size_t end = rest.find('"', quote + 1);
  if (end == std::string_view::npos) return false;
  const std::string_view left = trim(rest.substr(0, quote));
  const std::size_t operation = left.find_first_of("=!+-:");
  if (operation == std::string_view::npos) return false;
  token = {
      trim(left.substr(0, operation)),
      left.substr(operation),
      rest.substr(quote + 1, end - quote - 1)};
  rest = trim(rest.substr(end + 1));
  return true;
}

// The keys of a device that just appeared; a missing key matches nothing.
using Answers = std::map<std::string, std::string, std::less<>>;

Answers answers_of(const LinuxHost& machine, const Interface& interface) {
  Answers answers{
      {"ACTION", "add"},
      {"SUBSYSTEM", "net"},
      {"KERNEL", interface.name},
      {"ATTR{address}", interface.mac},
      {"ATTR{type}",
       interface.loopback     ? "772"
       : interface.infiniband ? "32"
                              : "1"},
      {"ATTR{dev_port}", "0"}};
  if (!interface.card || interface.is_virtual()) return answers;
  const Card& card = machine.state.cards[*interface.card];
  answers["KERNELS"] = card.function_of(interface.port);
  answers["DRIVERS"] = card.hardware.driver;
  if (card.mlx4()) answers["ATTR{dev_port}"] = std::to_string(interface.port - 1);
  return answers;
}

void judge_line(std::string_view line, const Answers& answers, bool names, UdevVerdict& verdict) {
  UdevVerdict said;
  bool tagged = false;
  Token token;
  while (!line.empty()) {
    if (!next_token(line, token)) return;
    if (token.operation == "==" || token.operation == "!=") {
      const auto answer = answers.find(token.key);
      const bool equal =
          answer != answers.end() && shell::matches(std::string{token.value}, answer->second);
      if (equal != (token.operation == "==")) return;
    } else if (token.key == "NAME") {
      said.name = token.value;
    } else if (token.key == "TAG") {
      tagged = tagged || token.value == "systemd";
    } else if (token.key == "ENV{SYSTEMD_WANTS}") {
      for (const std::string_view unit : split_words(token.value))
        said.wants.emplace_back(unit);
    } else if (token.key == "RUN") {
      said.runs.emplace_back(token.value);
    } else if (token.key.starts_with(kAttribute) && token.key.ends_with('}')) {
      const std::string_view path = token.key.substr(kAttribute.size());
      said.attributes[std::string{path.substr(0, path.size() - 1)}] = token.value;
    }
  }
  if (names && !said.name.empty()) verdict.name = said.name;
  for (const auto& [path, value] : said.attributes)
    verdict.attributes[path] = value;
  verdict.runs.insert(verdict.runs.end(), said.runs.begin(), said.runs.end());
  if (tagged) verdict.wants.insert(verdict.wants.end(), said.wants.begin(), said.wants.end());
}

UdevVerdict judge(const LinuxHost& machine, const Answers& answers) {
  constexpr std::string_view kFolder = "/etc/udev/rules.d";
  UdevVerdict verdict;
  for (const std::string& file : machine.state.files.list(kFolder)) {
    if (!file.ends_with(".rules")) continue;
    std::string content;
    const std::string path = fmt::format("{}/{}", kFolder, file);
    if (machine.state.files.read(path, "root", content) != FileError::none) continue;
    for (const std::string_view raw : split_lines(content)) {
      const std::string_view line = trim(raw);
      if (line.empty() || line.front() == '#') continue;
      judge_line(line, answers, file < kNetSetupLink, verdict);
    }
  }
  return verdict;
}

}  // namespace

UdevVerdict judge_by_rules(const LinuxHost& machine, const Interface& interface) {
  return judge(machine, answers_of(machine, interface));
}

std::vector<std::string> units_wanted_by(
    const LinuxHost& machine, std::string_view subsystem, std::string_view device) {
  std::vector<std::string> wants = judge(
                                       machine,
                                       {{"ACTION", "add"},
                                        {"SUBSYSTEM", std::string{subsystem}},
                                        {"KERNEL", std::string{device}}})
                                       .wants;
  std::sort(wants.begin(), wants.end());
  wants.erase(std::unique(wants.begin(), wants.end()), wants.end());
  return wants;
}

void write_attributes(
    LinuxHost& machine, const std::string& interface, const UdevVerdict& verdict) {
  for (const auto& [path, value] : verdict.attributes) {
    InodeNumber file = 0;
    const FileError error = machine.state.files.open_for_write(
        "/sys/class/net/" + interface + "/" + path, "root", 0644, FileTree::Open::truncate, file);
    if (error == FileError::none) std::ignore = machine.state.files.append(file, value);
  }
}

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/subnet_records.hpp"

#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

std::optional<std::vector<SubnetRecord>> read_subnet_records(
    std::string_view text, std::string_view heading) {
  std::vector<SubnetRecord> records;
  for (const std::string_view raw : split_lines(text)) {
    const std::string_view line = trim(raw);
    if (line.starts_with(heading)) {
      records.emplace_back();
      continue;
    }
    const std::size_t dots = line.find("..");
    if (records.empty() || dots == std::string_view::npos) continue;
    const std::size_t value = line.find_first_not_of('.', dots);
    records.back().emplace_back(
        line.substr(0, dots), value == std::string_view::npos ? "" : trim(line.substr(value)));
  }
  if (records.empty()) return std::nullopt;
  return records;
}

namespace {

constexpr std::string_view kRecord = "SMInfoRecord dump";

// "GUID..................0x0000000000100001", "Priority..............10"
std::optional<ManagerRecord> manager(const SubnetRecord& record) {
  constexpr std::uint64_t kMaster = 3;
  std::optional<Guid> guid;
  std::uint64_t priority = 0, state = 0;
  for (const auto& [key, value] : record) {
    if (key == "GUID") {
      if (const Result<Guid> parsed = Guid::parse(value)) guid = *parsed;
    }
    if (key == "Priority") priority = parse_unsigned(value, 10).value_or(0);
    if (key == "SMState") state = parse_unsigned(value, 10).value_or(0);
  }
  if (!guid) return std::nullopt;
  return ManagerRecord{*guid, priority, state == kMaster};
}

}  // namespace

std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text) {
  const auto records = read_subnet_records(text, kRecord);
  if (!records) return std::nullopt;
  std::vector<ManagerRecord> managers;
  for (const SubnetRecord& record : *records) {
    if (const auto found = manager(record)) managers.push_back(*found);
  }
  return managers;
}

namespace {

// Eight rails of a large fabric, one after the other.
constexpr Duration kSubnetTimeout{600'000};
constexpr std::string_view kHeading = "fabric-wire";
constexpr std::string_view kMark = "== ";

// The messages on standard error for each "look mlx5_0 1".
std::map<std::string, std::string> errors_by_port(std::string_view text) {
  std::map<std::string, std::string> errors;
  std::string* current = nullptr;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with(kMark)) {
      current = &errors[std::string{line.substr(kMark.size())}];
    } else if (current != nullptr) {
      *current += std::string{line} + '\n';
    }
  }
  return errors;
}

std::string why_failed(std::string_view exit_status, const std::string& errors) {
  constexpr std::string_view kTimedOut = "124";
  if (exit_status == "0") return {};
  if (exit_status == kTimedOut) return "ibnetdiscover did not end within 120 s";
  const std::string said = last_line(errors);
  return fmt::format("ibnetdiscover failed{}{}", said.empty() ? "" : ": ", said);
}

}  // namespace

remote::Command subnet_looks_command() {
  return {{"sh"}, std::string{sh::subnet_looks.text}, kSubnetTimeout};
}

SubnetLooks parse_subnet_looks(const NodeName& node, const remote::CommandOutput& output) {
  SubnetLooks answer;
  const std::string& text = output.standard_output;
  if (!text.starts_with(kHeading)) {
    answer.looks.push_back({node.str(), {}, {}, "unexpected output"});
    return answer;
  }
  const std::map<std::string, std::string> errors = errors_by_port(output.standard_error);
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = line.starts_with(kMark)
                                                    ? split_words(line.substr(kMark.size()))
                                                    : std::vector<std::string_view>{};
    if (words.size() < 3) {
      if (!answer.looks.empty()) answer.looks.back().text += std::string{line} + '\n';
      continue;
    }
    const std::string from = fmt::format("{} ({}/{})", node.str(), words[1], words[2]);
    if (words[0] == "look") {
      const auto said = errors.find(fmt::format("look {} {}", words[1], words[2]));
      SubnetLook& look = answer.looks.emplace_back();
      look.from = from;
      if (said != errors.end()) look.errors = said->second;
      look.why_not = why_failed(words.back(), look.errors);
    } else if (words[0] == "missing") {
      answer.looks.push_back({from, {}, {}, "ibnetdiscover is not installed (infiniband-diags)"});
    } else if (words[0] == "virtual") {
      answer.looks.push_back(
          {from, {}, {}, "it is a virtual function, which may not ask the subnet"});
    } else if (words[0] == "dark") {
      answer.looks.push_back({from, {}, {}, "the port has no link"});
      const auto bits = words.size() > 3 ? parse_unsigned(words[3], 16) : std::nullopt;
      if (bits) answer.dark.emplace_back(*bits);
    }
  }
  if (answer.looks.empty())
    answer.looks.push_back({node.str(), {}, {}, "the node has no InfiniBand port"});
  return answer;
}

}  // namespace fabric::platform

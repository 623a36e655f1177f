// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_state.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/provider/file_digests.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kStateProbe = "opensm";
constexpr const char* kFilesProbe = "opensm-files";

struct Answers {
  std::string master, own;
};

std::optional<SmInfo> info_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  Result<SmInfo> info = parse_sminfo(text);
  return info ? std::optional{*std::move(info)} : std::nullopt;
}

class ManagerStateReader {
 public:
  explicit ManagerStateReader(ManagerState& state) : state_{state} {}

  void line(std::string_view line) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 2) return;
    if (words[0] == "tool") {
      state_.has_opensm = state_.has_opensm || words[1] == "opensm";
      state_.has_sminfo = state_.has_sminfo || words[1] == "sminfo";
    } else if (words[0] == "option") {
      const auto behind = static_cast<std::size_t>(words[1].end() - line.begin());
      state_.options.insert_or_assign(
          std::string{words[1]}, std::string{trim(line.substr(behind))});
    } else if (words[0] == "process") {
      state_.processes.push_back({"", {words.begin() + 1, words.end()}});
    } else if (words[0] == "process-of" && words.size() >= 3) {
      state_.processes.push_back(
          {words[1] == "-" ? "" : std::string{words[1]}, {words.begin() + 2, words.end()}});
    } else if (words[0] == "unit" && words.size() >= 4) {
      state_.units.insert_or_assign(
          std::string{words[1]}, std::pair{std::string{words[2]}, std::string{words[3]}});
    } else if (words[0] == "log") {
      // OpenSM's text begins after the name and one blank.
      const auto behind = static_cast<std::size_t>(words[1].end() - line.begin());
      logs_[std::string{words[1]}] +=
          std::string{line.substr(std::min(behind + 1, line.size()))} + "\n";
    } else if (words.size() >= 3) {
      port_line(words, line);
    }
  }

  void finish() {
    if (state_.options.contains("sm_priority"))
      state_.knows_virtualization = state_.options.contains("virt_enabled");
    if (!state_.options.contains("guid")) state_.options.clear();
    for (InfinibandPort& port : state_.ports) {
      const Answers& answers = answers_[{port.device, port.number}];
      port.master = info_of(answers.master);
      port.own = info_of(answers.own);
    }
    for (const auto& [manager, text] : logs_) {
      const Result<OpensmLog> log = parse_opensm_log(text);
      if (log && log->routing) state_.routing.emplace(manager, *log->routing);
      if (log && log->state) state_.entered.emplace(manager, *log->state);
    }
  }

 private:
  using Key = std::pair<std::string, std::uint32_t>;

  // "fe80:0000:0000:0000:0c42:a103:008c:51a8" begins with the prefix.
  static void read_subnet(const std::vector<std::string_view>& words, InfinibandPort& port) {
    if (parse_unsigned(words[3], 10)) port.lmc = words[3];
    std::string gid{words[4]};
    std::erase(gid, ':');
    constexpr std::size_t kHalf = 16;
    const auto prefix = parse_unsigned(gid.substr(0, kHalf), 16);
    if (gid.size() == 2 * kHalf && prefix && *prefix != 0)
      port.prefix = "0x" + gid.substr(0, kHalf);
  }

  void port_line(const std::vector<std::string_view>& words, std::string_view line) {
    const auto number = parse_unsigned(words[2], 10);
    if (!number || *number == 0 || *number > 255) return;
    const Key key{std::string{words[1]}, static_cast<std::uint32_t>(*number)};
    if (words[0] == "subnet" && words.size() >= 5) {
      for (InfinibandPort& port : state_.ports) {
        if (port.device == key.first && port.number == key.second) read_subnet(words, port);
      }
      return;
    }
    if (words[0] == "port") {
      state_.ports.push_back(
          {key.first,
           key.second,
           words.size() > 3 ? std::string{words[3]} : std::string{},
           std::nullopt,
           std::nullopt});
      return;
    }
    // The tool's output begins after the number and one blank.
    const auto behind = static_cast<std::size_t>(words[2].end() - line.begin());
    const std::string_view said = line.substr(std::min(behind + 1, line.size()));
    if (words[0] == "master") answers_[key].master += std::string{said} + "\n";
    if (words[0] == "own") answers_[key].own += std::string{said} + "\n";
  }

  ManagerState& state_;
  std::map<Key, Answers> answers_;
  std::map<std::string, std::string> logs_;  // by the name of the manager
};

void read_files(const std::string& output, ManagerState& state) {
  state.files = file_texts(output);
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 2 && words[0] == "missing") state.missing.emplace(words[1]);
  }
}

}  // namespace

const InfinibandPort* ManagerState::find_port(
    const std::string& device, std::uint32_t number) const {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const InfinibandPort& port) {
    return port.device == device && port.number == number;
  });
  return found == ports.end() ? nullptr : &*found;
}

bool ManagerState::is_running(const std::string& unit) const {
  const auto found = units.find(unit);
  return found != units.end() &&
         found->second == std::pair<std::string, std::string>{"active", "running"};
}

std::vector<std::string> ManagerState::foreign_units() const {
  std::vector<std::string> running;
  for (const auto& [unit, state] : units) {
    if (unit.starts_with("opensm") && state.first == "active") running.push_back(unit);
  }
  return running;
}

Probe manager_state_probe() {
  return {kStateProbe, std::string{sh::probe_opensm.text}};
}

Probe manager_files_probe() {
  return {kFilesProbe, std::string{sh::probe_opensm_files.text}};
}

Probe manager_digests_probe() {
  return {std::string{kFileDigestsProbe} + "-opensm", std::string{sh::probe_opensm_digests.text}};
}

ManagerState manager_state(const NodeFacts& facts) {
  ManagerState state;
  if (const std::string* files = facts.output(kFilesProbe)) read_files(*files, state);
  const std::string* text = facts.output(kStateProbe);
  if (text == nullptr) return state;
  state.known = true;
  ManagerStateReader reader{state};
  for (const std::string_view line : split_lines(*text))
    reader.line(line);
  reader.finish();
  return state;
}

}  // namespace fabric::providers

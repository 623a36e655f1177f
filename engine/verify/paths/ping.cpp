#include "engine/verify/paths/ping.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::verify {

namespace {

// Headers that stand between the IP MTU and ping's payload.
constexpr std::uint32_t kIpv4AndIcmpBytes = 20 + 8;
constexpr std::uint32_t kIpv6AndIcmpBytes = 40 + 8;
constexpr int kAnswerSeconds = 1;
// Per ping: its own wait, and as much again for a slow node.
constexpr Duration kPerPing{2'000};
constexpr Duration kStart{10'000};

remote::Argv ping_argv(const Path& path) {
  const bool ipv6 = path.to_address.find(':') != std::string::npos;
  remote::Argv argv{"ping"};
  if (ipv6) argv.emplace_back("-6");
  argv.insert(
      argv.end(),
      {"-n", "-c", "1", "-W", std::to_string(kAnswerSeconds), "-I", path.from_interface});
  return argv;
}

std::string small_ping(const Path& path) {
  remote::Argv argv = ping_argv(path);
  argv.push_back(path.to_address);
  return remote::command_line(argv);
}

std::string full_ping(const Path& path) {
  remote::Argv argv = ping_argv(path);
  const bool ipv6 = path.to_address.find(':') != std::string::npos;
  const std::uint32_t headers = ipv6 ? kIpv6AndIcmpBytes : kIpv4AndIcmpBytes;
  argv.insert(argv.end(), {"-M", "do", "-s", std::to_string(path.mtu - headers), path.to_address});
  return remote::command_line(argv);
}

struct PingOutput {
  std::vector<std::string_view> lines;
  std::optional<std::int64_t> exit_status;
};

bool contains(const PingOutput& output, std::string_view needle) {
  return std::any_of(output.lines.begin(), output.lines.end(), [&](std::string_view line) {
    return to_lower(line).find(needle) != std::string::npos;
  });
}

// What is worth repeating: the last line that is neither empty nor ping's ordinary chatter.
std::string complaint(const PingOutput& output) {
  for (auto line = output.lines.rbegin(); line != output.lines.rend(); ++line) {
    const std::string lower = to_lower(trim(*line));
    const bool chatter = lower.empty() || lower.starts_with("ping ") || lower.starts_with("---") ||
                         lower.find("packets transmitted") != std::string::npos ||
                         lower.starts_with("rtt ") || lower.starts_with("round-trip");
    if (!chatter) return std::string{trim(*line)};
  }
  return {};
}

struct Judgement {
  Passage passage = Passage::untested;
  std::string detail;
};

Judgement judge_ping(const PingOutput& output) {
  if (!output.exit_status) return {Passage::untested, "the answer of the node was cut short"};
  if (*output.exit_status == 0) return {Passage::passed, {}};
  constexpr int kNotFound = 127;
  if (*output.exit_status == kNotFound) return {Passage::untested, "ping is not installed"};
  // BusyBox knows no -M; iputils says "invalid option" for what it lacks.
  if (contains(output, "invalid option") || contains(output, "unrecognized option")) {
    return {
        Passage::untested,
        "this ping has no -M (BusyBox), so whether the full MTU passes is unknown"};
  }
  if (contains(output, "operation not permitted") || contains(output, "permission denied")) {
    return {Passage::untested, complaint(output)};
  }
  return {Passage::lost, complaint(output)};
}

// "fabric-ping 3 small" begins the output of a ping, "fabric-exit 1" ends it.
std::map<std::string, PingOutput, std::less<>> take_apart(std::string_view text) {
  constexpr std::string_view kBegin = "fabric-ping ";
  constexpr std::string_view kEnd = "fabric-exit ";
  std::map<std::string, PingOutput, std::less<>> pings;
  PingOutput* current = nullptr;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with(kBegin)) {
      current = &pings[std::string{line.substr(kBegin.size())}];
    } else if (current != nullptr && line.starts_with(kEnd)) {
      current->exit_status = parse_integer(trim(line.substr(kEnd.size())));
      current = nullptr;
    } else if (current != nullptr) {
      current->lines.push_back(line);
    }
  }
  return pings;
}

}  // namespace

remote::Command ping_command(const std::vector<Path>& from_one_node) {
  std::string script = "LC_ALL=C\nexport LC_ALL\nPATH=$PATH:/usr/sbin:/sbin\n";
  for (std::size_t i = 0; i < from_one_node.size(); ++i) {
    const Path& path = from_one_node[i];
    script += fmt::format("echo 'fabric-ping {} small'\n", i);
    script += fmt::format("{} 2>&1\nstatus=$?\necho \"fabric-exit $status\"\n", small_ping(path));
    if (path.mtu == 0) continue;
    script += "if [ $status -eq 0 ]; then\n";
    script += fmt::format("  echo 'fabric-ping {} full'\n", i);
    script += fmt::format("  {} 2>&1\n  echo \"fabric-exit $?\"\nfi\n", full_ping(path));
  }
  script += "exit 0\n";
  const auto pings = static_cast<Duration::rep>(2 * from_one_node.size());
  return {{"sh", "-s"}, script, kStart + kPerPing * pings};
}

std::vector<PathReport> parse_pings(
    const std::vector<Path>& from_one_node, const remote::CommandOutput& output) {
  const auto pings = take_apart(output.standard_output);
  std::vector<PathReport> reports;
  for (std::size_t i = 0; i < from_one_node.size(); ++i) {
    PathReport report{from_one_node[i], Passage::untested, Passage::untested, {}};
    const auto small = pings.find(fmt::format("{} small", i));
    if (small == pings.end()) {
      report.detail = "the node did not answer the ping script";
    } else {
      const Judgement judgement = judge_ping(small->second);
      report.small = judgement.passage;
      report.detail = judgement.detail;
    }
    if (report.small == Passage::passed && report.path.mtu != 0) {
      const auto full = pings.find(fmt::format("{} full", i));
      const Judgement judgement = judge_ping(full == pings.end() ? PingOutput{} : full->second);
      report.full = judgement.passage;
      report.detail = judgement.detail;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace fabric::verify

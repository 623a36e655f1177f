// What perftest and iperf3 print, taken apart.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "engine/verify/evidence/decimal.hpp"
#include "engine/verify/flows/flow_command.hpp"

namespace fabric::verify {

namespace {

constexpr std::int64_t kTimedOut = 124;  // timeout(1)
constexpr double kBitsPerGigabit = 1e9;
constexpr double kGigabitsPerMebibyte = 8 * 1.048576e-3;

struct ToolOutput {
  bool begun = false;
  std::optional<std::int64_t> exit_status;
  std::string text;
};

ToolOutput take_apart(std::string_view text) {
  constexpr std::string_view kEnd = "fabric-exit ";
  ToolOutput output;
  for (const std::string_view line : split_lines(text)) {
    if (line == "fabric-flow") {
      output.begun = true;
    } else if (line.starts_with(kEnd)) {
      output.exit_status = parse_integer(trim(line.substr(kEnd.size())));
    } else if (output.begun) {
      output.text += std::string{line} + '\n';
    }
  }
  return output;
}

// Header names have single blanks within and runs of them between.
std::vector<std::string> header_fields(std::string_view line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    std::size_t end = begin;
    while (end < line.size() && line[end] != '\t' &&
           !(line[end] == ' ' && (end + 1 == line.size() || line[end + 1] == ' ')))
      ++end;
    fields.emplace_back(line.substr(begin, end - begin));
    at = end;
  }
  return fields;
}

// The average of the first line of results under its header: "#bytes  #iterations  BW peak[Gb/sec]
// BW average[Gb/sec]  MsgRate[Mpps]".
std::optional<double> rdma_gbps(std::string_view text) {
  std::optional<std::size_t> column;
  double factor = 1;
  for (const std::string_view line : split_lines(text)) {
    if (trim(line).starts_with("#bytes")) {
      const std::vector<std::string> fields = header_fields(line);
      const auto average = std::find_if(fields.begin(), fields.end(), [](const std::string& field) {
        return field.starts_with("BW average[");
      });
      if (average == fields.end()) return std::nullopt;
      column = static_cast<std::size_t>(average - fields.begin());
      factor = average->find("[MB/sec]") == std::string::npos ? 1 : kGigabitsPerMebibyte;
      continue;
    }
    if (!column) continue;
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() <= *column || !parse_unsigned(words.front(), 10)) continue;
    const std::optional<double> rate = parse_decimal(words[*column]);
    return rate ? std::optional{*rate * factor} : std::nullopt;
  }
  return std::nullopt;
}

// What tells most: the last line that says that something did not work, else the last one.
std::string complaint(std::string_view text) {
  constexpr std::string_view kTelling[] = {
      "unable", "couldn't", "failed", "error", "cannot", "can't", "mismatch"};
  std::string last;
  std::string telling;
  for (const std::string_view raw : split_lines(text)) {
    const std::string line{trim(raw)};
    if (line.empty() || line.find_first_not_of("-= ") == std::string::npos) continue;
    last = line;
    const std::string lower = to_lower(line);
    if (std::any_of(std::begin(kTelling), std::end(kTelling), [&](std::string_view word) {
          return lower.find(word) != std::string::npos;
        })) {
      telling = line;
    }
  }
  return telling.empty() ? last : telling;
}

double number_of(const Value* value) {
  if (value == nullptr) return 0;
  if (const auto* real = std::get_if<double>(&value->storage())) return *real;
  const std::int64_t* whole = value->as_integer();
  return whole == nullptr ? 0 : static_cast<double>(*whole);
}

void read_iperf3(FlowReport& report, const ToolOutput& output) {
  const std::size_t brace = output.text.find('{');
  if (brace == std::string::npos) {
    report.detail = complaint(output.text);
    return;
  }
  // iperf3 3.12 (Debian 12) writes "sock_bufsize" twice.
  const Result<Value> parsed =
      parse_json(std::string_view{output.text}.substr(brace), DuplicateKeys::last_wins);
  if (!parsed) {
    report.detail = "its answer is unreadable: " + parsed.error().message;
    return;
  }
  report.detail = parsed->string_or_empty("error");
  const Value* end = parsed->find("end");
  const Value* received = end == nullptr ? nullptr : end->find("sum_received");
  const double bits = received == nullptr ? 0 : number_of(received->find("bits_per_second"));
  if (!report.detail.empty() || !std::isfinite(bits) || bits <= 0) return;
  report.gbps = bits / kBitsPerGigabit;
  report.state = FlowState::measured;
}

void read_rdma(FlowReport& report, const ToolOutput& output) {
  const std::optional<double> rate = rdma_gbps(output.text);
  if (output.exit_status == 0 && rate && *rate > 0) {
    report.state = FlowState::measured;
    report.gbps = *rate;
    return;
  }
  report.detail = complaint(output.text);
}

}  // namespace

bool came_too_early(const remote::CommandOutput& client) {
  const std::string text = to_lower(client.standard_output);
  return text.find("connection refused") != std::string::npos ||
         text.find("couldn't connect to") != std::string::npos;
}

FlowReport parse_flow(
    const Flow& flow, const remote::CommandOutput& server, const remote::CommandOutput& client) {
  FlowReport report{flow, FlowState::failed, 0, {}};
  const ToolOutput output = take_apart(client.standard_output);
  if (!output.begun || !output.exit_status) {
    report.state = FlowState::untested;
    report.detail = fmt::format("the answer of {} was cut short", flow.client.port.node.str());
    return report;
  }
  if (flow.tool == FlowTool::iperf3) {
    read_iperf3(report, output);
  } else {
    read_rdma(report, output);
  }
  if (report.state == FlowState::measured) return report;
  if (*output.exit_status == kTimedOut && report.detail.empty())
    report.detail = "no end within its time";
  // The client only knows that nobody answers; why stands at the server.
  const ToolOutput other = take_apart(server.standard_output);
  if (came_too_early(client) && other.exit_status && *other.exit_status != 0 &&
      *other.exit_status != kTimedOut) {
    report.detail = fmt::format("{} (on {})", complaint(other.text), flow.server.port.node.str());
  }
  if (report.detail.empty()) report.detail = fmt::format("exit status {}", *output.exit_status);
  return report;
}

}  // namespace fabric::verify

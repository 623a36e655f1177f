// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/flows.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

// Large enough that the message rate is no limit, and what perftest takes by default.
constexpr const char* kMessageBytes = "65536";
constexpr const char* kMessages = "1000";
// One stream rarely fills 40G (E-tcp-streams).
constexpr const char* kStreams = "8";
constexpr std::int64_t kClientSlack = 15;
constexpr std::int64_t kServerSlack = 25;
// From the deadline on the node to that of the connection.
constexpr std::int64_t kReplySlack = 10;

std::int64_t seconds(Duration duration) {
  return duration.count() / 1000;
}

remote::Argv rdma_argv(const FlowEnd& end, const FlowOrder& order) {
  remote::Argv argv{"ib_send_bw", "-d", end.rdma_device, "-i", std::to_string(end.rdma_port)};
  if (end.gid_index) argv.insert(argv.end(), {"-x", std::to_string(*end.gid_index)});
  argv.insert(
      argv.end(),
      {"-s", kMessageBytes, "-F", "--report_gbits", "-p", std::to_string(order.tcp_port)});
  if (order.duration.count() > 0) {
    argv.insert(argv.end(), {"-D", std::to_string(seconds(order.duration))});
  } else {
    argv.insert(argv.end(), {"-n", kMessages});
  }
  return argv;
}

remote::Argv tcp_argv(const FlowEnd& end, const FlowOrder& order) {
  return {"iperf3", "-p", std::to_string(order.tcp_port), "-B", end.address};
}

// `interface`: that iperf3 sends from.
remote::Command command_of(
    const remote::Argv& argv, std::int64_t limit, const std::string& interface = {}) {
  remote::Argv limited{"sh", "-s", interface, "timeout", "-k", "2", std::to_string(limit)};
  limited.insert(limited.end(), argv.begin(), argv.end());
  return {
      std::move(limited), std::string{sh::measure.text}, Duration{(limit + kReplySlack) * 1000}};
}

}  // namespace

// Debian and RHEL call both packages the same (E-linux-packages).
MeasuringTool measuring_tool(Traffic traffic) {
  if (traffic == Traffic::tcp) return {"iperf3", "iperf3"};
  return {"ib_send_bw", "perftest"};
}

remote::Command server_command(const FlowOrder& order) {
  const std::int64_t limit = seconds(order.duration) + kServerSlack;
  if (order.traffic == Traffic::rdma) return command_of(rdma_argv(order.server, order), limit);
  remote::Argv argv = tcp_argv(order.server, order);
  argv.insert(argv.end(), {"-s", "-1"});
  return command_of(argv, limit);
}

remote::Command client_command(const FlowOrder& order) {
  const std::int64_t limit = seconds(order.duration) + kClientSlack;
  if (order.traffic == Traffic::rdma) {
    remote::Argv argv = rdma_argv(order.client, order);
    argv.push_back(order.server.address);
    return command_of(argv, limit);
  }
  remote::Argv argv = tcp_argv(order.client, order);
  argv.insert(
      argv.end(),
      {"-c",
       order.server.address,
       "-J",
       "-P",
       kStreams,
       "-t",
       std::to_string(std::max<std::int64_t>(1, seconds(order.duration)))});
  return command_of(argv, limit, order.client.interface);
}

// Parses the output of perftest and iperf3.

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

// Names in the header have single blanks in them and runs of blanks between them.
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
      const auto average = std::ranges::find_if(
          fields, [](const std::string& field) { return field.starts_with("BW average["); });
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

// The last line that reports a failure, or else the last line.
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

void read_iperf3(FlowAnswer& answer, const ToolOutput& output) {
  const std::size_t brace = output.text.find('{');
  if (brace == std::string::npos) {
    answer.complaint = complaint(output.text);
    return;
  }
  // iperf3 3.12 (Debian 12) writes "sock_bufsize" twice.
  const Result<Value> parsed =
      parse_json(std::string_view{output.text}.substr(brace), DuplicateKeys::last_wins);
  if (!parsed) {
    answer.complaint = "the answer of iperf3 is unreadable: " + parsed.error().message;
    return;
  }
  answer.complaint = parsed->string_or_empty("error");
  const Value* end = parsed->find("end");
  const Value* received = end == nullptr ? nullptr : end->find("sum_received");
  const double bits = received == nullptr ? 0 : number_of(received->find("bits_per_second"));
  if (!answer.complaint.empty() || !std::isfinite(bits) || bits <= 0) return;
  answer.gbps = bits / kBitsPerGigabit;
  answer.state = FlowAnswer::State::measured;
}

void read_rdma(FlowAnswer& answer, const ToolOutput& output) {
  const std::optional<double> rate = rdma_gbps(output.text);
  if (output.exit_status == 0 && rate && *rate > 0) {
    answer.state = FlowAnswer::State::measured;
    answer.gbps = *rate;
    return;
  }
  answer.complaint = complaint(output.text);
}

// Reads incomplete output, too: a client that came too early reports that before it ends.
bool came_too_early(std::string_view client) {
  const std::string text = to_lower(client);
  return text.find("connection refused") != std::string::npos ||
         text.find("couldn't connect to") != std::string::npos;
}

}  // namespace

FlowAnswer parse_client(Traffic traffic, const remote::CommandOutput& client) {
  FlowAnswer answer;
  answer.nobody_listened = came_too_early(client.standard_output);
  const ToolOutput output = take_apart(client.standard_output);
  if (!output.begun || !output.exit_status) return answer;
  answer.state = FlowAnswer::State::failed;
  answer.exit_status = *output.exit_status;
  answer.timed_out = *output.exit_status == kTimedOut;
  if (traffic == Traffic::tcp) {
    read_iperf3(answer, output);
  } else {
    read_rdma(answer, output);
  }
  return answer;
}

std::string parse_server(const remote::CommandOutput& server) {
  const ToolOutput output = take_apart(server.standard_output);
  const bool failed =
      output.exit_status && *output.exit_status != 0 && *output.exit_status != kTimedOut;
  return failed ? complaint(output.text) : std::string{};
}

}  // namespace fabric::platform

// The script that closes a port, and what its output says.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"
#include "engine/verify/failover/failover.hpp"

namespace fabric::verify {

namespace {

constexpr double kPingInterval = 0.2;
// Longer than any miimon that one sets, shorter than what a storage path forgives.
constexpr double kForgiven = 2.0;
constexpr Duration kTakes{90'000};

// $1 bond, $2 the port to close, $3 the others with blanks between, then the targets.
constexpr const char* kScript = R"sh(LC_ALL=C
export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
bond=$1 closed=$2 others=$3
shift 3
carries() { [ "$(cat "/sys/class/net/$1/bonding_slave/mii_status" 2>/dev/null)" = up ]; }
sent() {
  for i in $closed $others; do
    echo "fabric-sent $1 $i $(cat "/sys/class/net/$i/statistics/tx_packets")"
  done
}
# Datagrams to many ports are many flows to a hash of layers 3 and 4; nobody has to listen.
many_flows() {
  command -v bash >/dev/null 2>&1 || return 0
  for t in "$@"; do
    bash -c 'for p in {20000..20063}; do echo fabric >"/dev/udp/$1/$p"; done' bash "$t" 2>/dev/null
  done
}
for i in $closed $others; do
  carries "$i" || { echo "fabric-untested $i is not up in $bond"; exit 0; }
done
nohup sh -c 'sleep 60; ip link set dev "$1" up' fabric "$closed" >/dev/null 2>&1 </dev/null &
guard=$!
pings=
for t in "$@"; do
  ping -n -i 0.2 -c 60 -W 2 "$t" 2>&1 | sed "s/^/fabric-ping $t /" &
  pings="$pings $!"
done
sent start
many_flows "$@"
sleep 3
sent open
if ip link set dev "$closed" down; then
  sleep 4
  sent closed
else
  echo "fabric-untested the kernel refused to close $closed"
fi
ip link set dev "$closed" up
tries=0
until carries "$closed"; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || { echo "fabric-stays-down"; break; }
  sleep 0.5
done
kill $guard 2>/dev/null
wait $pings
echo fabric-end
exit 0
)sh";

struct Replies {
  std::set<std::uint32_t> sequence;
  std::uint32_t sent = 0;
};

// What the script printed.
struct Output {
  std::map<std::string, Replies, std::less<>> pings;
  std::map<std::string, std::map<std::string, std::uint64_t>, std::less<>> sent;
  std::string untested;
  bool stays_down = false;
  bool complete = false;
};

std::uint32_t number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  const auto number = parse_unsigned(trim(text.substr(0, at)), 10);
  return number ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 1'000'000)) : 0;
}

// "64 bytes from 10.30.0.2: icmp_seq=5 ttl=64 time=0.4 ms", "60 packets transmitted, 58 received"
void read_ping(Replies& replies, std::string_view line) {
  constexpr std::string_view kSequence = "seq=";
  const std::size_t at = line.find(kSequence);
  if (at != std::string_view::npos && line.find("bytes from") != std::string_view::npos) {
    const std::vector<std::string_view> words = split_words(line.substr(at + kSequence.size()));
    const auto number = words.empty() ? std::nullopt : parse_unsigned(words.front(), 10);
    if (number && *number < 1'000'000) replies.sequence.insert(static_cast<std::uint32_t>(*number));
  }
  replies.sent = std::max(replies.sent, number_before(line, " packets transmitted"));
}

void read_line(Output& output, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) return;
  if (words[0] == "fabric-ping" && words.size() > 2) {
    const std::size_t rest = line.find(words[1]) + words[1].size();
    read_ping(output.pings[std::string{words[1]}], line.substr(rest));
  } else if (words[0] == "fabric-sent" && words.size() == 4) {
    output.sent[std::string{words[1]}][std::string{words[2]}] =
        parse_unsigned(words[3], 10).value_or(0);
  } else if (words[0] == "fabric-untested") {
    output.untested = trim(line.substr(words[0].size()));
  } else if (words[0] == "fabric-stays-down") {
    output.stays_down = true;
  } else if (words[0] == "fabric-end") {
    output.complete = true;
  }
}

// Seconds without a reply, from the last before to the first after; the ends count too.
double longest_gap(const Replies& replies) {
  std::uint32_t longest = 0;
  std::uint32_t last = 0;
  for (const std::uint32_t number : replies.sequence) {
    longest = std::max(longest, number - last - 1);
    last = number;
  }
  if (replies.sent > last) longest = std::max(longest, replies.sent - last);
  return longest * kPingInterval;
}

void judge_pings(FailoverReport& report, const Output& output) {
  for (const std::string& target : report.failover.targets) {
    const auto found = output.pings.find(target);
    const Replies replies = found == output.pings.end() ? Replies{} : found->second;
    const double gap = longest_gap(replies);
    const auto received = static_cast<std::uint32_t>(replies.sequence.size());
    const bool worse = report.sent == 0 || gap > report.longest_gap || received == 0;
    if (!worse) continue;
    report.sent = replies.sent;
    report.received = received;
    report.longest_gap = gap;
    if (received == 0) {
      report.state = FailoverState::failed;
      report.detail = fmt::format("no reply from {}, whether or not the port was closed", target);
    } else if (gap > kForgiven) {
      report.state = FailoverState::failed;
      report.detail = fmt::format(
          "while it was closed nothing came back from {} for {:.1f} s, {} of {} replies are "
          "missing",
          target,
          gap,
          replies.sent - std::min(replies.sent, received),
          replies.sent);
    }
  }
}

std::vector<std::string> silent_ones(const Output& output) {
  std::vector<std::string> silent;
  const auto start = output.sent.find("start");
  const auto open = output.sent.find("open");
  if (start == output.sent.end() || open == output.sent.end()) return silent;
  for (const auto& [interface, before] : start->second) {
    const auto after = open->second.find(interface);
    // A few LACPDUs are no flow.
    constexpr std::uint64_t kChatter = 5;
    if (after != open->second.end() && after->second < before + kChatter)
      silent.push_back(interface);
  }
  return silent;
}

}  // namespace

remote::Command failover_command(const Failover& failover) {
  remote::Argv argv{"sh", "-s", failover.bond, failover.interface, join(failover.others, " ")};
  argv.insert(argv.end(), failover.targets.begin(), failover.targets.end());
  return {std::move(argv), kScript, kTakes};
}

FailoverReport parse_failover(const Failover& failover, const remote::CommandOutput& output) {
  FailoverReport report{failover, FailoverState::untested, 0, 0, 0, {}, {}};
  Output said;
  for (const std::string_view line : split_lines(output.standard_output))
    read_line(said, line);
  if (!said.untested.empty()) {
    report.detail = said.untested;
    return report;
  }
  if (!said.complete) {
    report.detail = "the answer of the node was cut short";
    return report;
  }
  report.state = FailoverState::passed;
  judge_pings(report, said);
  report.silent = silent_ones(said);
  if (said.stays_down) {
    report.state = FailoverState::failed;
    report.detail = fmt::format("{} did not come up again within 30 s", failover.interface);
  }
  return report;
}

}  // namespace fabric::verify

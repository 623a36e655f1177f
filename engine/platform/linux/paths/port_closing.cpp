// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/linux/paths/port_closing.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::platform {

namespace {

constexpr double kPingInterval = 0.2;
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
# Cards of NVIDIA keep their link when the kernel closes the port, unless KEEP_ETH_LINK_UP is off:
# only the card itself takes the carrier away from the other end, and then only where that is off.
device=$(readlink -f "/sys/class/net/$closed/device" 2>/dev/null)
tool=
if [ "$(cat "$device/vendor" 2>/dev/null)" = 0x15b3 ]; then
  for t in mstlink mlxlink; do
    command -v $t >/dev/null 2>&1 && { tool=$t; break; }
  done
fi
number=1
[ "$(cat "/sys/class/net/$closed/dev_port" 2>/dev/null)" = 1 ] && number=2
by_card() { [ -n "$tool" ] && timeout 20 $tool -d "${device##*/}" -p $number -a "$1" >/dev/null 2>&1 </dev/null; }
nohup sh -c 'sleep 60; ip link set dev "$1" up; [ -z "$2" ] || $2 -d "$3" -p "$4" -a UP' \
  fabric "$closed" "$tool" "${device##*/}" $number >/dev/null 2>&1 </dev/null &
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
if by_card DN; then
  sleep 4
  sent closed
  by_card UP
elif ip link set dev "$closed" down; then
  [ "$(cat "$device/vendor" 2>/dev/null)" = 0x15b3 ] && echo fabric-keeps-link
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

std::uint32_t number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  const auto number = parse_unsigned(trim(text.substr(0, at)), 10);
  return number ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 1'000'000)) : 0;
}

// "64 bytes from 10.30.0.2: icmp_seq=5 ttl=64 time=0.4 ms", "60 packets transmitted, 58 received"
void read_ping(PingReplies& replies, std::string_view line) {
  constexpr std::string_view kSequence = "seq=";
  const std::size_t at = line.find(kSequence);
  if (at != std::string_view::npos && line.find("bytes from") != std::string_view::npos) {
    const std::vector<std::string_view> words = split_words(line.substr(at + kSequence.size()));
    const auto number = words.empty() ? std::nullopt : parse_unsigned(words.front(), 10);
    if (number && *number < 1'000'000) replies.sequence.insert(static_cast<std::uint32_t>(*number));
  }
  replies.sent = std::max(replies.sent, number_before(line, " packets transmitted"));
}

void read_line(PortClosingAnswer& output, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) return;
  if (words[0] == "fabric-ping" && words.size() > 2) {
    const std::size_t rest = line.find(words[1]) + words[1].size();
    read_ping(output.pings[std::string{words[1]}], line.substr(rest));
  } else if (words[0] == "fabric-sent" && words.size() == 4) {
    const std::uint64_t number = parse_unsigned(words[3], 10).value_or(0);
    if (words[1] == "start") output.sent_at_first[std::string{words[2]}] = number;
    if (words[1] == "open") output.sent_open[std::string{words[2]}] = number;
  } else if (words[0] == "fabric-untested") {
    output.untested = trim(line.substr(words[0].size()));
  } else if (words[0] == "fabric-keeps-link") {
    output.keeps_link = true;
  } else if (words[0] == "fabric-stays-down") {
    output.stays_down = true;
  } else if (words[0] == "fabric-end") {
    output.complete = true;
  }
}

}  // namespace

remote::Command port_closing_command(const PortClosing& closing) {
  remote::Argv argv{"sh", "-s", closing.bond, closing.interface, join(closing.others, " ")};
  argv.insert(argv.end(), closing.targets.begin(), closing.targets.end());
  return {std::move(argv), kScript, kTakes};
}

PortClosingAnswer parse_port_closing(const remote::CommandOutput& output) {
  PortClosingAnswer answer;
  answer.ping_interval = kPingInterval;
  for (const std::string_view line : split_lines(output.standard_output))
    read_line(answer, line);
  return answer;
}

}  // namespace fabric::platform

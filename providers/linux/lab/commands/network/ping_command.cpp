// SPDX-License-Identifier: Apache-2.0
// ping(8)
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/commands/options.hpp"

namespace fabric::lab::commands {
namespace {

struct PingTally {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t errors = 0;
  double milliseconds = 0;
};

Duration seconds_option(const Options& options, const std::string& name, Duration otherwise) {
  const std::string text = options.value(name);
  if (text.empty()) return otherwise;
  const std::size_t point = text.find('.');
  std::string fraction = point == std::string::npos ? "0" : text.substr(point + 1);
  fraction.resize(3, '0');
  return Duration{
      parse_integer(text.substr(0, point)).value_or(0) * 1000 +
      parse_integer(fraction).value_or(0)};
}

void ping_summary(
    Process& process, const std::string& target, const PingTally& tally, Duration took) {
  const std::int64_t lost = tally.sent == 0 ? 0 : (tally.sent - tally.received) * 100 / tally.sent;
  process.out(fmt::format(
      "\n--- {} ping statistics ---\n{} packets transmitted, {} received, {}{}% packet loss, time "
      "{}ms\n",
      target,
      tally.sent,
      tally.received,
      tally.errors > 0 ? fmt::format("+{} errors, ", tally.errors) : "",
      lost,
      took.count()));
  process.out(
      tally.received > 0
          ? fmt::format(
                "rtt min/avg/max/mdev = {0:.3f}/{0:.3f}/{0:.3f}/0.000 ms\n", tally.milliseconds)
          : "\n");
}

bool has_address(const LinuxHost& machine, const IpPrefix& address) {
  const auto& interfaces = machine.state.interfaces;
  return std::ranges::any_of(interfaces, [&](const Interface& interface) {
    return std::ranges::any_of(
        interface.addresses, [&](const IpPrefix& one) { return one.same_address(address); });
  });
}

std::optional<PingRequest> ping_request(Process& process, const Options& options) {
  PingRequest request;
  const std::string& target = options.operands.front();
  const std::optional<IpPrefix> address = IpPrefix::parse(target);
  if (!address || target.find('/') != std::string::npos) {
    process.fail(2, fmt::format("{}: Name or service not known", target));
    return std::nullopt;
  }
  request.target = *address;
  request.payload =
      static_cast<std::uint32_t>(parse_integer(options.value("s", "56")).value_or(56));
  request.do_not_fragment = options.value("M") == "do";
  if (!options.has("I")) return request;
  const std::string from = options.value("I");
  request.source = IpPrefix::parse(from);
  if (request.source) {
    if (has_address(process.machine(), *request.source)) return request;
    process.fail(2, "bind: Cannot assign requested address");
    return std::nullopt;
  }
  if (process.machine().find_interface(from) == nullptr) {
    process.fail(2, fmt::format("unknown iface: {}", from));
    return std::nullopt;
  }
  request.interface = from;
  return request;
}

// One run of ping: its options and its results so far.
class PingRun {
 public:
  PingRun(Process& process, const Options& options, PingRequest request)
      : process_{process},
        options_{options},
        request_{std::move(request)},
        target_{options.operands.front()},
        wait_{seconds_option(options, "W", Duration{10'000})},
        interval_{seconds_option(options, "i", Duration{1000})} {}

  int run() {
    const std::int64_t count = parse_integer(options_.value("c", "1000")).value_or(1);
    const Duration deadline = seconds_option(options_, "w", Duration{1'000'000});
    const Duration start = process_.session.elapsed;
    for (std::int64_t sequence = 1; sequence <= count && process_.session.step(); ++sequence) {
      const PingResult result = process_.session.network.ping(process_.machine(), request_);
      if (result.outcome == PingOutcome::no_route)
        return process_.fail(2, "connect: Network is unreachable");
      if (sequence == 1) title(result);
      ++tally_.sent;
      count_and_wait(result, sequence, sequence == count);
      if (process_.session.elapsed - start >= deadline) break;
    }
    ping_summary(process_, target_, tally_, process_.session.elapsed - start);
    return tally_.received > 0 ? 0 : 1;
  }

 private:
  void title(const PingResult& result) {
    const std::string from =
        options_.has("I") ? fmt::format("from {} {}: ", result.source, request_.interface) : "";
    process_.out(fmt::format(
        "PING {0} ({0}) {1}{2}({3}) bytes of data.\n",
        target_,
        from,
        request_.payload,
        request_.payload + 28));
  }

  void count_and_wait(const PingResult& result, std::int64_t sequence, bool last) {
    switch (result.outcome) {
      case PingOutcome::reply:
        reply(result, sequence);
        process_.session.pass(last ? Duration{1} : interval_);
        break;
      case PingOutcome::too_long:
        ++tally_.errors;
        process_.fail(1, fmt::format("local error: message too long, mtu={}", result.mtu));
        process_.session.pass(last ? Duration{1} : interval_);
        break;
      case PingOutcome::host_unreachable:
        unreachable(result, sequence);
        break;
      case PingOutcome::lost:
      case PingOutcome::no_route:
        process_.session.pass(last ? wait_ : interval_);
        break;
    }
  }

  void reply(const PingResult& result, std::int64_t sequence) {
    ++tally_.received;
    tally_.milliseconds = 0.030 + 0.012 * result.hops;
    if (options_.has("q")) return;
    process_.out(fmt::format(
        "{} bytes from {}: icmp_seq={} ttl=64 time={:.3f} ms\n",
        request_.payload + 8,
        target_,
        sequence,
        tally_.milliseconds));
  }

  // The kernel gives the neighbour up after three seconds; a shorter wait does not hear of it.
  void unreachable(const PingResult& result, std::int64_t sequence) {
    constexpr Duration kNeighbourGivenUp{3000};
    ++tally_.errors;
    process_.session.pass(std::min(kNeighbourGivenUp, wait_));
    if (wait_ < kNeighbourGivenUp) return;
    process_.out(
        fmt::format("From {} icmp_seq={} Destination Host Unreachable\n", result.source, sequence));
  }

  Process& process_;
  const Options& options_;
  PingRequest request_;
  const std::string& target_;
  Duration wait_;
  Duration interval_;
  PingTally tally_;
};

}  // namespace

int ping(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "nq46DOv", .valued = "cWwisMIt"});
  if (!options) return 2;
  if (options->operands.empty())
    return process.fail(1, "usage error: Destination address required");
  std::optional<PingRequest> request = ping_request(process, *options);
  if (!request) return 2;
  return PingRun{process, *options, *std::move(request)}.run();
}

}  // namespace fabric::lab::commands

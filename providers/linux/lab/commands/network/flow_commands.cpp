// SPDX-License-Identifier: Apache-2.0
// ib_send_bw of perftest, and iperf3: a server for one client, and the client.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/commands/options.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {
namespace {

// No client waits longer: the starter of the server ends it.
constexpr Duration kForEver{24LL * 3600 * 1000};
constexpr const char* kRule =
    "---------------------------------------------------------------------------------------\n";
constexpr std::uint32_t kHeaders = 28;  // of a packet of ping
// The QP gives up after 7 retries of about half a second each.
constexpr Duration kRetriesExhausted{4'000};

std::uint16_t port_option(const Options& options, std::int64_t otherwise) {
  const std::int64_t given = parse_integer(options.value("p")).value_or(otherwise);
  return static_cast<std::uint16_t>(std::clamp<std::int64_t>(given, 1, 65535));
}

std::optional<RdmaPlace> find_device(
    const LinuxHost& machine, const std::string& name, std::uint32_t number) {
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& each = machine.state.cards[card];
    for (const CardPort& port : each.ports) {
      const std::uint32_t shown = each.mlx4() ? port.number : 1;
      if (shown == number && rdma_name(machine, card, port.number) == name)
        return RdmaPlace{card, port.number};
    }
  }
  return std::nullopt;
}

// The largest InfiniBand MTU that fits into a frame of the port.
std::uint32_t rdma_mtu(std::uint32_t interface_mtu, bool infiniband) {
  constexpr std::uint32_t kRoceHeaders = 72;  // IP, UDP, BTH, extended headers, ICRC
  if (infiniband) return 4096;
  std::uint32_t mtu = 256;
  while (mtu < 4096 && mtu * 2 + kRoceHeaders <= interface_mtu)
    mtu *= 2;
  return mtu;
}

class SendBandwidth {
 public:
  SendBandwidth(Process& process, const Options& options)
      : process_{process},
        options_{options},
        bytes_{std::max<std::int64_t>(parse_integer(options.value("s", "65536")).value_or(1), 1)},
        port_{port_option(options, 18515)} {}

  int run() {
    const std::string device = options_.value("d");
    const auto number = parse_integer(options_.value("i", "1")).value_or(1);
    const LinuxHost& machine = process_.machine();
    place_ = find_device(machine, device, static_cast<std::uint32_t>(number));
    if (!place_) {
      process_.out(fmt::format(
          " IB device {} not found\n Unable to find the Infiniband/RoCE device\n", device));
      return 1;
    }
    const PortState state =
        port_state(machine, process_.session.network, place_->card, place_->port);
    if (state.logical != 4) {
      process_.out(fmt::format(
          " Port number {} state is {}\n Couldn't set the link layer\n Couldn't get context for "
          "the device\n",
          number,
          state.logical == 2 ? "Init" : "Down"));
      return 1;
    }
    const CardPort& port = machine.state.cards[place_->card].ports[place_->port - 1];
    infiniband_ = port.link_type == LinkType::infiniband;
    interface_ = roce_bond(machine, place_->card);
    if (interface_ == nullptr) interface_ = machine.interface_of_port(place_->card, place_->port);
    mtu_ = rdma_mtu(interface_ == nullptr ? 1500 : interface_->mtu, infiniband_);
    return options_.operands.empty() ? serve() : connect(options_.operands.front());
  }

 private:
  int serve() {
    process_.out(
        "\n************************************\n* Waiting for client to connect... *\n"
        "************************************\n");
    const auto visit = process_.session.network.serve(
        process_.machine(), {"ib_send_bw", port_, std::nullopt, place_, payload()});
    if (!visit) {
      process_.session.pass(kForEver);
      return 1;
    }
    title();
    results(visit->gbps);
    return 0;
  }

  int connect(const std::string& server) {
    FlowRequest request;
    request.tool = "ib_send_bw";
    request.port = port_;
    const std::optional<IpPrefix> address = IpPrefix::parse(server);
    FlowAnswer answer;
    if (address) {
      request.server = *address;
      request.rdma = place_;
      request.infiniband = infiniband_;
      request.device = interface_ == nullptr ? "" : interface_->name;
      request.payload = payload();
      answer = process_.session.network.connect(process_.machine(), request);
    }
    if (answer.outcome == FlowOutcome::no_answer) {
      process_.session.pass(kForEver);
      return 1;
    }
    if (answer.outcome != FlowOutcome::connected) {
      process_.err(fmt::format(
          "Couldn't connect to {}:{}\nUnable to open file descriptor for socket connection Unable "
          "to init the socket connection\n",
          server,
          port_));
      return 1;
    }
    title();
    if (answer.visit.gbps <= 0) {
      process_.session.pass(kRetriesExhausted);
      process_.out(
          " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, "
          "ccnt=0\n");
      return 1;
    }
    results(answer.visit.gbps);
    return 0;
  }

  // UDP, BTH and ICRC are more than the 8 bytes of ICMP.
  std::uint32_t payload() const {
    constexpr std::uint32_t kRoceOverIcmp = 16;
    return mtu_ + kRoceOverIcmp;
  }

  void title() {
    process_.out(kRule);
    process_.out(fmt::format(
        "                    Send BW Test\n Dual-port       : OFF\t\tDevice         : {}\n Number "
        "of qps   : 1\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n TX "
        "depth        : 128\n Mtu             : {}[B]\n Link type       : {}\n",
        options_.value("d"),
        mtu_,
        infiniband_ ? "IB" : "Ethernet"));
    if (options_.has("x"))
      process_.out(fmt::format(" GID index       : {}\n", options_.value("x")));
    process_.out(" Data ex. method : Ethernet\n");
    process_.out(kRule);
  }

  void results(double gbps) {
    const bool gigabits = options_.has("report_gbits");
    const double bits = gbps * 1e9;
    const auto size = static_cast<double>(bytes_);
    std::int64_t iterations = parse_integer(options_.value("n", "1000")).value_or(1000);
    double seconds = static_cast<double>(iterations) * size * 8 / bits;
    if (const auto duration = parse_integer(options_.value("D"))) {
      seconds = static_cast<double>(*duration);
      iterations = std::llround(bits * seconds / 8 / size);
    }
    process_.session.pass(Duration{std::llround(seconds * 1000)});
    const double shown = gigabits ? gbps : bits / 8 / 1048576;
    process_.out(fmt::format(
        " #bytes     #iterations    BW peak[{0}]    BW average[{0}]   MsgRate[Mpps]\n {1:<7}    "
        "{2:<13}  {3:<17.2f}  {4:.2f}\t\t   {5:.6f}\n",
        gigabits ? "Gb/sec" : "MB/sec",
        bytes_,
        iterations,
        shown * 1.01,
        shown,
        bits / 8 / size / 1e6));
    process_.out(kRule);
  }

  Process& process_;
  const Options& options_;
  std::int64_t bytes_;
  std::uint16_t port_;
  std::optional<RdmaPlace> place_;
  bool infiniband_ = false;
  const Interface* interface_ = nullptr;
  std::uint32_t mtu_ = 1024;
};

int iperf3_server(Process& process, const Options& options) {
  FlowServer server{"iperf3", port_option(options, 5201)};
  if (options.has("B")) server.bound = IpPrefix::parse(options.value("B"));
  for (const Interface& each : process.machine().state.interfaces) {
    for (const IpPrefix& own : each.addresses) {
      if (server.bound && own.same_address(*server.bound)) server.payload = each.mtu - kHeaders;
    }
  }
  process.out(fmt::format(
      "-----------------------------------------------------------\nServer listening on {} (test "
      "#1)\n-----------------------------------------------------------\n",
      server.port));
  const auto visit = process.session.network.serve(process.machine(), server);
  if (!visit) {
    process.session.pass(kForEver);
    return 1;
  }
  process.session.pass(visit->took);
  process.out(fmt::format(
      "[ ID] Interval           Transfer     Bitrate\n[SUM]   0.00-{:.2f}  sec  {:.1f} Gbits/sec   "
      " "
      "              receiver\n",
      static_cast<double>(visit->took.count()) / 1000,
      visit->gbps));
  return 0;
}

int iperf3_failed(Process& process, const Options& options, std::string_view why) {
  const std::string text = fmt::format(
      "unable to connect to server - server may have stopped running or use a different port, "
      "firewall issue, etc.: {}",
      why);
  if (options.has("J")) {
    process.out(fmt::format(
        "{{\n\t\"start\":\t{{\n\t\t\"connected\":\t[],\n\t\t\"version\":\t\"iperf 3.12\"\n\t}},\n\t"
        "\"intervals\":\t[],\n\t\"end\":\t{{\n\t}},\n\t\"error\":\t\"{}\"\n}}\n",
        text));
  } else {
    process.err(fmt::format("iperf3: error - {}\n", text));
  }
  return 1;
}

void iperf3_results(Process& process, const Options& options, double gbps, std::int64_t seconds) {
  const double bits = gbps * 1e9;
  const double bytes = bits / 8 * static_cast<double>(seconds);
  if (!options.has("J")) {
    process.out(fmt::format(
        "[SUM]   0.00-{}.00 sec  {:.1f} Gbits/sec                  receiver\n\niperf Done.\n",
        seconds,
        gbps));
    return;
  }
  const auto sum = [&](std::string_view name) {
    return fmt::format(
        "\t\t\"{}\":\t{{\n\t\t\t\"seconds\":\t{},\n\t\t\t\"bytes\":\t{:.0f},\n\t\t\t"
        "\"bits_per_second\":\t{:.5f}\n\t\t}}",
        name,
        seconds,
        bytes,
        bits);
  };
  process.out(fmt::format(
      "{{\n\t\"start\":\t{{\n\t\t\"connected\":\t[],\n\t\t\"version\":\t\"iperf 3.12\"\n\t}},\n\t"
      "\"intervals\":\t[],\n\t\"end\":\t{{\n{},\n{}\n\t}}\n}}\n",
      sum("sum_sent"),
      sum("sum_received")));
}

int iperf3_client(Process& process, const Options& options) {
  FlowRequest request;
  request.tool = "iperf3";
  request.port = port_option(options, 5201);
  request.streams = static_cast<std::uint32_t>(parse_integer(options.value("P", "1")).value_or(1));
  const std::int64_t seconds = parse_integer(options.value("t", "10")).value_or(10);
  request.took = Duration{seconds * 1000};
  const std::optional<IpPrefix> address = IpPrefix::parse(options.value("c"));
  if (!address) return iperf3_failed(process, options, "Name or service not known");
  request.server = *address;
  if (options.has("B")) request.source = IpPrefix::parse(options.value("B"));
  request.device = options.value("bind-dev");
  const Interface* device = nullptr;
  for (const Interface& each : process.machine().state.interfaces) {
    const bool chosen = each.name == request.device;
    const bool by_address = request.device.empty() && request.source &&
                            std::ranges::any_of(each.addresses, [&](const IpPrefix& own) {
                              return own.same_address(*request.source);
                            });
    if (chosen || by_address) device = &each;
  }
  if (device == nullptr && !request.device.empty())
    return iperf3_failed(process, options, "No such device");
  request.payload = (device == nullptr ? 1500 : device->mtu) - kHeaders;
  if (device != nullptr) request.device = device->name;
  const FlowAnswer answer = process.session.network.connect(process.machine(), request);
  switch (answer.outcome) {
    case FlowOutcome::refused:
      return iperf3_failed(process, options, "Connection refused");
    case FlowOutcome::no_route:
      return iperf3_failed(process, options, "Network is unreachable");
    case FlowOutcome::host_unreachable:
      process.session.pass(Duration{3'000});
      return iperf3_failed(process, options, "No route to host");
    case FlowOutcome::no_answer:
      process.session.pass(kForEver);
      return 1;
    case FlowOutcome::connected:
      break;
  }
  // The control connection stands, full segments are lost: it sends them again and again.
  if (answer.visit.gbps <= 0) {
    process.session.pass(kForEver);
    return 1;
  }
  process.session.pass(request.took);
  iperf3_results(process, options, answer.visit.gbps, seconds);
  return 0;
}

}  // namespace

int ib_send_bw(Process& process) {
  const std::optional<Options> options = parse_options(
      process, {.flags = "FRa", .valued = "dixspnDmq", .long_flags = {"report_gbits"}});
  if (!options) return 1;
  return SendBandwidth{process, *options}.run();
}

int iperf3(Process& process) {
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "s1Jh",
       .valued = "pBcPt",
       .long_flags = {"help", "version"},
       .long_valued = {"bind-dev"}});
  if (!options) return 1;
  if (options->has("help") || options->has("h")) {
    process.out(
        "Usage: iperf3 [-s|-c host] [options]\n       iperf3 [-h|--help] [-v|--version]\n\nServer "
        "or Client:\n  -p, --port      #         server port to listen on/connect to\n  -B, --bind "
        " "
        "    <host>[%<dev>] bind to the interface associated with the address <host>\n  --bind-dev "
        " "
        "    <dev>     bind to the network interface with SO_BINDTODEVICE\n");
    return 0;
  }
  if (options->has("version")) {
    process.out("iperf 3.12 (cJSON 1.7.15)\n");
    return 0;
  }
  if (options->has("s")) return iperf3_server(process, *options);
  if (options->has("c")) return iperf3_client(process, *options);
  process.err("iperf3: parameter error - must either be a client (-c) or server (-s)\n");
  return 1;
}

}  // namespace fabric::lab::commands

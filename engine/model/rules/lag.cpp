// SPDX-License-Identifier: Apache-2.0
// Mode lag: bonds, and RoCE LAG where card and policy allow it. The evidence is docs/evidence.md,
// bonds.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/lag_options.hpp"
#include "engine/model/partition_ports.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kLagRules[] = {
    {"lag-policy-missing",
     Severity::error,
     RuleStage::document,
     "A network of mode lag has no `policy`. The bonding driver would take balance-rr, with which "
     "there is no RoCE LAG, and which needs a static port channel at the other end. No other "
     "policy "
     "is right everywhere: 802.3ad needs LACP there, active-backup uses one port at a time.",
     "E-bonding-default: Linux, Documentation/networking/bonding.rst, mode; E-roce-lag: Mellanox, "
     "'HowTo Configure RoCE over LAG (ConnectX-4)'",
     "Add `lag: {policy: 802.3ad}` where the other end speaks LACP, or `lag: {policy: "
     "active-backup}` where it knows nothing of the bond."},
    {"lag-policy-unsupported",
     Severity::error,
     RuleStage::document,
     "The card enters RoCE LAG only for the policies active-backup (1), balance-xor (2) and "
     "802.3ad (4). With any other the bond is a plain one and RDMA stays on single ports.",
     "E-roce-lag: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'",
     "Choose one of these policies, or set `roce: false`."},
    {"lag-adapter-unsupported",
     Severity::error,
     RuleStage::document,
     "RoCE LAG is a function of ConnectX-4 and later.",
     "E-roce-lag-versions: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', setup; "
     "E-hardware-table: docs/hardware.md",
     "Write `roce: false`, or use another card."},
    {"lag-not-one-adapter",
     Severity::error,
     RuleStage::document,
     "RoCE LAG needs both ports of one dual-port card in the bond, and nothing else. A bond of one "
     "slave, of IPoIB too, has nothing to fail over to.",
     "E-roce-lag: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'",
     "Take exactly the two ports of one card, or set `roce: false` for a plain bond over two "
     "cards."},
    {"lag-port-shared",
     Severity::error,
     RuleStage::document,
     "A slave belongs to its bond alone, and a bond name to one network of the node.",
     "E-roce-lag: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'",
     "Take the port out of the other network, or give the second bond another name."},
    {"lag-miimon-missing",
     Severity::error,
     RuleStage::document,
     "Without link monitoring an active-backup bond never notices that its active slave is dead.",
     "E-roce-lag: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)'; E-bonding-failover: "
     "Linux, Documentation/networking/bonding.rst, 7 and miimon",
     "Remove `miimon: 0`; the default is 100 ms."},
    {"lag-kernel-too-old",
     Severity::error,
     RuleStage::document,
     "RoCE LAG needs kernel 4.9 and, where it is used, MLNX_OFED 4.0.",
     "E-roce-lag-versions: Mellanox, 'HowTo Configure RoCE over LAG (ConnectX-4)', setup",
     "Update the node, or set `roce: false`."},
    {"lag-option-unfit",
     Severity::error,
     RuleStage::document,
     "A bond with more `min_links` than slaves is never up, and `primary` is one of the slaves.",
     "E-bonding-options: Linux, Documentation/networking/bonding.rst, bonding driver options",
     "Correct the option."},
    {"lag-option-ignored",
     Severity::warning,
     RuleStage::document,
     "The bonding driver ignores or refuses options of another policy.",
     "E-bonding-options: Linux, Documentation/networking/bonding.rst, bonding driver options",
     "Remove the option, or choose the policy that has it."},
};

void check_policy(const NetworkSpec& network, const LagSpec& lag, Diagnostics& diagnostics) {
  if (lag.policy.value.empty()) {
    diagnostics
        .error(
            "lag-policy-missing",
            is_known(lag.policy.range) ? lag.policy.range : lag.range,
            fmt::format("network {} has mode lag and no `lag.policy`", network.name))
        .with_help(
            "802.3ad (4) where the other end speaks LACP; active-backup (1) where it knows nothing "
            "of the bond");
    return;
  }
  const BondPolicy* policy = find_bond_policy(lag.policy.value);
  if (policy == nullptr) {
    diagnostics
        .error(
            "lag-policy-unsupported",
            lag.policy.range,
            fmt::format("'{}' is no bonding policy", lag.policy.value))
        .with_help(
            "balance-rr (0), active-backup (1), balance-xor (2), broadcast (3), 802.3ad (4), "
            "balance-tlb (5), balance-alb (6)");
  } else if (!policy->roce && lag.roce && lag.roce->value) {
    diagnostics
        .error(
            "lag-policy-unsupported",
            lag.policy.range,
            fmt::format("RoCE LAG does not work with policy {}", policy->name))
        .with_note(lag.roce->range, "RoCE LAG is asked for here")
        .with_help("use active-backup (1), balance-xor (2) or 802.3ad (4), or set `roce: false`");
  } else if (!policy->roce && !lag.roce) {
    diagnostics
        .warning(
            "lag-policy-unsupported",
            lag.policy.range,
            fmt::format(
                "with policy {} network {} is a plain bond: RDMA stays on single ports",
                policy->name,
                network.name))
        .with_help(
            "set `roce: false` for a plain bond; RoCE LAG needs active-backup (1), balance-xor (2) "
            "or 802.3ad (4)");
  }
}

void check_monitoring(const LagSpec& lag, Diagnostics& diagnostics) {
  if (lag.miimon.value != 0 || !is_known(lag.miimon.range)) return;
  if (lag.policy.value == "active-backup") {
    diagnostics
        .error(
            "lag-miimon-missing",
            lag.miimon.range,
            "with `miimon: 0` active-backup never leaves a dead slave")
        .with_note(lag.policy.range, "the policy is given here")
        .with_help("remove `miimon: 0`; the default is 100 ms");
  } else {
    diagnostics
        .warning(
            "lag-miimon-missing",
            lag.miimon.range,
            "with `miimon: 0` the bond goes on sending to a dead slave")
        .with_help("remove `miimon: 0`; the default is 100 ms");
  }
}

void check_option(
    std::string_view option, SourceRange range, const LagSpec& lag, Diagnostics& diagnostics) {
  if (!is_known(range) || policy_has(lag.policy.value, option)) return;
  diagnostics
      .warning(
          "lag-option-ignored",
          range,
          fmt::format("{} has no meaning with policy {}", option, lag.policy.value))
      .with_note(lag.policy.range, "the policy is given here")
      .with_help(fmt::format("it is an option of {}", policies_with(option)));
}

void check_delay(
    std::string_view option,
    const Sourced<std::uint32_t>& delay,
    const LagSpec& lag,
    Diagnostics& diagnostics) {
  const std::optional<std::uint32_t> in_force = delay_in_force(lag, delay.value);
  if (!in_force) {
    diagnostics
        .warning(
            "lag-option-ignored",
            delay.range,
            fmt::format("{} has no meaning with `miimon: 0`", option))
        .with_note(lag.miimon.range, "it is given here")
        .with_help("remove `miimon: 0`; the default is 100 ms");
  } else if (*in_force != delay.value) {
    diagnostics
        .warning(
            "lag-option-ignored",
            delay.range,
            fmt::format(
                "the driver counts delays in steps of miimon: {} ms becomes {} ms",
                delay.value,
                *in_force))
        .with_help(fmt::format("use a multiple of {}", lag.miimon.value));
  }
}

void check_options(const NetworkSpec& network, const LagSpec& lag, Diagnostics& diagnostics) {
  if (find_bond_policy(lag.policy.value) == nullptr) return;
  check_option("lacp_rate", lag.lacp_rate.range, lag, diagnostics);
  check_option("ad_select", lag.ad_select.range, lag, diagnostics);
  if (lag.min_links) check_option("min_links", lag.min_links->range, lag, diagnostics);
  check_option("hash_policy", lag.hash_policy.range, lag, diagnostics);
  check_option("primary", lag.primary.range, lag, diagnostics);
  const bool is_unread =  // its default would be judged
      !is_known(lag.miimon.range) &&
      find_written(*network.written, "networks.*.lag.miimon") != nullptr;
  if (is_unread) return;
  if (lag.updelay) check_delay("updelay", *lag.updelay, lag, diagnostics);
  if (lag.downdelay) check_delay("downdelay", *lag.downdelay, lag, diagnostics);
}

// The member ports of one node in one lag network, of a bond that fabric makes.
struct Slaves {
  const NodeSpec* node = nullptr;
  std::vector<PortRef> ports;
};

std::vector<Slaves> slaves_of(const Context& context, const NetworkSpec& network) {
  std::vector<Slaves> result;
  for (const PortRef& port : ipoib_ports(network, context.members(network))) {
    if (port.adapter.empty() || context.adapter(port) == nullptr) continue;
    if (is_made_elsewhere(network, *context.node(port))) continue;
    if (result.empty() || result.back().ports.front().node != port.node)
      result.push_back({context.node(port), {}});
    result.back().ports.push_back(port);
  }
  return result;
}

void check_slaves(
    const Context& context,
    const NetworkSpec& network,
    const Slaves& slaves,
    Diagnostics& diagnostics) {
  const SourceRange place = context.use(network, slaves.ports.front()).range;
  const std::string name = slaves.node->name.str();
  if (slaves.ports.size() == 1) {
    diagnostics
        .error(
            "lag-not-one-adapter",
            place,
            fmt::format(
                "the bond of {} would have one slave, {}", name, slaves.ports.front().str()))
        .because_of(network.unread_end)
        .with_help(
            network.mode.value == Mode::lag
                ? "put both ports of the adapter into the network, or use mode ethernet"
                : "put both ports of the adapter into the network, or remove `ipoib.bond`");
    return;
  }
  if (!wants_roce_lag(network)) return;
  const bool one_adapter =
      std::all_of(slaves.ports.begin(), slaves.ports.end(), [&](const PortRef& port) {
        return port.adapter == slaves.ports.front().adapter;
      });
  if (one_adapter && slaves.ports.size() == 2) return;
  const PortRef& last = slaves.ports.back();
  diagnostics
      .error(
          "lag-not-one-adapter",
          context.use(network, last).range,
          fmt::format(
              "the bond of {} has {} slaves on more than one adapter; RoCE LAG takes exactly the "
              "two ports of one",
              name,
              slaves.ports.size()))
      .with_note(place, "the first slave: " + slaves.ports.front().str())
      .with_help("take the two ports of one adapter, or set `roce: false` for a plain bond");
}

// The interface name by `names` of its card; "" = not in the document.
std::string declared_name(const Context& context, const PortRef& port) {
  const AdapterSpec* adapter = context.adapter(port);
  const auto number = parse_unsigned(port.port, 10);
  if (adapter == nullptr || !number) return {};
  const auto name = adapter->names.find(static_cast<std::uint32_t>(*number));
  return name == adapter->names.end() ? std::string{} : name->second.value;
}

void check_fit(
    const Context& context, const LagSpec& lag, const Slaves& slaves, Diagnostics& diagnostics) {
  const auto unfit = [&](SourceRange place, std::string message) -> Diagnostic& {
    return diagnostics.error("lag-option-unfit", place, std::move(message));
  };
  const std::string host = slaves.node->name.str();
  if (lag.min_links && lag.min_links->value > slaves.ports.size())
    unfit(
        lag.min_links->range,
        fmt::format(
            "min_links is {}, and the bond of {} has {} slaves: it would never be up",
            lag.min_links->value,
            host,
            slaves.ports.size()))
        .with_help(fmt::format("write at most {}", slaves.ports.size()));
  const std::string& primary = lag.primary.value;
  const bool has_primary =
      primary.empty() ||
      std::any_of(slaves.ports.begin(), slaves.ports.end(), [&](const auto& each) {
        return names_slave(*context.adapter(each), each, primary);
      });
  if (!has_primary)
    unfit(
        lag.primary.range,
        fmt::format("primary is {}, which is no slave of the bond of {}", primary, host))
        .with_help(fmt::format(
            "write one of its ports: {}/{}",
            slaves.ports.front().adapter,
            slaves.ports.front().port));
  constexpr std::string_view kOfKernel[] = {"lo", "all", "default", "bonding_masters"};
  const bool is_of_kernel = std::ranges::find(kOfKernel, lag.bond.value) != std::end(kOfKernel);
  if (is_of_kernel || is_vlan_name(lag.bond.value))
    unfit(
        lag.bond.range,
        fmt::format(
            "a bond can't be named {}: {}",
            lag.bond.value,
            is_of_kernel ? "the kernel uses that name" : "ifupdown makes a VLAN of it"))
        .with_help("choose another name, for example bond0");
}

// "bond0.1005": what lies on the bond, or on a port with a name of the document's.
void check_vlan_names(
    const Context& context, const NetworkSpec& network, Diagnostics& diagnostics) {
  constexpr std::size_t kLongest = 15;
  if (network.mode.value == Mode::infiniband) return;
  std::set<std::string> told;
  for (const PortRef& port : context.members(network)) {
    const NodeSpec* node = context.node(port);
    if (context.adapter(port) == nullptr || !traits(node->platform.value).linux_host) continue;
    const bool is_bond = network.mode.value == Mode::lag && network.lag;
    const std::string parent = is_bond ? network.lag->bond.value : declared_name(context, port);
    for (const VlanSpec& vlan : network.vlans) {
      const std::string name = fmt::format("{}.{}", parent, vlan.id.value);
      if (parent.empty() || parent.size() > kLongest || name.size() <= kLongest ||
          !told.insert(name).second)
        continue;
      diagnostics
          .error(
              "interface-name-unfit",
              vlan.id.range,
              fmt::format(
                  "the interface of VLAN {} would be called {}, and a name has at most {} "
                  "characters",
                  vlan.name,
                  name,
                  kLongest))
          .about(node->name)
          .with_help(fmt::format(
              "take a name of at most {} characters in place of {}",
              kLongest - (name.size() - parent.size()),
              parent));
    }
  }
}

void check_hardware(
    const Context& context,
    const NetworkSpec& network,
    const Slaves& slaves,
    Diagnostics& diagnostics) {
  const bool demanded = network.lag && network.lag->roce && network.lag->roce->value;
  if (!wants_roce_lag(network)) return;
  const AdapterSpec* previous = nullptr;
  for (const PortRef& port : slaves.ports) {
    const AdapterSpec* adapter = context.adapter(port);
    if (adapter == nullptr || adapter == previous || adapter->hardware == nullptr) continue;
    previous = adapter;
    if (adapter->hardware->roce_lag || !adapter->hardware->ethernet) continue;
    const std::string message = fmt::format(
        "adapter {} of {} ({}) has no RoCE LAG",
        adapter->name,
        slaves.node->name.str(),
        adapter->hardware->name);
    Diagnostic& found =
        demanded ? diagnostics.error("lag-adapter-unsupported", adapter->model.range, message)
                 : diagnostics.warning("lag-adapter-unsupported", adapter->model.range, message);
    found
        .with_note(
            demanded ? network.lag->roce->range : context.use(network, port).range,
            "it is asked for here")
        .with_help("ConnectX-4 and later have it; set `roce: false` for a plain bond");
  }
}

void check_software(const NetworkSpec& network, const Slaves& slaves, Diagnostics& diagnostics) {
  const SoftwareSpec& software = *slaves.node->software;
  if (!wants_roce_lag(network) || software.stack.value != "mlnx_ofed" ||
      software.minimum.value.empty())
    return;
  const Result<Version> minimum = Version::parse(software.minimum.value);
  const Result<Version> oldest = Version::parse(kOldestLagOfed);
  if (!minimum || !oldest || !(*minimum < *oldest)) return;
  diagnostics
      .error(
          "lag-kernel-too-old",
          software.minimum.range,
          fmt::format(
              "{} may run MLNX_OFED {}, but RoCE LAG needs {}",
              slaves.node->name.str(),
              software.minimum.value,
              kOldestLagOfed))
      .with_note(network.mode.range, fmt::format("network {} is a lag", network.name))
      .with_help("raise `software.minimum`, or set `roce: false`");
}

// Ports that are slaves here and members elsewhere.
void check_shared(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [port, uses] : context.ports()) {
    if (port.adapter.empty()) continue;
    const About about{diagnostics, port.subject()};
    for (std::size_t i = 1; i < uses.size(); ++i) {
      const PortUse& first = uses.front();
      const bool bonded =
          first.network->mode.value == Mode::lag || uses[i].network->mode.value == Mode::lag;
      if (uses[i].network == first.network || !bonded) continue;
      diagnostics
          .error(
              "lag-port-shared",
              uses[i].range,
              fmt::format(
                  "port {} is in network {} and in network {}; a slave belongs to its bond alone",
                  port.str(),
                  first.network->name,
                  uses[i].network->name))
          .with_note(first.range, fmt::format("here it is in network {}", first.network->name))
          .with_help("take it out of one network; further IP networks over a bond are `vlans`");
    }
  }
}

}  // namespace

RuleRows lag_rules() {
  return kLagRules;
}

void check_lag(const Context& context, Diagnostics& diagnostics) {
  // Bond names by node: two networks must not make one bond.
  std::map<std::pair<NodeName, std::string>, const NetworkSpec*> bonds;
  for (const auto& [name, network] : context.spec().networks) {
    const LagSpec* lag = lag_of(network);
    const About about{diagnostics, name};
    check_vlan_names(context, network, diagnostics);
    if (network.mode.value != Mode::lag && lag == nullptr) continue;
    if (network.mode.value == Mode::lag && network.lag) {
      check_policy(network, *network.lag, diagnostics);
      check_monitoring(*network.lag, diagnostics);
      check_options(network, *network.lag, diagnostics);
    }
    for (const Slaves& slaves : slaves_of(context, network)) {
      const About host{diagnostics, slaves.node->name};
      check_slaves(context, network, slaves, diagnostics);
      if (lag != nullptr) check_fit(context, *lag, slaves, diagnostics);
      check_hardware(context, network, slaves, diagnostics);
      check_software(network, slaves, diagnostics);
      const std::string bond =
          lag != nullptr && !lag->bond.value.empty() ? lag->bond.value : "bond0";
      const auto [found, fresh] = bonds.emplace(std::pair{slaves.node->name, bond}, &network);
      if (fresh) continue;
      diagnostics
          .error(
              "lag-port-shared",
              lag != nullptr && is_known(lag->bond.range) ? lag->bond.range : network.range,
              fmt::format(
                  "networks {} and {} both make {} on {}",
                  found->second->name,
                  name,
                  bond,
                  slaves.node->name.str()))
          .with_note(found->second->range, "the other network")
          .with_help("give one of the two bonds another name");
    }
  }
  check_shared(context, diagnostics);
}

}  // namespace fabric::rules

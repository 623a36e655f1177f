// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/verify/cables/speed_text.hpp"
#include "engine/verify/links/links.hpp"

namespace fabric::verify {

namespace {

using platform::LinkReading;
using platform::ModuleReading;
using platform::PcieReading;

std::string module_text(const ModuleReading& module) {
  std::string text = module.identifier.empty() ? "module" : module.identifier;
  for (const std::string* part : {&module.vendor, &module.part_number}) {
    if (!part->empty()) text += " " + *part;
  }
  return module.serial.empty() ? text : text + fmt::format(" ({})", module.serial);
}

// "RS", in whatever form the tool writes it: `ethtool` and the card's own tool differ in case and
// in length.
std::string fec_family(std::string_view fec) {
  const std::string told = to_lower(std::string{fec});
  if (told.empty()) return {};
  if (told.find("rs") != std::string::npos) return "RS";
  if (told.find("base") != std::string::npos || told.starts_with("fc") ||
      told.find("firecode") != std::string::npos)
    return "BaseR";
  if (told == "off" || told.starts_with("no")) return "Off";
  return std::string{fec};
}

// "0.5m", "50 cm", "3" in metres; nullopt if the text is not a length.
std::optional<double> declared_metres(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  double length = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + end, length);
  if (failure != std::errc{} || rest != text.data() + end) return std::nullopt;
  const std::string unit = to_lower(trim(text.substr(end)));
  if (unit == "cm") return length / 100;
  return unit.empty() || unit == "m" ? std::optional{length} : std::nullopt;
}

// "MCP1600-C003", and not "dac" or "100g-aoc": part numbers begin with capitals and a digit.
bool is_part_number(std::string_view type) {
  const std::size_t digit = type.find_first_of("0123456789");
  return digit != std::string_view::npos && digit >= 2 && type.size() >= 6 &&
         std::all_of(type.begin(), type.begin() + static_cast<std::ptrdiff_t>(digit), [](char c) {
           return c >= 'A' && c <= 'Z';
         });
}

class LinkJudge {
 public:
  LinkJudge(const FabricSpec& spec, const std::vector<LinkReport>& links, Findings& findings)
      : spec_{spec}, links_{links}, findings_{findings} {
    std::size_t index = 0;
    for (const auto& [name, network] : spec.networks) {
      for (const CableSpec& cable : network.cables) {
        for (const PortRef* port : {&cable.a.value, &cable.b.value})
          cables_.emplace(*port, Cable{index, &cable, network.mode.value == Mode::chain});
        ++index;
      }
    }
  }

  void judge() {
    for (const LinkReport& link : links_) {
      if (!link.why_unknown.empty() || link.port.adapter.empty()) continue;
      judge_fec(link);
      judge_module(link);
      judge_bit_errors(link);
      judge_pcie(link);
      judge_chaining(link);
    }
    std::size_t index = 0;
    for (const auto& [name, network] : spec_.networks) {
      for (const CableSpec& cable : network.cables)
        judge_ends(cable, index++);
    }
  }

 private:
  struct Cable {
    std::size_t index;
    const CableSpec* cable;
    bool in_chain;
  };

  static std::string name_of(const LinkReport& link) {
    return fmt::format("{} ({})", link.port.str(), link.interface);
  }

  void add(
      const LinkReport& link, std::string_view rule, std::string message, std::string help) const {
    const auto cable = cables_.find(link.port);
    const bool cabled = cable != cables_.end();
    findings_.add(
        {Severity::warning,
         std::string{rule},
         cabled ? cable->second.cable->range : place_of_node(spec_, link.port.node),
         std::move(message),
         std::move(help),
         {},
         link.port.subject()},
        cabled ? finding_of(findings_.broken_cables, cable->second.index) : std::nullopt);
  }

  const LinkReport* link_at(const PortRef& port) const {
    const auto found = std::find_if(links_.begin(), links_.end(), [&](const LinkReport& link) {
      return link.port == port && link.why_unknown.empty();
    });
    return found == links_.end() ? nullptr : &*found;
  }

  void judge_fec(const LinkReport& link) const {
    const auto& blocks = link.reading.fec.uncorrectable_blocks;
    if (!blocks || *blocks == 0) return;
    add(link,
        "fec-uncorrectable",
        fmt::format("{} has lost {} blocks that FEC could not correct", name_of(link), *blocks),
        "clean or reseat both plugs, then try another cable");
  }

  void judge_module(const LinkReport& link) const {
    if (!link.reading.module) return;
    const ModuleReading& module = *link.reading.module;
    const double most = module.temperature_most.value_or(kHottestModule);
    if (module.temperature && *module.temperature >= most) {
      add(link,
          "module-hot",
          fmt::format(
              "the module of {}, {}, has {:.0f} degrees Celsius, and its limit is {:.0f}",
              name_of(link),
              module_text(module),
              *module.temperature,
              most),
          "look at the fans, the airflow and the modules beside it");
    }
    judge_received(link, module);
    if (module.alarms.empty()) return;
    add(link,
        "module-alarm",
        fmt::format(
            "the module of {}, {}, raises: {}",
            name_of(link),
            module_text(module),
            join(module.alarms, ", ")),
        "clean both plugs, then try another module");
  }

  void judge_received(const LinkReport& link, const ModuleReading& module) const {
    if (module.copper || module.received_dbm.empty()) return;
    const double worst = *std::min_element(module.received_dbm.begin(), module.received_dbm.end());
    const bool is_dark = std::isinf(worst);
    if (!is_dark && !(module.received_least && worst < *module.received_least)) return;
    add(link,
        "module-dark",
        is_dark ? fmt::format("the module of {} receives no light on a lane", name_of(link))
                : fmt::format(
                      "the module of {} receives {:.2f} dBm, and needs at least {:.2f}",
                      name_of(link),
                      worst,
                      *module.received_least),
        "clean both plugs of the fibre, and look for a bend or a wrong polarity");
  }

  void judge_bit_errors(const LinkReport& link) const {
    const LinkReading& reading = link.reading;
    const bool after = reading.effective_ber && *reading.effective_ber > kEffectiveBitErrors;
    const bool before = reading.raw_ber && *reading.raw_ber > kRawBitErrors;
    if (!after && !before) return;
    add(link,
        "bit-errors-high",
        after ? fmt::format(
                    "{} has {:.0e} bit errors per bit after FEC, and {:.0e} is the limit",
                    name_of(link),
                    *reading.effective_ber,
                    kEffectiveBitErrors)
              : fmt::format(
                    "{} has {:.0e} bit errors per bit before FEC, and {:.0e} is the limit",
                    name_of(link),
                    *reading.raw_ber,
                    kRawBitErrors),
        "clean or reseat both plugs, then try another cable");
  }

  // Against what both the card and its slot can do: a card in a short slot is a choice, one that
  // trained to less than both is not.
  void judge_pcie(const LinkReport& link) const {
    const PcieReading& pcie = link.reading.pcie;
    if (link.port.number() == 1) judge_pcie_errors(link);
    if (!pcie.generation || !pcie.width || !pcie.most_generation || !pcie.most_width) return;
    if (link.port.number() != 1) return;  // each slot is reported once
    const std::uint32_t generation =
        std::min(*pcie.most_generation, pcie.slot_generation.value_or(*pcie.most_generation));
    const std::uint32_t width =
        std::min(*pcie.most_width, pcie.slot_width.value_or(*pcie.most_width));
    if (*pcie.generation >= generation && *pcie.width >= width) return;
    add(link,
        "pcie-link-degraded",
        fmt::format(
            "the PCIe link of {} runs at generation {}, x{}, but card and slot can do generation "
            "{}, x{}",
            link.port.node.str() + "/" + link.port.adapter,
            *pcie.generation,
            *pcie.width,
            generation,
            width),
        "reseat the card; then look at the riser and at the firmware's settings for the slot");
  }

  void judge_pcie_errors(const LinkReport& link) const {
    const PcieReading& pcie = link.reading.pcie;
    const bool lost = pcie.uncorrectable && *pcie.uncorrectable > 0;
    const bool many = pcie.correctable && *pcie.correctable >= kCorrectablePcieErrors;
    if (!lost && !many) return;
    add(link,
        "pcie-errors",
        fmt::format(
            "the PCIe link of {} counted {} {} errors since the boot",
            link.port.node.str() + "/" + link.port.adapter,
            lost ? *pcie.uncorrectable : *pcie.correctable,
            lost ? "uncorrectable" : "correctable"),
        "reseat the card; then try another slot or riser");
  }

  void judge_chaining(const LinkReport& link) const {
    const std::set<std::uint32_t>& priorities = link.reading.chaining_without_buffers;
    const auto cable = cables_.find(link.port);
    if (priorities.empty() || cable == cables_.end() || !cable->second.in_chain) return;
    std::vector<std::string> numbers;
    for (const std::uint32_t priority : priorities)
      numbers.push_back(std::to_string(priority));
    const std::string all = join(numbers, ", ");
    add(link,
        "chain-buffers-zero",
        fmt::format(
            "{}/{} has no buffers for frames of other hosts with {} {}, and drops them",
            link.port.node.str(),
            link.port.adapter,
            numbers.size() == 1 ? "priority" : "the priorities",
            all),
        "the firmware tool shows the factory's values of HOST_CHAINING_DESCRIPTORS[0..7] and "
        "HOST_CHAINING_TOTAL_BUFFER_SIZE[0..7]: set those, and reboot the node");
  }

  void judge_ends(const CableSpec& cable, std::size_t index) const {
    const LinkReport* a = link_at(cable.a.value);
    const LinkReport* b = link_at(cable.b.value);
    if (a == nullptr || b == nullptr) return;
    judge_both_fec(cable, *a, *b, index);
    judge_plug(cable, *a);
    if (!cable.speed.empty()) return;  // then the cable is judged by its declared speed
    const auto& speed = a->reading.speed_mbps ? a->reading.speed_mbps : b->reading.speed_mbps;
    if (!speed || !a->reading.capable_mbps || !b->reading.capable_mbps) return;
    const std::uint64_t able = std::min(*a->reading.capable_mbps, *b->reading.capable_mbps);
    if (*speed >= able) return;
    add(*a,
        "link-below-capability",
        fmt::format(
            "the link between {} and {} runs at {}, but both ports can do {}",
            a->port.str(),
            b->port.str(),
            speed_text(*speed),
            speed_text(able)),
        fmt::format(
            "look at the cable and at auto-negotiation, or write `speed: {}G` at the cable",
            *speed / 1000));
  }

  // Plugs give whole metres, rounded up or to the nearest one (E-link-module).
  void judge_plug(const CableSpec& cable, const LinkReport& link) const {
    if (!link.reading.module) return;
    const ModuleReading& plug = *link.reading.module;
    const auto metres = declared_metres(cable.length);
    std::string differs;
    if (metres && plug.cable_metres && std::abs(*metres - *plug.cable_metres) >= 1)
      differs =
          fmt::format("{:g} m long, but the document says {}", *plug.cable_metres, cable.length);
    // A part number in a document often leaves out the revision at its end.
    const std::string part = to_lower(plug.part_number);
    if (is_part_number(cable.type) && !part.empty() && !part.starts_with(to_lower(cable.type)))
      differs = fmt::format("a {}, but the document says {}", plug.part_number, cable.type);
    if (differs.empty()) return;
    add(link,
        "cable-differs",
        fmt::format("the cable at {} is {}", name_of(link), differs),
        "correct the cable in the document, or replace it");
  }

  // A link whose ends disagree does not come up at most speeds, and loses frames at the others.
  void judge_both_fec(
      const CableSpec& cable, const LinkReport& a, const LinkReport& b, std::size_t index) const {
    const std::string one = fec_family(a.reading.fec.active);
    const std::string other = fec_family(b.reading.fec.active);
    if (one.empty() || other.empty() || one == other) return;
    findings_.add(
        {Severity::warning,
         "fec-differs",
         cable.range,
         fmt::format(
             "the ends of one cable use different FEC: {} has {}, {} has {}",
             a.port.str(),
             a.reading.fec.active,
             b.port.str(),
             b.reading.fec.active),
         "set the FEC of both ends alike, or both to auto",
         {}},
        finding_of(findings_.broken_cables, index));
  }

  const FabricSpec& spec_;
  const std::vector<LinkReport>& links_;
  Findings& findings_;
  std::map<PortRef, Cable> cables_;
};

}  // namespace

void add_link_findings(
    const FabricSpec& spec, const std::vector<LinkReport>& links, Findings& findings) {
  LinkJudge{spec, links, findings}.judge();
}

}  // namespace fabric::verify

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/qos/port_qos.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kPortQosProbe = "qos";
constexpr std::string_view kMark = "== ";

// The answers about an interface, by section; those about RDMA devices are separate lines.
struct Answers {
  std::map<std::string, std::string, std::less<>> sections;
  std::map<std::int64_t, std::vector<bool>> ecn;
  std::optional<std::int64_t> cnp_dscp;
};

struct Device {
  std::map<std::int64_t, std::int64_t> tos;  // by port
  std::optional<std::int64_t> forced_class;
};

struct Said {
  std::map<std::string, Answers, std::less<>> interfaces;
  std::map<std::string, Device, std::less<>> devices;
};

// "Global tclass=106"; nothing where none is forced.
std::optional<std::int64_t> class_in(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return parse_integer(trim(text.substr(equals + 1)));
}

class PortQosReader {
 public:
  Said read(std::string_view output) {
    for (const std::string_view line : split_lines(output)) {
      if (line.starts_with(kMark)) {
        take(split_words(line.substr(kMark.size())), line);
      } else if (section_ != nullptr) {
        *section_ += std::string{line} + "\n";
      }
    }
    return std::move(said_);
  }

 private:
  void take(const std::vector<std::string_view>& words, std::string_view line) {
    section_ = nullptr;
    if (words.empty()) return;
    const std::string_view what = words[0];
    if (what == "interface" && words.size() == 2) {
      interface_ = &said_.interfaces[std::string{words[1]}];
    } else if (what == "tos" && words.size() == 4) {
      const auto port = parse_integer(words[2]);
      const auto tos = parse_integer(words[3]);
      if (port && tos) said_.devices[std::string{words[1]}].tos[*port] = *tos;
    } else if (what == "class" && words.size() >= 3) {
      said_.devices[std::string{words[1]}].forced_class = class_in(line.substr(kMark.size()));
    } else if (interface_ != nullptr) {
      take_of_interface(words);
    }
  }

  void take_of_interface(const std::vector<std::string_view>& words) {
    if (words[0] == "ecn" && words.size() == 3) {
      const auto priority = parse_integer(words[1]);
      if (priority && (words[2] == "0" || words[2] == "1"))
        interface_->ecn[*priority].push_back(words[2] == "1");
    } else if (words[0] == "cnp_dscp" && words.size() == 2) {
      interface_->cnp_dscp = parse_integer(words[1]);
    } else if (words.size() == 1) {
      section_ = &interface_->sections[std::string{words[0]}];
    }
  }

  Said said_;
  Answers* interface_ = nullptr;
  std::string* section_ = nullptr;
};

void read_mlnx_qos(const std::string& text, PortQos& qos) {
  const Result<MlnxQos> read = parse_mlnx_qos(text);
  if (!read) {
    qos.why = fmt::format("mlnx_qos: {}", read.error().message);
    return;
  }
  qos.dcbx = read->dcbx;
  qos.trust = read->trust;
  qos.pfc = read->pfc;
  qos.dscp_priorities = read->dscp_priorities;
}

void read_dcb(const Answers& answers, PortQos& qos) {
  const auto text = [&answers](std::string_view section) {
    const auto found = answers.sections.find(section);
    return found == answers.sections.end() ? std::string{} : found->second;
  };
  const Result<DcbPfc> pfc = parse_dcb_pfc(text("pfc"));
  const Result<DcbApp> app = parse_dcb_app(text("app"));
  if (!pfc || !app) {
    const std::string said{trim(text(pfc ? "app" : "pfc"))};
    qos.why = said.empty() ? "dcb prints nothing about the port"
                           : fmt::format("dcb: {}", split_lines(said).front());
    return;
  }
  const std::string dcbx = text("dcbx");
  bool by_host = false;
  for (const std::string_view word : split_words(dcbx))
    by_host = by_host || word == "host";
  qos.dcbx = by_host ? "os" : "firmware";
  qos.pfc = pfc->pfc;
  qos.dscp_priorities = app->dscp_priorities;
  // One entry is enough for a driver of the kernel (E-qos-host).
  qos.trust = app->dscp_priorities.empty() ? "pcp" : "dscp";
}

// Drivers of the kernel leave ECN to the firmware (E-qos-ecn).
void read_firmware(
    const NodeFacts& facts, const Card& card, const AdapterPort& port, PortQos& qos) {
  const CardSettings settings = settings_of(facts, card.address);
  if (!settings.table) return;
  const auto number = [&](std::string_view parameter) -> std::optional<std::int64_t> {
    const SettingRow* row = settings.table->find(fmt::format("{}_P{}", parameter, port.number));
    if (row == nullptr) return std::nullopt;
    return setting_number(row->current ? *row->current : row->next_boot.value_or(""));
  };
  if (qos.ecn.empty()) {
    if (const auto mask = number("ROCE_CC_PRIO_MASK")) {
      for (std::int64_t priority = 0; priority < 8; ++priority)
        qos.ecn[priority] = {((static_cast<std::uint64_t>(*mask) >> priority) & 1U) == 1U};
    }
  }
  if (!qos.cnp_dscp) qos.cnp_dscp = number("CNP_DSCP");
}

}  // namespace

Probe qos_probe() {
  return {std::string{kPortQosProbe}, std::string{sh::probe_qos.text}};
}

PortQos port_qos(const NodeFacts& facts, const Card& card, const AdapterPort& port) {
  PortQos qos;
  const std::string* output = facts.output(kPortQosProbe);
  if (output == nullptr) {
    qos.why = "the probe of it failed";
    return qos;
  }
  const Said said = PortQosReader{}.read(*output);
  // The RDMA device of a RoCE LAG is at one function of the card.
  std::string rdma_device = port.rdma_device;
  for (const AdapterPort& each : card.ports)
    if (rdma_device.empty() && !port.netdev.empty()) rdma_device = each.rdma_device;
  if (const auto device = said.devices.find(rdma_device); device != said.devices.end()) {
    const auto tos = device->second.tos.find(card.shares_function() ? port.number : 1);
    if (tos != device->second.tos.end()) qos.tos = tos->second;
    qos.forced_class = device->second.forced_class;
  }
  const auto found = said.interfaces.find(port.netdev);
  if (port.netdev.empty() || found == said.interfaces.end()) {
    qos.is_ethernet = false;
    read_firmware(facts, card, port, qos);
    return qos;
  }
  const Answers& answers = found->second;
  if (const auto tool = answers.sections.find("mlnx_qos"); tool != answers.sections.end()) {
    read_mlnx_qos(tool->second, qos);
  } else if (answers.sections.contains("pfc")) {
    read_dcb(answers, qos);
  } else {
    qos.why = "the node has neither dcb (iproute2) nor mlnx_qos";
  }
  qos.ecn = answers.ecn;
  qos.ecn_by_driver = !answers.ecn.empty();
  qos.cnp_dscp = answers.cnp_dscp;
  read_firmware(facts, card, port, qos);
  return qos;
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/copy/simulated_mlnxos.hpp"

#include "providers/mlnx_os/kinds/switch_facts.hpp"

namespace fabric::rehearse {

namespace {

// The lines of a configuration but those about how lines are typed (E-onyx-configuration).
std::string text_of(const Result<providers::onyx::Configuration>& configuration) {
  std::string text;
  if (!configuration) return text;
  for (const std::string& line : configuration->lines()) {
    if (line.find("cli default prefix-modes") == std::string::npos) text += line + "\n";
  }
  return text;
}

// Copies both configurations; the switch has no lock and no files.
class SimulatedMlnxos final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& /*node*/,
      const NodeFacts& facts,
      const std::vector<Resource>& /*resources*/) const override {
    const providers::onyx::SwitchFacts found{facts};
    lab::LabHost host;
    host.files["initial"] = text_of(found.saved);
    host.files["running"] = text_of(found.running);
    return host;
  }
};

}  // namespace

const SimulatedPlatform& simulated_mlnxos() {
  static const SimulatedMlnxos platform;
  return platform;
}

}  // namespace fabric::rehearse

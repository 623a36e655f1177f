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
  std::vector<std::string> catching_up(
      const NodeFacts& /*facts*/, const NodeFacts& /*copied*/) const override {
    return {};  // the copy has both configurations
  }

  // It has no lock and no files.
  std::optional<SimulatedLock> lock(
      const lab::Lab& /*lab*/, const NodeName& /*node*/) const override {
    return std::nullopt;
  }
  bool is_about_lock(const remote::Step& /*step*/) const override { return false; }
  std::optional<std::string> meddled(const remote::step::WriteFile& /*file*/) const override {
    return std::nullopt;
  }
  void write(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      const std::string& /*content*/) const override {}
  void edit(
      lab::Lab& /*lab*/,
      const NodeName& /*node*/,
      const std::string& /*path*/,
      FileEdit::How /*how*/) const override {}
  bool is_link(
      lab::Lab& /*lab*/, const NodeName& /*node*/, const std::string& /*path*/) const override {
    return false;
  }
  bool may_touch(
      const std::string& /*path*/,
      const std::vector<std::string>& /*touched*/,
      const std::optional<std::string>& /*content*/) const override {
    return true;
  }
};

}  // namespace

const SimulatedPlatform& simulated_mlnxos() {
  static const SimulatedMlnxos platform;
  return platform;
}

}  // namespace fabric::rehearse

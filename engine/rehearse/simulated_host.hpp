// SPDX-License-Identifier: Apache-2.0
// SimulatedHost: a machine that fabric runs on in a simulated fabric: its disk, its power, and its
// operator.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/rehearse/invariant_monitor.hpp"
#include "engine/rehearse/simulated_file.hpp"
#include "engine/workflow/control_host.hpp"

namespace fabric::rehearse {

// There are two such machines; none knows whether runs of the other one have ended.
enum class Desk : std::uint8_t { here, there };

class SimulatedHost final : public workflow::ControlHost {
 public:
  // `killed_at`: the line of its journal at which the machine dies; 0 = never. `monitor` must
  // outlive this.
  SimulatedHost(
      InvariantMonitor& monitor,
      Desk desk,
      std::string run,
      std::uint32_t killed_at,
      std::function<bool()> interrupted)
      : monitor_{monitor},
        desk_{desk},
        run_{std::move(run)},
        killed_at_{killed_at},
        interrupted_{std::move(interrupted)} {}

  std::string new_run() override { return run_; }
  execute::LeaseHolder holder(const std::string& run) override;
  // True for every run of this machine before this one.
  bool has_ended(const execute::LeaseHolder& holder) override;
  // The files are those of the plan, see Scene::files.
  Result<void> check_copies(const plans::Plan& /*plan*/) override { return {}; }
  workflow::BindFiles bind_files() override { return {}; }
  Result<std::unique_ptr<workflow::OpenRun>> begin_run(
      const std::string& run, const plans::Plan& plan) override;
  // The rest of the journal after a power cut.
  std::string journal_after_power_cut(Random& random) const {
    return journal_ == nullptr ? std::string{} : journal_->after_power_cut(random);
  }

 private:
  InvariantMonitor& monitor_;
  Desk desk_;
  std::string run_;
  std::uint32_t killed_at_;
  std::function<bool()> interrupted_;
  std::shared_ptr<SimulatedFile> journal_;
};

}  // namespace fabric::rehearse

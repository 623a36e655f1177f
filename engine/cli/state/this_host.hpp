// SPDX-License-Identifier: Apache-2.0
// ThisHost: the interface of an apply to the machine that fabric runs on: its folder of runs, its
// own process, and Ctrl-C.
#pragma once

#include <string>

#include "engine/base/random.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/images.hpp"
#include "engine/cli/terminal/context.hpp"
#include "engine/workflow/control_host.hpp"

namespace fabric::cli {

class ThisHost final : public workflow::ControlHost {
 public:
  // `signature`: of the plan file, kept with the run, "" = none. The others must outlive this.
  ThisHost(Context& context, Random& random, const Document& document, std::string signature)
      : context_{context},
        random_{random},
        document_{document},
        images_{document.folder, context.options().trust_document},
        signature_{std::move(signature)} {}

  std::shared_ptr<void> hear_interrupts() override;
  std::string new_run() override;
  execute::LeaseHolder holder(const std::string& run) override;
  bool has_ended(const execute::LeaseHolder& holder) override;
  Result<void> check_copies(const plans::Plan& plan) override;
  workflow::BindFiles bind_files() override;
  Result<std::unique_ptr<workflow::OpenRun>> begin_run(
      const std::string& run, const plans::Plan& plan) override;

 private:
  Context& context_;
  Random& random_;
  const Document& document_;
  ImageSource images_;
  std::string signature_;
};

}  // namespace fabric::cli

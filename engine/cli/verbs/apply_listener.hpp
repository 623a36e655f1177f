// SPDX-License-Identifier: Apache-2.0
// ApplyListener: what an apply shows of its end, besides its progress.
#pragma once

#include <string>

#include "engine/base/source.hpp"
#include "engine/cli/terminal/context_listener.hpp"

namespace fabric::cli {

class ApplyListener final : public ContextListener {
 public:
  // `sources` of the document; `again`: the command line that plans and applies anew, for "next:";
  // `resumption`: the options that a paused run is resumed with. All but these must outlive this.
  ApplyListener(
      Context& context, const SourceMap& sources, std::string again, std::string resumption)
      : ContextListener{context},
        sources_{sources},
        again_{std::move(again)},
        resumption_{std::move(resumption)} {}

  void run_started(const plans::Plan& plan, const std::string& run) override;
  void executed(const plans::Plan& plan, const execute::RunResult& result) override;
  void round_done(const plans::Plan& plan) override;
  void planned_again(const workflow::Planned& second) override;
  void verified(const verify::Report& report) override;
  void not_proven(const workflow::Planned& second) override;

  bool is_round_done() const { return round_done_; }

 private:
  const SourceMap& sources_;
  std::string again_, resumption_, run_;
  bool round_done_ = false;
};

}  // namespace fabric::cli

// SPDX-License-Identifier: Apache-2.0
// FactsRequest: asks one node its probes, again after a pause when the connection fails. Reading
// changes nothing, so that it may be repeated without asking whether it happened.
#pragma once

#include <optional>
#include <vector>

#include "engine/base/random.hpp"
#include "engine/platform/facts.hpp"
#include "engine/platform/host_platform.hpp"
#include "engine/provider/provider.hpp"
#include "engine/remote/runner.hpp"

namespace fabric::execute {

class FactsRequest {
 public:
  // Exactly one is set: the next step, or the result.
  struct Progress {
    std::optional<remote::Step> step;
    std::optional<NodeFacts> facts;
    std::optional<Error> error;
  };

  // `host` and `random` must outlive this.
  FactsRequest(NodeName node, const platform::HostPlatform& host, Random& random)
      : node_{std::move(node)}, host_{host}, random_{random} {}

  // `fresh`: over a new connection.
  remote::Step start(std::vector<Probe> probes, bool fresh);
  Progress next(const remote::StepResult& result);

 private:
  remote::Step ask();
  Progress again(Error error);

  NodeName node_;
  const platform::HostPlatform& host_;
  Random& random_;
  std::vector<Probe> probes_;
  std::string nonce_;
  bool fresh_ = false;
  bool pausing_ = false;
  int attempts_ = 0;
};

}  // namespace fabric::execute

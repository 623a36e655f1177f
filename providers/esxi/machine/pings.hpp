// SPDX-License-Identifier: Apache-2.0
// Pings from the interfaces of an ESXi host's kernel, by vmkping.
#pragma once

#include "engine/platform/path_tests.hpp"

namespace fabric::platform {

class EsxiPings final : public PingTests {
 public:
  remote::Step ping(std::span<const Ping> pings) const override;
  std::vector<PingAnswer> ping_answers(
      std::span<const Ping> pings, const remote::StepResult& result) const override;
};

}  // namespace fabric::platform

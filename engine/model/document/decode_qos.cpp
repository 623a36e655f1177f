// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

std::optional<QosSpec> decode_qos(const Layers& network) {
  constexpr std::uint32_t kUsualPriority = 3;
  constexpr std::uint32_t kUsualRoce = 26;
  constexpr std::uint32_t kUsualCnp = 48;
  const Layers qos = network.section("qos");
  if (qos.empty()) return std::nullopt;
  QosSpec spec;
  spec.range = qos.all().back().node->range;
  spec.trust = read_text(qos, "trust", "dscp");
  spec.lossless = read_numbers(qos, "lossless");
  if (spec.lossless.empty()) spec.lossless.push_back({kUsualPriority, {}});
  std::sort(spec.lossless.begin(), spec.lossless.end(), [](const auto& a, const auto& b) {
    return a.value < b.value;
  });
  const auto same =
      std::unique(spec.lossless.begin(), spec.lossless.end(), [](const auto& a, const auto& b) {
        return a.value == b.value;
      });
  spec.lossless.erase(same, spec.lossless.end());
  const Layers dscp = qos.section("dscp");
  spec.roce_dscp = read_number(dscp, "roce", kUsualRoce);
  spec.cnp_dscp = read_number(dscp, "cnp", kUsualCnp);
  spec.ecn = read_flag(qos, "ecn", true);
  return spec;
}

}  // namespace fabric

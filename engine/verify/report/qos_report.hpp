// SPDX-License-Identifier: Apache-2.0
// Lossless RoCE of a port, or of a switch as a whole: desired and observed.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/verify/report/counter_report.hpp"

namespace fabric::verify {

struct QosPart {
  std::string name;           // "trust", "PFC", "ECN", "ToS", and "mode" of a switch
  std::string wanted, found;  // as text; `found` "" = unknown
  std::string why_unknown{};
  bool is_right() const { return wanted == found; }
};

struct QosReport {
  NodeName node;
  std::string where;  // "n7/cx5/1", or the name of a switch
  std::string network;
  std::vector<QosPart> parts;
  std::vector<std::string>
      far{};  // the nodes at the other ends of its cables, in the form of `where`
  // The counters that moved while the verify ran, and those of them that count losses.
  std::vector<MovedCounter> moved{}, lost{};

  bool is_right() const;
  const QosPart* find(std::string_view part) const;
};

}  // namespace fabric::verify

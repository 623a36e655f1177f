// SPDX-License-Identifier: Apache-2.0
// lab.yaml: the differences of the "real" machines from the document (schemas/lab.schema.json).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/lab/card/card.hpp"
#include "engine/lab/machine/lab_host.hpp"
#include "engine/model/spec.hpp"

namespace fabric::lab {

class Machine;

struct LabCable {
  PortRef a, b;
};

// Makes the machine of a node of the document, with factory settings, switched off. All its random
// values come from `seed`. `host`: its part of lab.yaml; keys that a platform does not use have no
// effect.
using MachineMaker = std::function<std::unique_ptr<Machine>(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed)>;

struct LabSpec {
  std::uint64_t seed = 1;
  std::map<std::string, LabHost> hosts;
  // Replaces the document's cables if given.
  std::optional<std::vector<LabCable>> cables;
  std::vector<PortRef> unplugged;
  // Ports at which each incoming frame gets through and is counted as damaged.
  std::vector<PortRef> dirty;
  // Ports with so many damaged frames that a counter of 16 bits has stopped.
  std::vector<PortRef> saturated;
  // Plugs that are not in order.
  std::vector<std::pair<PortRef, Plug>> plugs;
  // Percent of commands that meet a random fault (simulation).
  std::uint32_t fault_percent = 0;
  // A node of a platform without a maker is a switch that forwards everything, if the document says
  // that it is a switch; otherwise it does nothing.
  std::map<Platform, MachineMaker> makers{};
};

// An empty `files` list gives the default lab. Problems go to `diagnostics`.
LabSpec load_lab(
    const SourceMap& sources,
    std::optional<FileId> file,
    const FabricSpec& fabric,
    Diagnostics& diagnostics);

}  // namespace fabric::lab

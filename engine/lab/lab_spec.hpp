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

// Makes the machine that a node of the document stands for, as it comes from its maker, switched
// off. Everything random in it comes from `seed`. `host` is what lab.yaml says of it; what a
// platform has no use for is without effect.
using MachineMaker = std::function<std::unique_ptr<Machine>(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed)>;

struct LabSpec {
  std::uint64_t seed = 1;
  std::map<std::string, LabHost> hosts;
  // Replaces the document's cables where given.
  std::optional<std::vector<LabCable>> cables;
  std::vector<PortRef> unplugged;
  // Frames get through, and each is counted as damaged where it comes in.
  std::vector<PortRef> dirty;
  // So many frames were damaged there before that a counter of 16 bits has stopped.
  std::vector<PortRef> saturated;
  // What plugs are like that are not as they should be.
  std::vector<std::pair<PortRef, Plug>> plugs;
  // Percent of commands that meet a random fault (simulation).
  std::uint32_t fault_percent = 0;
  // A node of any other platform is a switch that forwards everything, if it is a switch, and else
  // nothing at all.
  std::map<Platform, MachineMaker> makers{};
};

// An empty `files` list gives the default lab. Problems go to `diagnostics`.
LabSpec load_lab(
    const SourceMap& sources,
    std::optional<FileId> file,
    const FabricSpec& fabric,
    Diagnostics& diagnostics);

}  // namespace fabric::lab

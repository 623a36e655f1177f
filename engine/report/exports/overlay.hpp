// SPDX-License-Identifier: Apache-2.0
// The files that a plan writes, as trees of files for images of hosts without a disk (Warewulf's
// overlays, xCAT's synclists): one tree for each group of nodes with equal files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

struct OverlayFile {
  std::string path;  // absolute on the node
  std::string content, owner;
  std::uint32_t mode = 0644;
};

struct Overlay {
  std::string name;  // of its folder: "c1-36" of c[1-36]; unlike any other
  std::vector<NodeName> nodes;
  std::vector<OverlayFile> files;  // in order of path
};

// Each file is in the one overlay of exactly its nodes; a node has all overlays that name it. Fails
// with ErrorCode::invalid if the plan writes no file, or one outside of the root.
Result<std::vector<Overlay>> overlays_of(const plans::Plan& plan);

// The path and owner of each file, for the image builder: JSON with a final newline.
std::string overlay_list(const std::vector<Overlay>& overlays);

// The titles of actions that do more than write files, each once: an image can't contain that.
std::vector<std::string> not_in_overlays(const plans::Plan& plan);

}  // namespace fabric::report

// SPDX-License-Identifier: Apache-2.0
// Which back end owns an interface of a node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/facts.hpp"
#include "providers/linux/kinds/interface/backends/backend.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/backends/backend_table.hpp"

namespace fabric::providers {

struct BackendChoice {
  const NetworkBackend* backend = nullptr;  // null: none was found
  // What the node lacks for this back end to make bonds; "" if nothing.
  std::string bonds_need{};
  // Why the back end that the document names is not there; "" if it is. The choice stands all the
  // same.
  std::string lacks{};
  // And the node's own choice; "" = none was found.
  std::string_view instead{};
};

// `wanted` as the document says it: "auto", "networkd", ...; `device` is the interface's present
// name, "" if it has none.
BackendChoice choose_backend(
    const NodeFacts& facts, std::string_view wanted, std::string_view device);

// A file of ours that configures an interface by a back end that it does not use any more.
struct FormerFile {
  const NetworkBackend* backend = nullptr;
  std::string path;
};
// The last back end of the table first, as their paths().
std::vector<FormerFile> former_files(
    const NetworkBackend& chosen, const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
// Chooses the back end that owns an interface of a node.
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
  // What the node lacks to make bonds with this back end; "" if nothing.
  std::string bonds_need{};
  // Why the back end of the document does not exist on the node; "" if it does. It is chosen
  // anyway.
  std::string lacks{};
  // The node's own choice in that case; "" = none was found.
  std::string_view instead{};
};

// `wanted`: the document's word: "auto", "networkd", ...; `device`: the interface's present name,
// "" if it has none.
BackendChoice choose_backend(
    const NodeFacts& facts, std::string_view wanted, std::string_view device);

// A file of fabric that configures an interface by a back end that the interface no longer uses.
struct FormerFile {
  const NetworkBackend* backend = nullptr;
  std::string path;
};
// The files of back ends other than `chosen`, the last row of the table first, in order of paths().
std::vector<FormerFile> former_files(
    const NetworkBackend& chosen, const LinkTarget& target, const FileTexts& files);

}  // namespace fabric::providers

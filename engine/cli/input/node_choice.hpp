// SPDX-License-Identifier: Apache-2.0
// The options that choose nodes: --limit and --offline.
#pragma once

#include <string>

#include "engine/base/result.hpp"
#include "engine/workflow/wanted.hpp"

namespace CLI {
class App;
}

namespace fabric::cli {

struct NodeOptions {
  std::string limit, offline;

  void declare_limit(CLI::App& app);
  void declare_offline(CLI::App& app);

  // `offline` is a list of node sets, or @FILE (@- = standard input) with one or more of them a
  // line, as `sinfo` prints them; names in a file that the document lacks are ignored. Fails with
  // ErrorCode::invalid naming the line, and as read_text_file.
  Result<workflow::NodeChoice> choice() const;
  // The options as text for a command line: " --limit 'pve[1-2]'"; "" = none was given.
  std::string again() const;
};

}  // namespace fabric::cli

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
  // line, as `sinfo` prints them; what a file names beside the nodes of the document is passed
  // over. Fails with ErrorCode::invalid naming the line, and as read_text_file.
  Result<workflow::NodeChoice> choice() const;
  // As they are repeated on a command line: " --limit 'pve[1-2]'"; "" = none was given.
  std::string again() const;
};

}  // namespace fabric::cli

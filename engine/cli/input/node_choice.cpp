// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/input/node_choice.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/model/node_set.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::cli {

namespace {

// Text that something like `sinfo` prints into a pipe.
Result<std::string> read_standard_input() {
  std::string text;
  std::string line;
  while (std::getline(std::cin, line)) {
    text += line + "\n";
    if (text.size() > limits::kDocumentBytes)
      return Error{ErrorCode::invalid, "--offline: standard input is too long for a list of nodes"};
  }
  return text;
}

}  // namespace

void NodeOptions::declare_limit(CLI::App& app) {
  app.add_option("--limit", limit, "only these nodes, for example 'pve[1-2]'");
}

void NodeOptions::declare_offline(CLI::App& app) {
  app.add_option(
         "--offline",
         offline,
         "nodes that are known to be down: fabric does not contact them, counts them as down and "
         "expects no link at their cables; 'pve[1-2]', or @FILE with one node set a line (@- reads "
         "standard input)")
      ->type_name("NODESET|@FILE");
}

Result<workflow::NodeChoice> NodeOptions::choice() const {
  workflow::NodeChoice choice{limit, {}, {}};
  if (!offline.starts_with('@')) {
    choice.offline = offline;
    return choice;
  }
  const std::string path = offline.substr(1);
  const std::string text = path == "-" ? FABRIC_TRY(read_standard_input())
                                       : FABRIC_TRY(read_text_file(path, limits::kDocumentBytes));
  std::size_t number = 0;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    const std::string_view line = trim(raw.substr(0, raw.find('#')));
    if (line.empty()) continue;
    const Result<std::vector<std::string>> names = expand_name_list(std::string{line});
    if (!names) return with_context(names.error(), fmt::format("--offline: {}:{}", path, number));
    choice.down.insert(names->begin(), names->end());
  }
  return choice;
}

std::string NodeOptions::again() const {
  std::string text;
  if (!limit.empty()) text += " --limit " + remote::quote(limit);
  if (!offline.empty()) text += " --offline " + remote::quote(offline);
  return text;
}

}  // namespace fabric::cli

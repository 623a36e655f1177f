// SPDX-License-Identifier: Apache-2.0
// Verb: one command of fabric. The table names them all; a file per verb implements it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/exit_code.hpp"
#include "engine/cli/terminal/context.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace fabric::cli {

class Verb {
 public:
  virtual ~Verb() = default;
  // Adds the verb's arguments; `app` keeps references to members of this.
  virtual void declare(CLI::App& app) = 0;
  // The caller prints an Error and derives the exit code from it.
  virtual Result<ExitCode> run(Context& context) = 0;
};

struct VerbEntry {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  // of --help: a command line and what it does
  std::unique_ptr<Verb> (*make)();
};

// In the order of a user's work.
const std::vector<VerbEntry>& verbs();

std::unique_ptr<Verb> make_init();
std::unique_ptr<Verb> make_import();
std::unique_ptr<Verb> make_export();
std::unique_ptr<Verb> make_validate();
std::unique_ptr<Verb> make_fmt();
std::unique_ptr<Verb> make_discover();
std::unique_ptr<Verb> make_plan();
std::unique_ptr<Verb> make_rehearse();
std::unique_ptr<Verb> make_apply();
std::unique_ptr<Verb> make_undo();
std::unique_ptr<Verb> make_verify();
std::unique_ptr<Verb> make_show();
std::unique_ptr<Verb> make_graph();
std::unique_ptr<Verb> make_explain();
std::unique_ptr<Verb> make_parse();
std::unique_ptr<Verb> make_history();
std::unique_ptr<Verb> make_support_bundle();
std::unique_ptr<Verb> make_unlock();
std::unique_ptr<Verb> make_schema();
std::unique_ptr<Verb> make_lab();
std::unique_ptr<Verb> make_completion();
std::unique_ptr<Verb> make_version();

}  // namespace fabric::cli

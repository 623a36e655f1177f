// The option --format, the same for every verb that has it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace fabric::cli {

// The first of `choices` is the default; --json (events) and --format exclude each other.
void add_format(CLI::App& app, std::string& format, const std::vector<std::string>& choices);

}  // namespace fabric::cli

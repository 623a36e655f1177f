// Random fabrics under random bad luck, in virtual time. Every seed is one story: plan and apply
// under faults, then without; the promises of contract §5 are watched all the way.
//
// usage: simulation_test [--seeds N] [--first S] [--seed S] [--file SEEDS.TXT]
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

#include "tests/simulation/world.hpp"

namespace fabric::simulation {

namespace {

using execute::ExitCode;

struct Story {
  std::vector<std::string> violations, trace;
  std::string document;
  ExitCode first = ExitCode::done;
  bool refused = false;
};

bool is_promised(ExitCode code) {
  switch (code) {
    case ExitCode::done:
    case ExitCode::failed:
    case ExitCode::incomplete:
    case ExitCode::stale:
    case ExitCode::cancelled:
    case ExitCode::timed_out:
    case ExitCode::partly_applied:
    case ExitCode::node_lost:
    case ExitCode::rolled_back:
      return true;
    case ExitCode::locked:  // nobody else is there, and what a lost run left has run out
    case ExitCode::not_verified:
      return false;
  }
  return false;
}

Story play(std::uint64_t seed) {
  World world{seed};
  const Round first = world.round(world.scenario().interrupt_after);
  if (!is_promised(first.exit)) {
    world.violation(fmt::format("exit {} was not promised", static_cast<int>(first.exit)));
  }
  world.clear_faults();
  if (first.exit == ExitCode::done && first.complete && !first.errors) {
    const Round again = world.round(0);
    if (!again.empty) world.violation("the plan after a successful apply is not empty");
  } else {
    const Round second = world.round(0);
    if (second.exit != ExitCode::done || second.errors) {
      world.violation("without faults apply does not converge");
    }
    if (!world.round(0).empty) world.violation("the plan after convergence is not empty");
  }
  return {world.violations(), world.trace(), world.scenario().document, first.exit, first.errors};
}

void report(std::uint64_t seed, const Story& story) {
  constexpr std::size_t kShown = 40;
  std::cout << fmt::format("seed {} failed; replay: simulation_test --seed {}\n", seed, seed);
  for (const std::string& violation : story.violations)
    std::cout << "  violation: " << violation << '\n';
  const std::size_t from = story.trace.size() > kShown ? story.trace.size() - kShown : 0;
  for (std::size_t i = from; i < story.trace.size(); ++i)
    std::cout << "    " << story.trace[i] << '\n';
}

// One number a line; text after '#' says what the seed once found.
std::vector<std::uint64_t> seeds_of(const std::string& path) {
  std::vector<std::uint64_t> seeds;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    const auto seed = parse_unsigned(trim(std::string_view{line}.substr(0, line.find('#'))), 10);
    if (seed) seeds.push_back(*seed);
  }
  return seeds;
}

struct Options {
  std::uint64_t seeds = 200;
  std::uint64_t first = 1;
  std::string file;
  bool one = false;
};

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::uint64_t number = parse_unsigned(words[i + 1], 10).value_or(0);
    if (words[i] == "--seeds") options.seeds = number;
    if (words[i] == "--first") options.first = number;
    if (words[i] == "--file") options.file = words[i + 1];
    if (words[i] == "--seed") {
      options.one = true;
      options.first = number;
      options.seeds = 1;
    }
  }
  // The environment is for those who can't reach the command line, as under ctest.
  if (const char* count = std::getenv("FABRIC_SIMULATION_SEEDS");
      count != nullptr && !options.one && options.seeds > 0) {
    options.seeds = std::strtoull(count, nullptr, 10);
  }
  return options;
}

int run(const Options& options) {
  std::vector<std::uint64_t> seeds =
      options.one ? std::vector<std::uint64_t>{} : seeds_of(options.file);
  for (std::uint64_t i = 0; i < options.seeds; ++i)
    seeds.push_back(options.first + i);
  std::map<std::string, std::size_t> outcomes;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Story story = play(seeds[i]);
    // Every tenth story is told twice.
    constexpr std::size_t kRetold = 10;
    if (i % kRetold == 0 && play(seeds[i]).trace != story.trace) {
      story.violations.emplace_back("the same seed gives another trace");
    }
    ++outcomes[story.refused ? "refused" : fmt::format("exit {}", static_cast<int>(story.first))];
    if (options.one) {
      std::cout << story.document;
      for (const std::string& line : story.trace)
        std::cout << line << '\n';
    }
    if (story.violations.empty()) continue;
    ++failed;
    report(seeds[i], story);
    std::cout.flush();
  }
  std::cout << fmt::format("{} seeds, {} with violations\n", seeds.size(), failed);
  for (const auto& [outcome, count] : outcomes)
    std::cout << fmt::format("  {:>5}  {}\n", count, outcome);
  return failed == 0 ? 0 : 1;
}

}  // namespace

}  // namespace fabric::simulation

int main(int argc, char** argv) {
  return fabric::simulation::run(fabric::simulation::options_of({argv + 1, argv + argc}));
}

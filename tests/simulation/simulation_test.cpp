// SPDX-License-Identifier: Apache-2.0
// Random fabrics under random faults, in virtual time. Every seed is one story: plan and apply
// under faults, then without; the invariants (docs/invariants.md) are watched all the way.
//
// usage: simulation_test [--seeds N] [--first S] [--seed S] [--plain 1] [--file SEEDS.TXT] [--stop
// 1]
// [--part I/N] [--platforms 1] [--any N] [--mtus N] [--mtu-pairs N] [--mtu-story NAME] [--members
// HOSTS] [--undos N]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/expand/expand.hpp"
#include "engine/rehearse/seed_run.hpp"
#include "engine/workflow/wanted.hpp"
#include "providers/builtin.hpp"
#include "providers/simulated/simulated_platforms.hpp"

#include "tests/simulation/any_documents.hpp"
#include "tests/simulation/member_stories.hpp"
#include "tests/simulation/mtu_stories.hpp"
#include "tests/simulation/scenario.hpp"
#include "tests/simulation/undo_stories.hpp"

namespace fabric::simulation {

namespace {

using rehearse::SeedResult;
using rehearse::TraceLine;

struct Story {
  SeedResult result;
  std::string document;
};

// The resources of nodes that plans may change.
std::vector<Resource> wanted(
    const FabricSpec& spec, const std::vector<NodeName>& limit, Diagnostics& diagnostics) {
  std::vector<Resource> resources = expand(spec, diagnostics);
  return limit.empty() ? resources : workflow::resources_within(spec, limit, std::move(resources));
}

// A seed, and whether it is told with guards (Scenario).
struct Tale {
  std::uint64_t seed = 0;
  bool guards = true;
};

Story play(const Tale& tale) {
  Scenario scenario = make_scenario(tale.seed, tale.guards);
  Registry registry;
  providers::add_builtin_providers(registry);
  Diagnostics diagnostics;
  std::vector<Resource> resources = wanted(scenario.spec, scenario.limit, diagnostics);
  rehearse::Scene scene{
      scenario.spec,
      scenario.sources,
      resources,
      registry,
      providers::simulated_platforms(),
      scenario.lab};
  scene.unreached = scenario.dead;
  scene.limit = scenario.limit;
  scene.own = scenario.own;
  scene.allow_no_rollback = scenario.allow_no_rollback;
  scene.foreign = scenario.foreign;
  rehearse::World world{std::move(scene), tale.seed};
  if (diagnostics.has_errors()) world.violation("the document can't be expanded");
  // Who was dead is back, and the document says so.
  const auto mend = [&] {
    for (const NodeName& node : scenario.dead)
      scenario.spec.nodes.at(node).state.value = NodeState::managed;
    resources = wanted(scenario.spec, {}, diagnostics);
    world.want_all();
  };
  const bool is_part = !scenario.dead.empty() || !scenario.limit.empty();
  return {
      rehearse::run_seed(
          world,
          tale.seed,
          scenario.faults,
          nullptr,
          is_part ? std::function<void()>{mend} : std::function<void()>{}),
      scenario.document};
}

std::string text_of(const TraceLine& line) {
  return fmt::format("{:>9} {}", line.at.time_since_epoch().count(), line.text);
}

void report(const Tale& tale, const Story& story) {
  constexpr std::size_t kShown = 40;
  std::cout << fmt::format(
      "seed {0} failed; replay: simulation_test --seed {0}{1}\n",
      tale.seed,
      tale.guards ? "" : " --plain 1");
  for (const std::string& violation : story.result.violations)
    std::cout << "  violation: " << violation << '\n';
  const std::vector<TraceLine>& trace = story.result.trace;
  const std::size_t from = trace.size() > kShown ? trace.size() - kShown : 0;
  for (std::size_t i = from; i < trace.size(); ++i)
    std::cout << "    " << text_of(trace[i]) << '\n';
}

// One number a line, "+" behind it if it is told with guards; text after '#' says what the seed
// once found.
std::vector<Tale> seeds_of(const std::string& path) {
  std::vector<Tale> seeds;
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    std::string_view number = trim(std::string_view{line}.substr(0, line.find('#')));
    const bool guards = number.ends_with('+');
    if (guards) number.remove_suffix(1);
    if (const auto seed = parse_unsigned(number, 10)) seeds.push_back({*seed, guards});
  }
  return seeds;
}

std::size_t count(const FabricSpec& spec, Platform platform) {
  return static_cast<std::size_t>(
      std::count_if(spec.nodes.begin(), spec.nodes.end(), [platform](const auto& each) {
        return each.second.platform.value == platform;
      }));
}

// What a few seeds may never draw: of each the first that does, whatever the number of the others.
// False: there is none.
bool add_platforms(std::vector<Tale>& seeds) {
  struct Wanted {
    const char* what;
    bool (*is)(const FabricSpec& spec);
  };
  constexpr Wanted kWanted[] = {
      {"ESXi hosts",
       [](const FabricSpec& spec) {
         return count(spec, Platform::esxi) > 1;
       }},
      {"an Onyx switch",
       [](const FabricSpec& spec) {
         return count(spec, Platform::mlnx_os) == 1;
       }},
      {"two Onyx switches",
       [](const FabricSpec& spec) {
         return count(spec, Platform::mlnx_os) == 2;
       }},
      {"a Cumulus switch", [](const FabricSpec& spec) {
         return count(spec, Platform::cumulus) > 0;
       }}};
  constexpr std::uint64_t kMost = 1000;
  for (const Wanted& wanted : kWanted) {
    std::uint64_t seed = 1;
    while (seed <= kMost && !wanted.is(make_scenario(seed, true).spec))
      ++seed;
    if (seed > kMost) {
      std::cout << fmt::format("no seed up to {} draws {}\n", kMost, wanted.what);
      return false;
    }
    std::cout << fmt::format("seed {} draws {}\n", seed, wanted.what);
    seeds.push_back({seed, true});
  }
  return true;
}

struct Options {
  std::uint64_t seeds = 200;
  std::uint64_t first = 1;
  std::string file;
  std::uint64_t part = 1, parts = 1;  // of the seeds only every `parts`th, from the `part`th
  bool one = false;
  std::uint64_t members = 0;    // hosts of partitions, of which one is off
  std::uint64_t any = 0;        // random documents over all keys
  std::uint64_t mtus = 0;       // random fabrics whose MTUs change
  std::string mtu_story;        // only those of which the name has this
  std::uint64_t undos = 0;      // runs that are killed and undone
  std::uint64_t mtu_pairs = 0;  // each kind of host at each kind of switch: every Nth of them
  bool platforms = false;       // the first seed of each platform besides
  bool plain = false;           // without guards
  bool stop = false;            // at the first seed that fails
};

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::uint64_t number = parse_unsigned(words[i + 1], 10).value_or(0);
    if (words[i] == "--seeds") options.seeds = number;
    if (words[i] == "--first") options.first = number;
    if (words[i] == "--file") options.file = words[i + 1];
    if (words[i] == "--part") {
      const std::size_t slash = std::min(words[i + 1].find('/'), words[i + 1].size() - 1);
      options.part =
          parse_unsigned(std::string_view{words[i + 1]}.substr(0, slash), 10).value_or(1);
      options.parts =
          parse_unsigned(std::string_view{words[i + 1]}.substr(slash + 1), 10).value_or(1);
    }
    if (words[i] == "--members") options.members = number;
    if (words[i] == "--undos") options.undos = number;
    if (words[i] == "--mtus") options.mtus = number;
    if (words[i] == "--any") options.any = number;
    if (words[i] == "--mtu-story") options.mtu_story = words[i + 1];
    if (words[i] == "--mtu-pairs") options.mtu_pairs = number;
    if (words[i] == "--platforms") options.platforms = number != 0;
    if (words[i] == "--plain") options.plain = number != 0;
    if (words[i] == "--stop") options.stop = number != 0;
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

// False: one went wrong.
bool run_mtus(const Options& options) {
  std::vector<MtuStory> stories;
  if (options.mtu_pairs > 0) {
    const std::vector<MtuStory> all = mtu_pairs();
    for (std::size_t i = 0; i < all.size(); i += options.mtu_pairs)
      stories.push_back(all[i]);
  }
  for (std::uint64_t i = 0; i < options.mtus; ++i)
    stories.push_back(random_mtus(options.first + i));
  std::size_t failed = 0;
  for (const MtuStory& story : stories) {
    if (!options.mtu_story.empty() && story.name.find(options.mtu_story) == std::string::npos)
      continue;
    std::cout << "MTUs of " << story.name << std::endl;
    const std::vector<std::string> said = play(story);
    if (said.empty()) continue;
    ++failed;
    std::cout << fmt::format("MTUs of {} failed\n  violation: {}\n", story.name, said.front());
    for (std::size_t i = 1; i < said.size(); ++i)
      std::cout << said[i] << '\n';
    std::cout.flush();
    if (options.stop) break;
  }
  if (!stories.empty())
    std::cout << fmt::format("{} stories of MTUs, {} with violations\n", stories.size(), failed);
  return failed == 0;
}

// Documents over all keys. Too few that are valid would show nothing.
bool run_any(const Options& options) {
  if (options.any == 0) return true;
  for (const std::string& key : keys_left_out())
    std::cout << fmt::format("no random document has {}\n", key);
  std::size_t valid = 0, failed = keys_left_out().size();
  for (std::uint64_t i = 0; i < options.any; ++i) {
    const std::uint64_t seed = options.first + i;
    const AnyResult result = play_any(seed);
    valid += result.valid ? 1 : 0;
    if (result.said.empty()) continue;
    ++failed;
    std::cout << fmt::format("document {} failed\n  violation: {}\n", seed, result.said.front());
    for (std::size_t line = 1; line < result.said.size(); ++line)
      std::cout << result.said[line] << '\n';
    std::cout.flush();
    if (options.stop) break;
  }
  std::cout << fmt::format(
      "{} random documents, {} valid, {} with violations\n", options.any, valid, failed);
  return failed == 0 && (options.any < 20 || 5 * valid >= options.any);
}

bool run_members(const Options& options) {
  if (options.members == 0) return true;
  const std::vector<std::string> said = play_members(options.members);
  for (const std::string& line : said)
    std::cout << (&line == &said.front() ? "  violation: " : "") << line << '\n';
  if (said.empty())
    std::cout << fmt::format("{} members, one off: joined later\n", options.members);
  return said.empty();
}

bool run_undos(const Options& options) {
  if (options.undos == 0) return true;
  UndoTally tally;
  std::size_t failed = 0;
  std::uint64_t played = 0;
  while (played < options.undos) {
    const std::uint64_t seed = options.first + played++;
    const std::vector<std::string> said = play_undo(seed, tally);
    if (said.empty()) continue;
    ++failed;
    std::cout << fmt::format("undo {} failed\n  violation: {}\n", seed, fmt::join(said, "\n"));
    std::cout.flush();
    if (options.stop) break;
  }
  std::cout << fmt::format(
      "{} seeds, {} undone, {} of them killed, {} wholly undone, {} with violations\n",
      played,
      tally.undone,
      tally.killed,
      tally.whole,
      failed);
  // Too few that are cut short, or that leave nothing, would show nothing.
  return failed == 0 && 4 * tally.killed >= options.undos && 4 * tally.whole >= options.undos;
}

int run(const Options& options) {
  const bool undos = run_undos(options);
  const bool members = run_members(options);
  const bool mtus = run_mtus(options);
  const bool any = run_any(options);
  std::vector<Tale> seeds = options.one ? std::vector<Tale>{} : seeds_of(options.file);
  for (std::uint64_t i = options.part - 1; i < options.seeds; i += options.parts)
    seeds.push_back({options.first + i, !options.plain});
  if (options.platforms && !add_platforms(seeds)) return 1;
  std::map<std::string, std::size_t> outcomes;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Story story = play(seeds[i]);
    // Every tenth story is told twice.
    constexpr std::size_t kRetold = 10;
    if (i % kRetold == 0 && play(seeds[i]).result.trace != story.result.trace) {
      story.result.violations.emplace_back("the same seed gives another trace");
    }
    const rehearse::Round& first = story.result.first;
    ++outcomes
        [first.errors   ? "refused"
         : first.killed ? "killed"
                        : fmt::format("exit {}", static_cast<int>(first.exit))];
    if (options.one) {
      std::cout << story.document;
      for (const TraceLine& line : story.result.trace)
        std::cout << text_of(line) << '\n';
    }
    if (story.result.violations.empty()) continue;
    ++failed;
    report(seeds[i], story);
    std::cout.flush();
    if (!options.stop) continue;
    seeds.resize(i + 1);
  }
  std::cout << fmt::format("{} seeds, {} with violations\n", seeds.size(), failed);
  for (const auto& [outcome, count] : outcomes)
    std::cout << fmt::format("  {:>5}  {}\n", count, outcome);
  return failed == 0 && mtus && any && members && undos ? 0 : 1;
}

}  // namespace

}  // namespace fabric::simulation

int main(int argc, char** argv) {
  return fabric::simulation::run(fabric::simulation::options_of({argv + 1, argv + argc}));
}

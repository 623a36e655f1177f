// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/command.hpp"

#include <deque>
#include <map>
#include <mutex>

namespace fabric::remote {

bool is_script_run(const Argv& argv) {
  return argv.size() >= 4 && argv[0] == "sh" && argv[1] == "-c" && argv[2].script() != nullptr;
}

const Script& kept_script(std::string_view name, std::string_view text) {
  struct Kept {
    std::string name, text;
    Script script;
  };
  static std::mutex mutex;
  static std::deque<Kept> all;
  static std::map<std::pair<std::string_view, std::string_view>, const Script*> known;
  const std::scoped_lock lock{mutex};
  if (const auto found = known.find({name, text}); found != known.end()) return *found->second;
  Kept& kept = all.emplace_back(Kept{std::string{name}, std::string{text}, {}});
  kept.script = {kept.name, kept.text};
  known.emplace(std::pair<std::string_view, std::string_view>{kept.name, kept.text}, &kept.script);
  return kept.script;
}

}  // namespace fabric::remote

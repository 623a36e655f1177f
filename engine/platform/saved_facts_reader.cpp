// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/saved_facts_reader.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "engine/value/json.hpp"

namespace fabric {

bool SavedFactsReader::Place::take(PlainJson& json, TextPool& pool, SharedText& text) {
  constexpr std::size_t kShortest = 100;  // bytes: less is taken apart as fast
  for (const Known& known : known_) {
    if (known.written.empty() || !json.pass(known.written)) continue;
    text = known.text;
    return true;
  }
  std::string read;
  std::string_view written;
  if (!json.string(read, written)) return false;
  text = pool.keep(SharedText{std::move(read)});
  if (written.size() >= kShortest) known_.add({std::string{written}, text});
  return true;
}

bool SavedFactsReader::take_probe(PlainJson& json, ProbePlaces& places, ProbeOutput& probe) {
  std::array<bool, 4> seen{};
  const auto text = [&](std::size_t which, Place& place, SharedText& is) {
    return !std::exchange(seen[which], true) && place.take(json, pool_, is);
  };
  Value status;
  const bool is_plain = json.object([&](const std::string& key) {
    if (key == "command") return text(0, places.script, probe.script);
    if (key == "standard_output") return text(1, places.standard_output, probe.standard_output);
    if (key == "standard_error") return text(2, places.standard_error, probe.standard_error);
    return key == "exit_status" && !std::exchange(seen[3], true) && json.value(status);
  });
  const std::int64_t* code = status.as_integer();
  if (!is_plain || !seen[0] || !seen[1] || !seen[2]) return false;
  if (code == nullptr || *code < 0 || *code > 255) return false;
  probe.exit_status = static_cast<int>(*code);
  return true;
}

bool SavedFactsReader::take_facts(
    PlainJson& json, Map& members, std::map<std::string, ProbeOutput, std::less<>>& probes) {
  return json.object([&](std::string& key) {
    const auto [member, is_new] = members.try_emplace(std::move(key));
    if (!is_new) return false;
    if (member->first != "probes") return json.value(member->second);
    member->second = Value{Map{}};
    return json.object([&](std::string& id) {
      ProbePlaces& places = places_[id];
      const auto [probe, is_first] = probes.try_emplace(std::move(id));
      return is_first && take_probe(json, places, probe->second);
    });
  });
}

Result<NodeFacts> SavedFactsReader::read(std::string_view text) {
  PlainJson json{text};
  Map members;
  std::map<std::string, ProbeOutput, std::less<>> probes;
  if (take_facts(json, members, probes) && json.end()) {
    // Faults of the rest are reported where the rest is judged.
    NodeFacts facts = FABRIC_TRY(facts_from_value(Value{std::move(members)}));
    facts.probes = std::move(probes);
    return facts;
  }
  NodeFacts facts = FABRIC_TRY(facts_from_value(FABRIC_TRY(parse_json(text))));
  share_texts(facts, pool_);
  return facts;
}

}  // namespace fabric

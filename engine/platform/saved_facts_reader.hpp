// SPDX-License-Identifier: Apache-2.0
// Reads saved facts of many nodes from their texts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/recent.hpp"
#include "engine/base/result.hpp"
#include "engine/base/shared_text.hpp"
#include "engine/platform/facts.hpp"
#include "engine/value/json_plain.hpp"

namespace fabric {

// Machines of one kind answer most probes with the same bytes, and are asked by the same scripts:
// three quarters of a node's file are equal to that of the node before it, and equal parts are not
// parsed again. Give one reader similar nodes.
class SavedFactsReader {
 public:
  // `pool` keeps equal texts of all readers once.
  explicit SavedFactsReader(TextPool& pool) : pool_{pool} {}

  // Returns what facts_from_value(parse_json(text)) does, with the failures of both.
  Result<NodeFacts> read(std::string_view text);

 private:
  // The texts in one place of the earlier files.
  class Place {
   public:
    bool take(PlainJson& json, TextPool& pool, SharedText& text);

   private:
    struct Known {
      std::string written;
      SharedText text;
    };
    Recent<Known> known_;
  };
  struct ProbePlaces {
    Place script, standard_output, standard_error;
  };

  // Returns false if the text must be read as usual JSON.
  bool take_facts(
      PlainJson& json, Map& members, std::map<std::string, ProbeOutput, std::less<>>& probes);
  bool take_probe(PlainJson& json, ProbePlaces& places, ProbeOutput& probe);

  TextPool& pool_;
  std::map<std::string, ProbePlaces, std::less<>> places_;  // by probe id
};

}  // namespace fabric

// SPDX-License-Identifier: Apache-2.0
// Saved facts of many nodes from their texts.
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
// three quarters of what is saved of a node stands in the file of the node before it, and what is
// found there again is not taken apart. Give one reader nodes that are alike.
class SavedFactsReader {
 public:
  // Equal texts of all readers are kept in `pool` once.
  explicit SavedFactsReader(TextPool& pool) : pool_{pool} {}

  // What facts_from_value(parse_json(text)) gives, and the failures of both.
  Result<NodeFacts> read(std::string_view text);

 private:
  // What was written in one place of the files before.
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

  // False: the text is to be read the other way.
  bool take_facts(
      PlainJson& json, Map& members, std::map<std::string, ProbeOutput, std::less<>>& probes);
  bool take_probe(PlainJson& json, ProbePlaces& places, ProbeOutput& probe);

  TextPool& pool_;
  std::map<std::string, ProbePlaces, std::less<>> places_;  // by probe id
};

}  // namespace fabric

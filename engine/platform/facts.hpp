// SPDX-License-Identifier: Apache-2.0
// Facts: the raw output of one node's probes. Observed state is a pure function of facts, so facts
// that were saved plan the same as the live node; nothing here depends on fabric's version.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/base/shared_text.hpp"
#include "engine/model/platform.hpp"
#include "engine/value/value.hpp"

namespace fabric {

struct ProbeOutput {
  SharedText script;  // the question (Probe::script)
  int exit_status = 0;
  SharedText standard_output;
  SharedText standard_error;
  bool operator==(const ProbeOutput&) const = default;
};

struct NodeFacts {
  NodeName node;
  // Set if the node is unreachable: why, and at which stage.
  std::optional<Error> failure;
  std::string host_key_fingerprint;
  std::string taken_at;  // UTC; the only field that differs between two equal nodes
  std::map<std::string, ProbeOutput, std::less<>> probes;  // by probe id
  Platform platform = kUsualPlatform;
  // With a failure: the platform that answered instead of `platform`. It is not saved.
  std::optional<Platform> answers_as = std::nullopt;

  bool reachable() const { return !failure.has_value(); }
  // Output of a probe that ran and exited 0; null otherwise.
  const std::string* output(std::string_view probe) const;
  // The output parsed by `parse`; equal outputs of other nodes are parsed once. It is good for as
  // long as the facts, or a copy of them. REQUIRES: `parse` is a pure function.
  template <class T>
  const T* parsed(std::string_view probe, T (*parse)(std::string_view)) const {
    const SharedText* text = answer(probe);
    return text == nullptr ? nullptr : &text->parsed(parse);
  }
  // As parsed(), or a default-made value if there is no such output.
  template <class T>
  const T& parsed_or_none(std::string_view probe, T (*parse)(std::string_view)) const {
    static const T none{};
    const T* made = parsed(probe, parse);
    return made == nullptr ? none : *made;
  }

 private:
  const SharedText* answer(std::string_view probe) const;
};

// Moves its texts to `pool`, where equal ones of many nodes are kept once.
void share_texts(NodeFacts& facts, TextPool& pool);

// The JSON in the canonical form of files (value/json.hpp).
std::string to_json_pretty(const NodeFacts& facts);
Result<NodeFacts> facts_from_value(Value value);

}  // namespace fabric

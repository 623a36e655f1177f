// Facts: what the probes of one node printed, raw. Observed state is a pure function of facts, so
// facts that were saved plan the same as the live node; nothing here depends on fabric's version.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/node_name.hpp"
#include "engine/base/result.hpp"
#include "engine/model/platform.hpp"
#include "engine/value/value.hpp"

namespace fabric {

struct ProbeOutput {
  std::string script;  // what was asked (Probe::script)
  int exit_status = 0;
  std::string standard_output;
  std::string standard_error;
  bool operator==(const ProbeOutput&) const = default;
};

struct NodeFacts {
  NodeName node;
  // Nullopt: unreachable, `failure` says why and at which stage.
  std::optional<Error> failure;
  std::string host_key_fingerprint;
  std::string taken_at;  // UTC; the only field that differs between two equal nodes
  std::map<std::string, ProbeOutput, std::less<>> probes;  // by probe id
  Platform platform = Platform::linux;

  bool reachable() const { return !failure.has_value(); }
  // Output of a probe that ran and exited 0; null otherwise.
  const std::string* output(std::string_view probe) const;
};

Value to_value(const NodeFacts& facts);
Result<NodeFacts> facts_from_value(const Value& value);

}  // namespace fabric

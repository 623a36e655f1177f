// What the control socket answers.
#pragma once

#include <map>
#include <string>

#include "engine/base/node_name.hpp"
#include "engine/lab/lab.hpp"
#include "engine/value/value.hpp"

namespace fabric::labserver {

// Addresses and the faults that were asked for, beside what the lab itself knows.
struct NodeState {
  std::string address;
  lab::Fault fault = lab::Fault::none;
};
using NodeStates = std::map<NodeName, NodeState>;

// {"nodes": {NAME: {power, address, boots, fault}}, "monitor": {...}}
Value status_of(const lab::Lab& lab, const NodeStates& nodes);

// Performs "status", "fault" or "recable" and gives the answer, {"error", "code"} on failure.
Value perform_request(const Value& request, lab::Lab& lab, NodeStates& nodes);

}  // namespace fabric::labserver

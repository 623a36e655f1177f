// A look at the subnets of one node's ports, over SSH.
#pragma once

#include <string>
#include <vector>

#include "engine/model/names.hpp"
#include "engine/remote/command.hpp"

namespace fabric::verify {

// What ibnetdiscover printed at one port, or why it did not look.
struct WireText {
  std::string from;  // "c101 (mlx5_0/1)"
  std::string text;
  std::string errors;   // what it said on standard error
  std::string why_not;  // "" = it looked
};

struct WireAnswer {
  std::vector<WireText> looks;  // never empty: a node without a port to look from says so
  std::vector<Guid> dark;       // port GUIDs of InfiniBand ports that have no link
};

// Once for each subnet that the node's InfiniBand ports are in, by physical functions only: a
// subnet manager refuses what a virtual one asks. Needs infiniband-diags, root and timeout(1);
// POSIX sh.
remote::Command wire_command();
WireAnswer parse_wire_answer(const NodeName& node, const remote::CommandOutput& output);

}  // namespace fabric::verify

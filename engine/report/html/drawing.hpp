// SPDX-License-Identifier: Apache-2.0
// A fabric as drawn in a page: its nodes and cables, their states, and the details that a click
// opens. The words are for people; the page shows them unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/model/spec.hpp"
#include "engine/value/value.hpp"

namespace fabric::report {

// From the best to the worst: a group has the worst state of its members.
enum class DrawnState : std::uint8_t { fine, unasked, changing, doubtful, unknown, wrong };
std::string_view to_string(DrawnState state);

// A line of an entry: a name, its value, and the value's source. Each may be "".
struct DrawnLine {
  std::string name, text, source;
};
// An entry, "settings/cx5", with a mark before it and the meaning of the mark.
struct DrawnEntry {
  std::string title, mark, meaning;
  std::vector<DrawnLine> lines{};
};
struct DrawnSection {
  std::string title;
  std::vector<DrawnEntry> entries;
};

struct DrawnNode {
  std::string name;
  bool is_switch = false;
  std::string rack{};
  DrawnState state = DrawnState::fine;
  std::vector<DrawnLine> facts{};  // "platform", "linux"
  std::vector<std::string> notes{};
  std::vector<DrawnSection> sections{};
};

struct DrawnCable {
  std::size_t a = 0, b = 0;  // indexes of nodes
  std::string a_port, b_port;
  std::string network, label;
  DrawnState state = DrawnState::fine;
  std::string words{};  // "mis-wired: ..."
};

// A wave of a rollout, or the work before the first one.
struct DrawnWave {
  std::string title, why;
  std::vector<std::size_t> nodes;
  std::vector<DrawnLine> work;  // "settings.set", "pve[1-4]"
};

struct DrawnTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

class Drawing {
 public:
  // The nodes and cables of the document, also of one with errors: a cable end that names no node
  // of it is a node in state wrong.
  explicit Drawing(const FabricSpec& spec);
  // Only nodes, without a document.
  explicit Drawing(const std::vector<NodeName>& names);

  // Null if the drawing has no such node.
  DrawnNode* find(std::string_view name);
  // Makes the state worse, never better.
  static void worsen(DrawnState& state, DrawnState with) {
    if (with > state) state = with;
  }
  // Indexes of the nodes whose names are in a text, ascending.
  std::vector<std::size_t> named_in(std::string_view words) const;
  // Indexes of those of `names` that are drawn.
  std::vector<std::size_t> indexes(const std::vector<NodeName>& names) const;
  // Sets the findings, one by one for nodes and equal ones as one for the fabric.
  void set_findings(const Diagnostics& findings, const SourceMap& sources);

  std::string kind;     // "plan"
  std::string title;    // "fabric plan: pve-ring"
  std::string verdict;  // one sentence
  std::map<DrawnState, std::string> legend;
  std::vector<DrawnNode> nodes;
  std::vector<DrawnCable> cables;
  std::vector<DrawnWave> waves;
  std::vector<DrawnTable> tables;
  std::string text;  // as a terminal shows it

  // The whole drawing with its layout. Every text in it is printable.
  Value value() const;

 private:
  std::size_t index_of(const NodeName& name, DrawnState state_of_stranger);
  void add(DrawnNode node);

  std::map<std::string, std::size_t, std::less<>> indexes_;
  List findings_;  // for the nodes, one by one
  List folded_;    // for the fabric
};

}  // namespace fabric::report

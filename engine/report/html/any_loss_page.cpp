// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/report/html/drawing.hpp"
#include "engine/report/html/page.hpp"
#include "engine/report/html/pages.hpp"
#include "engine/report/verify/losses.hpp"

namespace fabric::report {

namespace {

using verify::AnyLoss;
using verify::Costly;
using verify::Kind;
using verify::LossIn;

constexpr std::size_t kWideText = 100;
// At one node: some hang by much.
constexpr std::size_t kMostNotes = 20;

// A node on which other hosts depend, or one that depends on it.
void draw(Drawing& drawing, const Costly& costly) {
  const verify::Thing& thing = costly.things.front();
  for (const LossIn& loss : costly.losses) {
    const bool cuts = loss.loss.pairs != 0 || !loss.loss.unmanaged.empty();
    const DrawnState state = cuts ? DrawnState::wrong : DrawnState::doubtful;
    const std::string words = fmt::format("without it {} in {}", loss_words(loss), loss.network);
    if (thing.kind == Kind::host || thing.kind == Kind::switch_node) {
      DrawnNode* node = drawing.find(thing.name);
      if (node == nullptr) continue;
      Drawing::worsen(node->state, state);
      node->notes.push_back(words);
    }
    if (!cuts) continue;
    for (const NodeName& host : loss.loss.hosts) {
      DrawnNode* node = drawing.find(host.str());
      if (node == nullptr || node->notes.size() > kMostNotes) continue;
      Drawing::worsen(node->state, DrawnState::doubtful);
      if (thing.kind != Kind::card || host != thing.ends.front())
        node->notes.push_back(
            fmt::format("depends in {} on {} {}", loss.network, to_string(thing.kind), thing.name));
    }
  }
}

void draw_cables(Drawing& drawing, const AnyLoss& all) {
  std::map<std::string, const Costly*> by_name;
  for (const Costly& costly : all.costly) {
    if (costly.things.front().kind == Kind::cable)
      by_name.emplace(costly.things.front().name, &costly);
  }
  for (DrawnCable& cable : drawing.cables) {
    const auto found = by_name.find(fmt::format(
        "{}/{} - {}/{}",
        drawing.nodes[cable.a].name,
        cable.a_port,
        drawing.nodes[cable.b].name,
        cable.b_port));
    if (found == by_name.end()) continue;
    for (const LossIn& loss : found->second->losses) {
      const bool cuts = loss.loss.pairs != 0 || !loss.loss.unmanaged.empty();
      Drawing::worsen(cable.state, cuts ? DrawnState::wrong : DrawnState::doubtful);
      cable.words = "without it " + loss_words(loss);
    }
  }
}

}  // namespace

std::string any_loss_page(const FabricSpec& spec, const AnyLoss& all) {
  Drawing drawing{spec};
  drawing.kind = "graph";
  drawing.title = fmt::format("fabric graph --any 1: {}", spec.name.value);
  drawing.verdict = loss_head(all);
  drawing.text = any_loss_text(all, {false, kWideText, true}).str();
  drawing.legend = {
      {DrawnState::fine, "no host depends on it alone"},
      {DrawnState::doubtful, "depends on one thing, or its loss weakens a bond or a chain"},
      {DrawnState::wrong, "hosts lose each other, or their manager, without it"}};
  for (const Costly& costly : all.costly)
    draw(drawing, costly);
  draw_cables(drawing, all);
  DrawnTable table{
      "Hosts that depend on one thing", {"without", "which", "what is lost", "example"}, {}};
  for (LossRow& row : loss_rows(all))
    table.rows.push_back({row.without, row.names, row.lost, row.example});
  drawing.tables.push_back(std::move(table));
  return html_page(drawing.value());
}

}  // namespace fabric::report

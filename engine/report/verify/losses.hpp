// SPDX-License-Identifier: Apache-2.0
// The effects of outages.
#pragma once

#include <string>
#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/what_if/any_loss.hpp"
#include "engine/verify/what_if/what_if.hpp"

namespace fabric::report {

// The effect of the loss of any one component, or of any two: for people and as JSON.
// One line for components with equal effects, with an example.
Text any_loss_text(const verify::AnyLoss& all, const Style& style);
// {things: {cable: 1296, ...}, combinations, costly: [{things: [{kind, name}], networks: [{network,
// pairs, hosts: [], cut_off, example: [a, b], bonds: [{node, left, all}], unmanaged: [], addresses:
// {working, lost, unknown, why}}]}]}; a network has only keys of what is lost.
Value any_loss_value(const verify::AnyLoss& all);

// "loss of each one, computed from the document: 4 cables, 4 hosts"
std::string loss_head(const verify::AnyLoss& all);
// "1 host reaches no other host"
std::string loss_words(const verify::LossIn& loss);
// A row of the table, for components with equal effects.
struct LossRow {
  std::string without;  // "each of 36 switches"
  std::string names, lost;
  std::string example;  // ""
};
std::vector<LossRow> loss_rows(const verify::AnyLoss& all);

// The effect of an outage, for people and as JSON.
Text losses_text(const verify::Outage& outage, const verify::Losses& losses, const Style& style);
// {down: [], cut: [[a, b]], pairs, lost: [{network, a, b}], bonds: [{network, node, left, all}],
// unmanaged: [{network, hosts: []}], addresses: [{network, working, lost, unknown, example}]}
Value losses_value(const verify::Outage& outage, const verify::Losses& losses);

}  // namespace fabric::report

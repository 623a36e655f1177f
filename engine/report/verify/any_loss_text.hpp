// SPDX-License-Identifier: Apache-2.0
// What the loss of any one thing costs, or of any two: for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "engine/report/terminal/style.hpp"
#include "engine/report/terminal/text.hpp"
#include "engine/value/value.hpp"
#include "engine/verify/what_if/any_loss.hpp"

namespace fabric::report {

// Things that cost the same on one line, with an example.
Text any_loss_text(const verify::AnyLoss& all, const Style& style);
// {things: {cable: 1296, ...}, combinations, costly: [{things: [{kind, name}], networks: [{network,
// pairs, hosts: [], cut_off, example: [a, b], bonds: [{node, left, all}], unmanaged: [],
// addresses: {working, lost, unknown, why}}]}]}; of a network only what is lost of it.
Value any_loss_value(const verify::AnyLoss& all);

// "loss of each one, computed from the document: 4 cables, 4 hosts"
std::string loss_head(const verify::AnyLoss& all);
// "1 host reaches no other host"
std::string loss_words(const verify::LossIn& loss);
// Of things that cost the same.
struct LossRow {
  std::string without;  // "each of 36 switches"
  std::string names, lost;
  std::string example;  // ""
};
std::vector<LossRow> loss_rows(const verify::AnyLoss& all);

}  // namespace fabric::report

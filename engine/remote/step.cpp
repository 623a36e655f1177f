// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/step.hpp"

#include "engine/base/overloaded.hpp"

namespace fabric::remote {

bool may_change(const Step& step) {
  return std::visit(
      Overloaded{
          [](const step::Run& run) { return !run.reads_only; },
          [](const step::RunHere& here) { return here.changes_node; },
          [](const step::Converse& talk) { return !talk.reads_only; },
          [](const step::Pause&) { return false; },
          [](const auto&) {
            return true;
          }},
      step);
}

bool is_sent(const Step& step) {
  return !std::holds_alternative<step::RunHere>(step) && !std::holds_alternative<step::Pause>(step);
}

bool has_gate(const Step& step) {
  return std::visit(
      []([[maybe_unused]] const auto& each) {
        return requires {
          each.gate;
        };
      },
      step);
}

void set_gate(Step& step, const std::string& gate) {
  std::visit(
      [&gate]([[maybe_unused]] auto& each) {
        if constexpr (requires { each.gate; }) each.gate = gate;
      },
      step);
}

std::string_view kind_of(const Step& step) {
  return std::visit(
      Overloaded{
          [](const step::Run&) { return std::string_view{"a command"}; },
          [](const step::WriteFile&) { return std::string_view{"the writing of a file"}; },
          [](const step::CopyFile&) { return std::string_view{"the copy of a file"}; },
          [](const step::RemoveFile&) { return std::string_view{"the removal of a file"}; },
          [](const step::RunHere&) { return std::string_view{"a command of this machine"}; },
          [](const step::Converse&) { return std::string_view{"lines at a prompt"}; },
          [](const step::Pause&) {
            return std::string_view{"a pause"};
          }},
      step);
}

}  // namespace fabric::remote

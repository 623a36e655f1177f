// SPDX-License-Identifier: Apache-2.0
// What a switch answers over HTTPS. Whatever it is, it is as many answers as lines were asked or
// none at all, each is text without a second meaning, and the readers of that text end.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/check.hpp"
#include "engine/platform/mlnxos/json_lines.hpp"
#include "engine/platform/mlnxos/mlnxos_platform.hpp"

namespace fabric::platform {
namespace {

void answer(const std::string& body) {
  const std::vector<Probe> probes{
      mlnxos_platform().identity_probe(),
      {"onyx-lldp", "show lldp remote | json-print"},
      {"onyx-running", "show running-config"},
      {"onyx-sm-running", "show ib smnode {name} sm-running"}};
  const remote::Step step = mlnxos_platform().probe_step(probes, "n", Duration{1000}, false);
  const auto& talk = std::get<remote::step::Converse>(step);
  const remote::LinesByRequest& lines = mlnxos_json_lines();
  static_cast<void>(lines.refusal_of_login({body, 200, false}));
  static_cast<void>(lines.wants_login({body, 200, false}));
  const Result<std::vector<remote::Reply>> replies = lines.replies(talk, body);
  if (!replies) {
    FABRIC_CHECK(!replies.error().message.empty(), "a refusal says why");
    return;
  }
  FABRIC_CHECK(replies->size() == talk.lines.size(), "each line has one answer");
  for (const remote::Reply& reply : *replies)
    FABRIC_CHECK(!reply.refused || reply.text.starts_with('%'), "a refusal is one at the prompt");
  remote::StepResult result;
  result.outcome = remote::Outcome::succeeded;
  result.replies = *replies;
  const auto outputs = mlnxos_platform().probe_outputs(probes, "n", result);
  if (!outputs) return;
  NodeFacts facts{*NodeName::parse("leaf1"), {}, {}, {}, {}};
  facts.probes.insert(outputs->begin(), outputs->end());
  static_cast<void>(mlnxos_platform().identity(facts));
  static_cast<void>(mlnxos_platform().session_path(facts));
}

}  // namespace
}  // namespace fabric::platform

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fabric::platform::answer({data, data + size});
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What a terminal shows, key by key: the pieces are parted by lines `%%`. Whatever a switch shows,
// the conversation ends, answers what was asked and nothing else, and no escape sequence is in it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.hpp"
#include "engine/remote/conversation.hpp"
#include "providers/mlnx_os/machine/mlnxos_platform.hpp"

namespace fabric::platform {
namespace {

constexpr std::string_view kPart = "\n%%\n";

void hold(std::string_view input, const std::vector<Probe>& probes, bool changes) {
  remote::Step step = changes
                          ? mlnxos_platform().command_step({{"interface", "ethernet", "1/1"}, {}})
                          : mlnxos_platform().probe_step(probes, "n", Duration{1000}, false);
  const auto& talk = std::get<remote::step::Converse>(step);
  std::string_view rest = input;
  bool over = false;
  const remote::Conversation held =
      remote::converse(talk, [&](const std::string& /*keys*/) -> std::optional<std::string> {
        if (over) return std::nullopt;
        const std::size_t end = rest.find(kPart);
        const std::string shown{rest.substr(0, end)};
        over = end == std::string_view::npos;
        if (!over) rest.remove_prefix(end + kPart.size());
        static_cast<void>(remote::waits(talk.dialect, remote::plain_text(shown)));
        return shown;
      });
  FABRIC_CHECK(held.replies.size() <= talk.lines.size(), "only what was typed is answered");
  for (const remote::Reply& reply : held.replies)
    FABRIC_CHECK(reply.text.find('\x1b') == std::string::npos, "an answer has no escape sequence");
  if (changes || !held.complete) return;
  remote::StepResult result;
  result.outcome = remote::Outcome::succeeded;
  result.output = held.output;
  result.replies = held.replies;
  platform::ProbeTexts texts;
  const auto outputs = mlnxos_platform().probe_outputs(probes, "n", result, texts);
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
  const std::string text{data, data + size};
  const std::vector<fabric::Probe> probes{
      fabric::platform::mlnxos_platform().identity_probe(),
      {"onyx-running", "show running-config"},
      {"onyx-sm-running", "show ib smnode {name} sm-running"}};
  fabric::platform::hold(text, probes, false);
  fabric::platform::hold(text, probes, true);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The first line names a kind of `fabric parse`, the rest is the tool's output: any bytes are
// either refused with a line or become JSON that reads back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/interface/link_observer.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/parsers.hpp"
#include "providers/parsers/proc_bonding.hpp"

namespace fabric::providers {
namespace {

void read_output(std::string_view input) {
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  const std::string_view kind = input.substr(0, end);
  const std::string_view text = input.substr(end + 1);
  for (const Parser& parser : parsers()) {
    if (parser.kind != kind) continue;
    const Result<Value> value = parser.parse(text);
    if (!value) {
      FABRIC_CHECK(value.error().code == ErrorCode::invalid, "a refusal is of the input");
      FABRIC_CHECK(value.error().message.starts_with("line "), "a refusal has its line");
      continue;
    }
    FABRIC_CHECK(parse_json(to_json(*value)).has_value(), "what is printed reads back");
  }
  if (kind == "onyx-show") {
    const Result<onyx::Configuration> configuration = onyx::Configuration::read(text, false);
    if (configuration) static_cast<void>(configuration->carries("port-channel 4", 100));
    return;
  }
  if (kind != "proc-bonding") return;
  const Result<ProcBonding> bond = parse_proc_bonding(text);
  if (!bond) return;
  for (const BondAilment& ailment : bond_ailments(*bond))
    FABRIC_CHECK(!ailment.text.empty(), "an ailment has a name");
}

}  // namespace
}  // namespace fabric::providers

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::providers::read_output(text);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes as the journal of a run: either refused with the line, or a run that can be shown, and
// that its beginning tells as the whole does up to there.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/execute/journal/journal_read.hpp"
#include "engine/report/run/run_text.hpp"

namespace fabric {
namespace {

void read(std::string_view text) {
  const Result<execute::RunRecord> run = execute::read_journal(text);
  if (!run) {
    FABRIC_CHECK(run.error().code == ErrorCode::invalid, "a refusal is of the input");
    FABRIC_CHECK(run.error().message.starts_with("line "), "a refusal says where");
    return;
  }
  FABRIC_CHECK(!report::run_text(*run, {}).empty(), "a run can be shown");
  FABRIC_CHECK(!report::history_text({*run}).empty(), "a run can be listed");
  // Killed in its last line: one line less is known, and nothing else changes.
  if (text.empty()) return;
  const Result<execute::RunRecord> cut = execute::read_journal(text.substr(0, text.size() - 1));
  FABRIC_CHECK(cut.has_value(), "what a crash leaves can be read");
  FABRIC_CHECK(cut->actions.size() <= run->actions.size(), "it knows no more than the whole");
}

}  // namespace
}  // namespace fabric

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  fabric::read(text);
  return 0;
}

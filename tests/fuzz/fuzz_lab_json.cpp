// SPDX-License-Identifier: Apache-2.0
// Any bytes as the lab.json of a lab: refused as input, or a lab of which everything is told.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/check.hpp"
#include "engine/labserver/lab_service.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  const fabric::Result<fabric::labserver::LabInfo> info = fabric::labserver::parse_lab_info(text);
  if (!info)
    FABRIC_CHECK(info.error().code == fabric::ErrorCode::invalid, "a refusal is of the input");
  return 0;
}

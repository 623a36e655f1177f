// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/manager_records.hpp"

#include "engine/base/text.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kRecord = "SMInfoRecord dump";

// "GUID..................0x0000000000100001", "Priority..............10"
std::optional<ManagerRecord> manager(const SubnetRecord& record) {
  constexpr std::uint64_t kMaster = 3;
  std::optional<Guid> guid;
  std::uint64_t priority = 0, state = 0;
  for (const auto& [key, value] : record) {
    if (key == "GUID") {
      if (const Result<Guid> parsed = Guid::parse(value)) guid = *parsed;
    }
    if (key == "Priority") priority = parse_unsigned(value, 10).value_or(0);
    if (key == "SMState") state = parse_unsigned(value, 10).value_or(0);
  }
  if (!guid) return std::nullopt;
  return ManagerRecord{*guid, priority, state == kMaster};
}

}  // namespace

std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text) {
  const auto records = read_subnet_records(text, kRecord);
  if (!records) return std::nullopt;
  std::vector<ManagerRecord> managers;
  for (const SubnetRecord& record : *records) {
    if (const auto found = manager(record)) managers.push_back(*found);
  }
  return managers;
}

}  // namespace fabric::platform

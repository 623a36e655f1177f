#include "engine/verify/manager_records.hpp"

#include "engine/base/text.hpp"

namespace fabric::verify {

namespace {

constexpr std::string_view kRecord = "SMInfoRecord dump";

struct Record {
  std::optional<Guid> guid;
  std::uint64_t priority = 0, state = 0;
};

// "GUID..................0x0000000000100001", "Priority..............10"
void read_line(Record& record, std::string_view line) {
  const std::size_t dots = line.find("..");
  if (dots == std::string_view::npos) return;
  const std::string_view key = line.substr(0, dots);
  const std::size_t begin = line.find_first_not_of('.', dots);
  const std::string_view value = begin == std::string_view::npos ? "" : trim(line.substr(begin));
  if (key == "GUID") {
    if (const Result<Guid> guid = Guid::parse(value)) record.guid = *guid;
  }
  if (key == "Priority") record.priority = parse_unsigned(value, 10).value_or(0);
  if (key == "SMState") record.state = parse_unsigned(value, 10).value_or(0);
}

}  // namespace

std::optional<std::vector<ManagerRecord>> parse_manager_records(std::string_view text) {
  std::vector<Record> records;
  for (const std::string_view raw : split_lines(text)) {
    const std::string_view line = trim(raw);
    if (line.starts_with(kRecord)) {
      records.emplace_back();
    } else if (!records.empty()) {
      read_line(records.back(), line);
    }
  }
  if (records.empty()) return std::nullopt;
  std::vector<ManagerRecord> managers;
  for (const Record& record : records) {
    constexpr std::uint64_t kMaster = 3;
    if (record.guid) managers.push_back({*record.guid, record.priority, record.state == kMaster});
  }
  return managers;
}

}  // namespace fabric::verify

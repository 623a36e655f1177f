#include "engine/verify/ipoib_groups.hpp"

#include "engine/base/text.hpp"

namespace fabric::verify {

namespace {

constexpr std::string_view kRecord = "MCMember Record dump";
constexpr std::uint16_t kIdentity = 0x7fff;
// The upper two bits of a code say "greater", "less" or "exactly"; facts.md §4b.
constexpr std::uint64_t kCode = 0x3f;

bool is_ipoib_broadcast(std::string_view mgid) {
  return mgid.starts_with("ff1") && mgid.find(":401b:") != std::string_view::npos &&
         mgid.ends_with(":ffff:ffff");
}

std::uint32_t bytes_of(std::uint64_t mtu_code) {
  const std::uint64_t code = mtu_code & kCode;
  return code >= 1 && code <= 5 ? 128U << code : 0;
}

struct Record {
  bool broadcast = false;
  IpoibGroup group;
};

// "mtu.....................0x85"
void read_line(Record& record, std::string_view line) {
  const std::size_t dots = line.find("..");
  if (dots == std::string_view::npos) return;
  const std::string_view key = line.substr(0, dots);
  const std::size_t begin = line.find_first_not_of('.', dots);
  const std::string_view value = begin == std::string_view::npos ? "" : trim(line.substr(begin));
  if (key == "MGID") record.broadcast = is_ipoib_broadcast(value);
  if (!value.starts_with("0x")) return;
  const auto number = parse_unsigned(value.substr(2), 16);
  if (!number) return;
  if (key == "mtu") record.group.mtu = bytes_of(*number);
  if (key == "pkey") record.group.pkey = static_cast<std::uint16_t>(*number & kIdentity);
}

}  // namespace

std::optional<std::vector<IpoibGroup>> parse_ipoib_groups(std::string_view text) {
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
  std::vector<IpoibGroup> groups;
  for (const Record& record : records) {
    if (record.broadcast) groups.push_back(record.group);
  }
  return groups;
}

}  // namespace fabric::verify

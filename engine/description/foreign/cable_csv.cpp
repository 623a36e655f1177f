// SPDX-License-Identifier: Apache-2.0
// Lists of cables: UFM's NDT and SONiC's lab links, which share their columns, and NetBox's two
// forms, a row for each cable and a row for each end. Columns go by their names, never by place.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"

namespace fabric::description {

namespace {

// The header of a list, by column names in lower case.
class Columns {
 public:
  explicit Columns(const CsvRow& header) : line_{header.line} {
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
      std::string name = to_lower(header.cells[i]);
      for (const std::string_view mark : {"\xef\xbb\xbf", "#fields:", "#"}) {
        if (name.starts_with(mark)) name.erase(0, mark.size());
      }
      places_.emplace(std::string{trim(name)}, i);
    }
  }
  bool has(const std::string& name) const { return places_.contains(name); }
  std::string cell(const CsvRow& row, const std::string& name) const {
    const auto place = places_.find(name);
    return place == places_.end() || place->second >= row.cells.size() ? ""
                                                                       : row.cells[place->second];
  }
  Result<void> need(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (!has(name)) return refusal(line_, fmt::format("there is no column '{}'", name));
    }
    return {};
  }

 private:
  std::size_t line_;
  std::map<std::string, std::size_t> places_;
};

bool has_digit(const std::string& port) {
  return port.find_first_of("0123456789") != std::string::npos;
}

Result<void> check_end(const ForeignEnd& end, std::size_t line) {
  if (end.device.empty() || end.port.empty())
    return refusal(line, "an end of the cable has no device or no port");
  if (!has_digit(end.port))
    return refusal(line, fmt::format("'{}' is not a port: it has no number", end.port));
  return {};
}

// "200000" Mb/s, or "200G".
std::string speed_in_gigabits(const std::string& text) {
  const auto number = parse_integer(text);
  constexpr std::int64_t kThousand = 1000;
  if (!number)
    return text.ends_with('G') && parse_integer(text.substr(0, text.size() - 1)) ? text : "";
  if (*number < kThousand) return "";
  return std::to_string(*number / kThousand);
}

// Metres where the list says no unit.
std::string length_of(const std::string& number, const std::string& unit) {
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789.") == std::string::npos;
  if (!is_number) return {};
  return number + (unit.empty() ? "m" : unit);
}

Result<Description> read_start_end(const std::vector<CsvRow>& rows, std::size_t header) {
  const Columns columns{rows[header]};
  FABRIC_TRY(columns.need({"startdevice", "startport", "enddevice", "endport"}));
  Cabling cabling;
  for (std::size_t i = header + 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    if (row.is_comment) continue;
    ForeignCable cable{
        {columns.cell(row, "startdevice"), columns.cell(row, "startport")},
        {columns.cell(row, "enddevice"), columns.cell(row, "endport")}};
    FABRIC_TRY(check_end(cable.a, row.line));
    FABRIC_TRY(check_end(cable.b, row.line));
    cable.length = length_of(columns.cell(row, "cable length"), "");
    cable.speed =
        speed_in_gigabits(columns.cell(row, columns.has("speed") ? "speed" : "bandwidth"));
    cable.line = row.line;
    cabling.cables.push_back(std::move(cable));
  }
  return described(cabling, columns.has("bandwidth") ? "ethernet" : "infiniband");
}

void describe_cable(ForeignCable& cable, const Columns& columns, const CsvRow& row) {
  cable.label = columns.cell(row, "label");
  cable.type = columns.cell(row, "type");
  cable.length = length_of(columns.cell(row, "length"), columns.cell(row, "length_unit"));
  cable.line = row.line;
}

bool is_interface(const std::string& type) {
  return type.empty() || type == "dcim.interface";
}

Result<Description> with_left_out(Result<Description> found, std::size_t left_out) {
  if (found && left_out != 0) {
    found->notes.push_back(fmt::format(
        "Left out: {} of the list, where an end is no interface (power, console, patch panel).",
        counted(left_out, "cable")));
  }
  return found;
}

Result<Description> read_netbox_cables(const std::vector<CsvRow>& rows) {
  const Columns columns{rows.front()};
  FABRIC_TRY(columns.need({"side_a_device", "side_a_name", "side_b_device", "side_b_name"}));
  Cabling cabling;
  std::size_t left_out = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    if (!is_interface(columns.cell(row, "side_a_type")) ||
        !is_interface(columns.cell(row, "side_b_type"))) {
      ++left_out;
      continue;
    }
    ForeignCable cable{
        {columns.cell(row, "side_a_device"), columns.cell(row, "side_a_name")},
        {columns.cell(row, "side_b_device"), columns.cell(row, "side_b_name")}};
    FABRIC_TRY(check_end(cable.a, row.line));
    FABRIC_TRY(check_end(cable.b, row.line));
    describe_cable(cable, columns, row);
    cabling.cables.push_back(std::move(cable));
  }
  return with_left_out(described(cabling, "ethernet"), left_out);
}

Result<Description> read_netbox_ends(const std::vector<CsvRow>& rows) {
  const Columns columns{rows.front()};
  FABRIC_TRY(columns.need({"cable_id", "side", "device", "port"}));
  std::map<std::string, std::vector<const CsvRow*>> ends;
  std::vector<std::string> order;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string id = columns.cell(rows[i], "cable_id");
    if (id.empty()) return refusal(rows[i].line, "the row has no cable_id");
    if (ends[id].empty()) order.push_back(id);
    ends[id].push_back(&rows[i]);
  }
  Cabling cabling;
  std::size_t left_out = 0;
  for (const std::string& id : order) {
    const std::vector<const CsvRow*>& two = ends[id];
    const bool both = two.size() == 2 && is_interface(columns.cell(*two[0], "termination_type")) &&
                      is_interface(columns.cell(*two[1], "termination_type"));
    if (!both) {
      ++left_out;
      continue;
    }
    ForeignCable cable{
        {columns.cell(*two[0], "device"), columns.cell(*two[0], "port")},
        {columns.cell(*two[1], "device"), columns.cell(*two[1], "port")}};
    FABRIC_TRY(check_end(cable.a, two[0]->line));
    FABRIC_TRY(check_end(cable.b, two[1]->line));
    describe_cable(cable, columns, *two[0]);
    cabling.cables.push_back(std::move(cable));
  }
  return with_left_out(described(cabling, "ethernet"), left_out);
}

}  // namespace

Result<Description> parse_cable_csv(std::string_view text) {
  const std::vector<CsvRow> rows = FABRIC_TRY(read_csv(text));
  if (rows.empty()) return refusal(1, "there is no row in it");
  const Columns first{rows.front()};
  if (first.has("side_a_device") || first.has("side_b_device")) return read_netbox_cables(rows);
  if (first.has("cable_id")) return read_netbox_ends(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Columns columns{rows[i]};
    if (columns.has("startdevice") || columns.has("enddevice")) return read_start_end(rows, i);
  }
  return refusal(
      rows.front().line,
      "there is no header with StartDevice, StartPort, EndDevice, EndPort, or side_a_device");
}

}  // namespace fabric::description

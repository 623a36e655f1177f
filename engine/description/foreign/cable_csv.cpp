// SPDX-License-Identifier: Apache-2.0
// Lists of cables: UFM's NDT and SONiC's lab links, which share their columns, and NetBox's two
// forms, a row for each cable and a row for each end. Columns go by their names, never by place.

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/cable_ports.hpp"

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
  const std::string gigabits = number                ? std::to_string(*number / kThousand)
                               : text.ends_with('G') ? text
                                                     : "";
  return cable_gbps(gigabits) == 0 ? "" : gigabits;
}

// Metres where the list says no unit; "" where a document could not say it.
std::string length_of(const std::string& number, const std::string& unit) {
  constexpr std::string_view kUnits[] = {"", "m", "cm", "mm", "km", "ft", "in", "mi"};
  const std::vector<std::string_view> parts = split(number, '.');
  const bool is_number =
      parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
      });
  if (!is_number || std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits))
    return {};
  return number + (unit.empty() ? "m" : unit);
}

// Reads the rows below `header`; lines above it are skipped.
Result<Description> read_start_end(std::string_view text, const CsvRow& header) {
  const Columns columns{header};
  FABRIC_TRY(columns.need({"startdevice", "startport", "enddevice", "endport"}));
  const auto read = [&](Cabling& cabling) -> Result<void> {
    CsvReader reader{text};
    while (const std::optional<CsvRow> row = FABRIC_TRY(reader.next())) {
      if (row->is_comment || row->line <= header.line) continue;
      ForeignCable cable{
          {columns.cell(*row, "startdevice"), columns.cell(*row, "startport")},
          {columns.cell(*row, "enddevice"), columns.cell(*row, "endport")}};
      FABRIC_TRY(check_end(cable.a, row->line));
      FABRIC_TRY(check_end(cable.b, row->line));
      if (!columns.has("bandwidth")) {
        cable.a = end_in_subnet(std::move(cable.a));
        cable.b = end_in_subnet(std::move(cable.b));
      }
      cable.length = length_of(columns.cell(*row, "cable length"), "");
      cable.speed =
          speed_in_gigabits(columns.cell(*row, columns.has("speed") ? "speed" : "bandwidth"));
      cable.line = row->line;
      FABRIC_TRY(cabling.add(std::move(cable)));
    }
    return {};
  };
  const Cabling cabling = FABRIC_TRY(cabling_of(read));
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

Result<Description> read_netbox_cables(std::string_view text, const CsvRow& header) {
  const Columns columns{header};
  FABRIC_TRY(columns.need({"side_a_device", "side_a_name", "side_b_device", "side_b_name"}));
  std::size_t left_out = 0;
  const auto read = [&](Cabling& cabling) -> Result<void> {
    left_out = 0;
    CsvReader reader{text};
    while (const std::optional<CsvRow> row = FABRIC_TRY(reader.next())) {
      if (row->line <= header.line) continue;
      if (!is_interface(columns.cell(*row, "side_a_type")) ||
          !is_interface(columns.cell(*row, "side_b_type"))) {
        ++left_out;
        continue;
      }
      ForeignCable cable{
          {columns.cell(*row, "side_a_device"), columns.cell(*row, "side_a_name")},
          {columns.cell(*row, "side_b_device"), columns.cell(*row, "side_b_name")}};
      FABRIC_TRY(check_end(cable.a, row->line));
      FABRIC_TRY(check_end(cable.b, row->line));
      describe_cable(cable, columns, *row);
      FABRIC_TRY(cabling.add(std::move(cable)));
    }
    return {};
  };
  const Cabling cabling = FABRIC_TRY(cabling_of(read));
  return with_left_out(described(cabling, "ethernet"), left_out);
}

// The ends of one cable: how many were read, and the first two.
struct TwoEnds {
  std::size_t ends = 0;
  bool interfaces = true;
  ForeignCable cable;
};

// Checks each end alone, so that a list is refused before any of its ends is kept.
Result<void> check_ends(std::string_view text, const CsvRow& header, const Columns& columns) {
  CsvReader reader{text};
  while (const std::optional<CsvRow> row = FABRIC_TRY(reader.next())) {
    if (row->line <= header.line) continue;
    if (columns.cell(*row, "cable_id").empty())
      return refusal(row->line, "the row has no cable_id");
    if (is_interface(columns.cell(*row, "termination_type")))
      FABRIC_TRY(check_end({columns.cell(*row, "device"), columns.cell(*row, "port")}, row->line));
  }
  return {};
}

Result<Description> read_netbox_ends(std::string_view text, const CsvRow& header) {
  const Columns columns{header};
  FABRIC_TRY(columns.need({"cable_id", "side", "device", "port"}));
  FABRIC_TRY(check_ends(text, header, columns));
  std::map<std::string, TwoEnds> all;
  std::vector<const TwoEnds*> order;
  CsvReader reader{text};
  while (const std::optional<CsvRow> row = FABRIC_TRY(reader.next())) {
    if (row->line <= header.line) continue;
    TwoEnds& two = all[columns.cell(*row, "cable_id")];
    if (two.ends++ == 0) {
      order.push_back(&two);
      describe_cable(two.cable, columns, *row);
    }
    if (!is_interface(columns.cell(*row, "termination_type"))) two.interfaces = false;
    if (two.ends <= 2)
      (two.ends == 1 ? two.cable.a : two.cable.b) = {
          columns.cell(*row, "device"), columns.cell(*row, "port")};
  }
  Cabling cabling{true};
  std::size_t left_out = 0;
  for (const TwoEnds* two : order) {
    if (two->ends == 2 && two->interfaces) {
      FABRIC_TRY(cabling.add(two->cable));
    } else {
      ++left_out;
    }
  }
  return with_left_out(described(cabling, "ethernet"), left_out);
}

}  // namespace

Result<Description> parse_cable_csv(std::string_view text) {
  CsvReader reader{text};
  std::size_t first_line = 0;
  while (const std::optional<CsvRow> row = FABRIC_TRY(reader.next())) {
    const Columns columns{*row};
    if (first_line == 0) {
      first_line = row->line;
      if (columns.has("side_a_device") || columns.has("side_b_device"))
        return read_netbox_cables(text, *row);
      if (columns.has("cable_id")) return read_netbox_ends(text, *row);
    }
    if (columns.has("startdevice") || columns.has("enddevice")) return read_start_end(text, *row);
  }
  if (first_line == 0) return refusal(1, "the list has no row");
  return refusal(
      first_line,
      "there is no header with StartDevice, StartPort, EndDevice, EndPort, or side_a_device");
}

}  // namespace fabric::description

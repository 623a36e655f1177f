// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/evidence/told_port.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::verify {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::int64_t kMostLanes = 8;  // of a cage

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// Words before the numbers of a port. "sfp-sfpplus1" and "ether1" are two ports of one switch, so
// others say nothing of what the number counts.
bool is_port_word(std::string_view word) {
  constexpr std::array kWords{
      "", "e", "et", "eth", "port", "port ", "fo", "gi", "hu", "te", "twe", "etp"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() ||
         word.ends_with("ethernet") || word.ends_with("gige");
}

// "bridge/qsfp28-3-1" is the port of a bridge, "Ethernet3/1" is none.
std::string_view without_bridge(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool is_port_behind = slash != std::string_view::npos && slash + 1 < text.size() &&
                              kDigits.find(text[slash + 1]) == std::string_view::npos;
  const bool is_module = text.starts_with('l') || text.starts_with('s');  // "L16/U2/20"
  return is_port_behind && !is_module ? text.substr(slash + 1) : text;
}

std::optional<SwitchPort> read(std::string_view written) {
  const std::string lower = to_lower(trim(written));
  std::string_view text = trim(without_bridge(lower));
  if (text.size() > 1 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  if (auto port = SwitchPort::parse(text)) return port;
  const std::size_t digit = text.find_first_of(kDigits);
  if (digit == std::string_view::npos || !is_port_word(text.substr(0, digit))) return std::nullopt;
  return SwitchPort::parse(text.substr(digit));
}

struct Read {
  std::optional<SwitchPort> port;
  bool by_description = false;
};

Read read_neighbour(const Neighbour& neighbour) {
  const bool names_no_port =
      neighbour.port_id_type == "mac" || neighbour.port_id_type == "ip" ||
      (neighbour.port_id_type == "local" && is_number(trim(neighbour.port_id)));
  if (!names_no_port) {
    if (const auto port = read(neighbour.port_id)) return {port, false};
  }
  return {read(neighbour.port_description), true};
}

bool is_written_so(std::string_view told, std::string_view port) {
  return !port.empty() && to_lower(trim(told)) == to_lower(port);
}

// One counts modules, cages or lanes that the other leaves out: "1/7" and "7", "3/1" and "3".
Told compare_numbers(
    const std::vector<std::int64_t>& shorter, const std::vector<std::int64_t>& longer) {
  const bool is_end = std::equal(shorter.rbegin(), shorter.rend(), longer.rbegin());
  const bool is_begin = std::equal(shorter.begin(), shorter.end(), longer.begin());
  if (!is_end && !is_begin) return Told::other;
  const auto first = longer.begin();
  const bool first_modules =
      std::all_of(first, first + std::ssize(longer) - std::ssize(shorter), [](std::int64_t each) {
        return each == 1;
      });
  // No cage has so many lanes, so it counts ports of the first module; and 1/1 is port 1 either
  // way.
  const bool counts_ports = longer.back() > kMostLanes || (is_end && is_begin);
  return is_end && first_modules && counts_ports ? Told::same : Told::unknown;
}

}  // namespace

Told compare_port(const Neighbour& neighbour, std::string_view port) {
  const auto& [told, by_description] = read_neighbour(neighbour);
  const std::optional<SwitchPort> wanted = SwitchPort::parse(port);
  const bool names_port = neighbour.port_id_type == "ifname" ||
                          neighbour.port_id_type == "ifalias" || neighbour.port_id_type == "local";
  if (names_port && !is_number(port) && is_written_so(neighbour.port_id, port)) return Told::same;
  if (!told || !wanted) return Told::unknown;
  if (told->str() == wanted->str()) return Told::same;
  // "port 7" of a description may be written by anyone, and SONiC's "Ethernet4" counts lanes, not
  // ports.
  if (by_description && told->numbers.size() == 1) return Told::unknown;
  if (told->form == wanted->form && told->numbers.size() == wanted->numbers.size())
    return Told::other;
  using Form = SwitchPort::Form;
  if (told->form == Form::numbers && wanted->form == Form::numbers) {
    return told->numbers.size() < wanted->numbers.size()
               ? compare_numbers(told->numbers, wanted->numbers)
               : compare_numbers(wanted->numbers, told->numbers);
  }
  // A part of a split port, or a cage: of that port, or of another one.
  return told->numbers.front() == wanted->numbers.front() || told->form == Form::module ||
                 wanted->form == Form::module
             ? Told::unknown
             : Told::other;
}

std::optional<std::string> told_port(const Neighbour& neighbour) {
  const std::optional<SwitchPort> told = read_neighbour(neighbour).port;
  return told ? std::optional{told->str()} : std::nullopt;
}

}  // namespace fabric::verify

// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/uplink.hpp"

namespace fabric {

namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_physical(std::string_view name) {
  if (!name.starts_with('p')) return false;
  name.remove_prefix(1);
  const std::size_t split = name.find('s');
  return is_number(name.substr(0, split)) &&
         (split == std::string_view::npos || is_number(name.substr(split + 1)));
}

}  // namespace

Uplink uplink_by(std::string_view phys_port_name, std::string_view switch_id) {
  if (is_physical(phys_port_name)) return Uplink::yes;
  const bool tells = !phys_port_name.empty() && !(is_number(phys_port_name) && switch_id.empty());
  return tells ? Uplink::no : Uplink::maybe;
}

}  // namespace fabric

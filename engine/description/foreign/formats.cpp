// SPDX-License-Identifier: Apache-2.0
#include "engine/description/foreign/formats.hpp"

#include "engine/base/text.hpp"
#include "engine/description/foreign/reading.hpp"

namespace fabric::description {

namespace {

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// True if a line of the text, without comments, fulfils `is_one`.
template <class Predicate>
bool has_line(std::string_view text, Predicate is_one) {
  constexpr std::size_t kLinesLooked = 2'000;
  std::size_t looked = 0;
  while (!text.empty()) {
    const std::string_view content = trim(take_line(text));
    if (content.empty() || content.front() == '#') continue;
    if (is_one(content)) return true;
    if (++looked == kLinesLooked) break;
  }
  return false;
}

bool is_topo(std::string_view text) {
  return has_line(text, [](std::string_view line) {
    constexpr std::size_t kWords = 5;
    const std::vector<std::string_view> words = first_words(line, kWords + 1);
    return words.size() == kWords && words[1].ends_with("->") && words[1].starts_with("-");
  });
}

bool is_cable_csv(std::string_view text) {
  const std::string lower = to_lower(text.substr(0, 65'536));
  return contains(lower, "startdevice,") || contains(lower, ",enddevice,") ||
         contains(lower, "side_a_") || lower.starts_with("cable_id,");
}

bool is_lst(std::string_view text) {
  return has_line(text, [](std::string_view line) {
    return line.starts_with("{ ") && contains(line, " NodeGUID:") && contains(line, " PN:");
  });
}

bool is_node_name_map(std::string_view text) {
  bool all = true;
  const bool any = has_line(text, [&all](std::string_view line) {
    const std::size_t quote = line.find('"');
    all = line.starts_with("0x") && quote != std::string_view::npos && line.ends_with('"') &&
          parse_unsigned(trim(line.substr(2, quote - 2)), 16).has_value();
    return true;
  });
  return any && all;
}

bool is_ptm(std::string_view text) {
  return has_line(text, [](std::string_view line) {
    return line.starts_with("graph") || line.starts_with("strict graph");
  });
}

bool is_slurm(std::string_view text) {
  return has_line(text, [](std::string_view line) {
    const std::string lower = to_lower(line);
    return lower.starts_with("switchname=") || lower.starts_with("blockname=") ||
           lower.starts_with("- topology:");
  });
}

bool is_containerlab(std::string_view text) {
  return has_line(text, [](std::string_view line) { return line == "topology:"; });
}

bool is_ansible(std::string_view text) {
  return contains(text, "ansible_") || has_line(text, [](std::string_view line) {
           return line == "all:" || line.starts_with("\"_meta\"") ||
                  (line.starts_with('[') && line.ends_with(']'));
         });
}

}  // namespace

const std::vector<ForeignFormat>& foreign_formats() {
  static const std::vector<ForeignFormat> table{
      {"ansible",
       "Ansible inventory, INI or YAML: addresses and logins",
       is_ansible,
       parse_ansible,
       Nearness::scheduling},
      {"cable-csv", "cable list: UFM's NDT, NetBox, SONiC", is_cable_csv, parse_cable_csv},
      {"containerlab", "containerlab topology", is_containerlab, parse_containerlab},
      {"lst",
       "links of a subnet by ibdiagnet or OpenSM (.lst)",
       is_lst,
       parse_lst,
       Nearness::subnet,
       limits::kSubnetBytes},
      {"ib-node-name-map",
       "names of a subnet's nodes by GUID",
       is_node_name_map,
       parse_node_name_map,
       Nearness::names},
      {"ptm", "PTM topology (DOT)", is_ptm, parse_ptm},
      {"slurm",
       "Slurm's topology.conf or topology.yaml",
       is_slurm,
       parse_slurm,
       Nearness::scheduling},
      {"topo", "ibdm topology (.topo)", is_topo, parse_topo}};
  return table;
}

}  // namespace fabric::description

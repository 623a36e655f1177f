// SPDX-License-Identifier: Apache-2.0
// What equal texts about different nodes have in common, and in what they differ: the names of the
// document, addresses and numbers in them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabric::report {

// A piece of a text that may be another one in an equal text.
struct TextField {
  enum class Kind : std::uint8_t {
    name,     // of the document: "pve1"
    port,     // a number behind a name and '/'
    address,  // of IP, MAC, PCI or a GUID: "10.30.0.1", "fd00::1", "0000:03:00.0"
    number    // that stands alone: "9000"
  };
  Kind kind = Kind::name;
  std::string_view text;
};

struct TextTemplate {
  // The text with a mark in the place of every field. Texts with the same shape have equally many
  // fields of the same kinds.
  std::string shape;
  std::vector<TextField> fields;
};

// `names` is sorted. The fields refer to `text`. REQUIRES: `text` is printable, so that no mark
// stands in it.
TextTemplate take_apart(std::string_view text, const std::vector<std::string>& names);

// The shape with the numbers that stand alone in it: what differs in an MTU is not equal.
std::string shape_with_numbers(const TextTemplate& apart);

// The shape with `fields` in place of its marks. REQUIRES: as many as it has.
std::string put_together(std::string_view shape, const std::vector<std::string>& fields);

// The values as a set in their order (fold_in_order), cut where it gets long: its beginning tells
// what it is, --verbose tells all.
std::string set_in_order(const std::vector<std::string>& values);

// Texts of one shape as one text: fields that are equal in all stand there once, others as a set in
// the order of the texts: "pve[1-3]", "10.30.0.[1,3,5]". REQUIRES: at least one text.
std::string zip_texts(const std::vector<std::string>& texts, const std::vector<std::string>& names);

// The same of a table: of each of some nodes, the texts of each of its equal resources. Each field
// is either equal in all, or a set of one value for each node, for each resource, or for each
// resource of each node in this order; nullopt where one is neither, for then a set would not tell
// which value is whose. REQUIRES: the rows are equally long, and not empty.
std::optional<std::string> zip_table(
    const std::vector<std::vector<std::string>>& table, const std::vector<std::string>& names);

// Names as people order them: numbers in them by value ("pve9" before "pve10").
bool natural_less(std::string_view a, std::string_view b);

}  // namespace fabric::report

// SPDX-License-Identifier: Apache-2.0
// The observed state in layers, each of which may be unknown.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "engine/model/resource.hpp"

namespace fabric {

// The condition for reading an unknown value; empty: fabric knows none.
struct Need {
  std::string package{};  // a package that is not installed
  bool boot = false;      // a boot of the node, which creates the thing to read
  bool empty() const { return package.empty() && !boot; }
  friend bool operator==(const Need&, const Need&) = default;
};

// One attribute in one layer. "Unknown" (unreadable, hidden, unsupported) never equals a value;
// "absent" is known: there is nothing, e.g. no file.
class Reading {
 public:
  static Reading of(Value value) { return Reading{Known{std::move(value)}}; }
  static Reading absent() { return Reading{Absent{}}; }
  static Reading unknown(std::string why, Need needs = {}) {
    return Reading{Unknown{std::move(why), std::move(needs)}};
  }

  bool is_known() const { return std::holds_alternative<Known>(state_); }
  bool is_absent() const { return std::holds_alternative<Absent>(state_); }
  bool is_unknown() const { return std::holds_alternative<Unknown>(state_); }
  bool equals(const Value& wanted) const {
    return is_known() && std::get<Known>(state_).value == wanted;
  }
  // Null unless known.
  const Value* value() const { return is_known() ? &std::get<Known>(state_).value : nullptr; }
  // "" unless unknown.
  std::string why() const { return is_unknown() ? std::get<Unknown>(state_).why : std::string{}; }
  Need needs() const { return is_unknown() ? std::get<Unknown>(state_).needs : Need{}; }
  // "9000", "absent", "unknown (no Current column)"
  std::string text() const;
  friend bool operator==(const Reading&, const Reading&) = default;

 private:
  struct Known {
    Value value;
    friend bool operator==(const Known&, const Known&) = default;
  };
  struct Absent {
    friend bool operator==(const Absent&, const Absent&) = default;
  };
  struct Unknown {
    std::string why;
    Need needs;
    friend bool operator==(const Unknown&, const Unknown&) = default;
  };
  using State = std::variant<Known, Absent, Unknown>;
  explicit Reading(State state) : state_{std::move(state)} {}
  State state_;
};

// A number that is at least the wanted one reads as the wanted one.
Reading at_least(const Reading& found, const Value& desired);

enum class Layer : std::uint8_t { running, next_boot, persistent };
std::string_view to_string(Layer layer);  // "running", "next_boot", "persistent"

// A layer that the attribute does not have is nullopt. Truth has layers (I13):
//   running     what is in force now
//   next_boot   what a card will use after the next reboot (firmware settings)
//   persistent  what a file makes of it at the next boot
struct LayeredReading {
  std::optional<Reading> running, next_boot, persistent;
  // The document says not to judge it: a card in the hands of a guest.
  bool is_left_alone = false;
  const std::optional<Reading>& layer(Layer which) const;
  friend bool operator==(const LayeredReading&, const LayeredReading&) = default;
};

struct Observation {
  ResourceAddress address;
  std::map<std::string, LayeredReading, std::less<>> attributes;
  friend bool operator==(const Observation&, const Observation&) = default;
};

}  // namespace fabric

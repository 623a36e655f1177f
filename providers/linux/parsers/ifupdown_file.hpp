// SPDX-License-Identifier: Apache-2.0
// /etc/network/interfaces and the files that it sources: interfaces(5) of ifupdown and ifupdown2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"

namespace fabric::providers {

struct IfupdownOption {
  std::string key, value;  // "bond-slaves", "ens1 ens2"
  std::size_t line = 1;
};

struct IfupdownStanza {
  std::string keyword;             // "iface", "auto", "allow-hotplug", "source", ...
  std::vector<std::string> words;  // after the keyword
  std::size_t line = 1;
  std::vector<IfupdownOption> options;  // of iface and mapping
  std::size_t last_line = 1;            // of its last option
  // True if a template of ifupdown2 decides whether the stanza exists, or makes lines of it; the
  // template's own lines are options with the key "%".
  bool templated = false;

  bool is_iface(std::string_view name) const {
    return keyword == "iface" && !words.empty() && words[0] == name;
  }
  // "" where the word is left out.
  std::string family() const { return words.size() > 1 ? words[1] : ""; }
  std::string method() const { return words.size() > 2 ? words[2] : ""; }
};

struct IfupdownFile {
  std::vector<IfupdownStanza> stanzas;  // in order
  // The first line that has no place in the format: "line 3: ...".
  std::optional<Error> error;
};

IfupdownFile read_ifupdown(std::string_view text);

}  // namespace fabric::providers

// The programs of a simulated host, by name. One function each; files group them by family.
#pragma once

#include <span>
#include <string_view>

#include "engine/lab/linux/shell/process.hpp"

namespace fabric::lab::commands {

// What puts a program on a host.
enum class Package : std::uint8_t {
  base,
  networkd,
  ifup,  // ifup and ifdown, of whichever
  ifupdown,
  ifupdown2,
  mstconfig,
  mlxconfig,
  lldpd,
  diagnostics,
  opensm,
  perftest,
  iperf3,
  ofed
};

struct Entry {
  std::string_view name;
  std::string_view path;
  Package package;
  Program program;
};

// In order of name.
std::span<const Entry> table();
// Null if there is no such program.
Program find(std::string_view name);

}  // namespace fabric::lab::commands

// SPDX-License-Identifier: Apache-2.0
// The programs of a simulated Linux host, by name: those that the shell starts, and those of
// packages. The table is above (linux/programs.hpp), so that a shell knows no program by name.
#pragma once

#include <span>
#include <string_view>

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {

// The package that puts a program on a host.
enum class Package : std::uint8_t {
  base,
  networkd,
  ifup,  // ifup and ifdown, of whichever
  ifupdown,
  ifupdown2,
  netplan,
  networkmanager,
  mstconfig,
  mlxconfig,
  lldpd,
  diagnostics,
  opensm,
  perftest,
  iperf3,
  ofed
};

struct ProgramEntry {
  std::string_view name;
  std::string_view path;
  Package package;
  Program program;
};

struct ProgramTable {
  std::span<const ProgramEntry> entries;
  // Null if there is no such program.
  Program find(std::string_view name) const;
};

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// The programs of a service console, and their paths.
#include <array>

#include "providers/esx_classic/lab/esx_classic_programs.hpp"
#include "providers/linux/lab/commands/families.hpp"

namespace fabric::lab {
namespace {

using P = Package;

constexpr auto kEntries = std::to_array<ProgramEntry>({
    {"[", "/usr/bin/[", P::base, commands::builtin},
    {"cat", "/usr/bin/cat", P::base, commands::cat},
    {"echo", "/usr/bin/echo", P::base, commands::builtin},
    {"env", "/usr/bin/env", P::base, commands::env},
    {"esxcfg-advcfg", "/usr/sbin/esxcfg-advcfg", P::base, esx_classic::esxcfg_advcfg},
    {"esxcfg-boot", "/usr/sbin/esxcfg-boot", P::base, esx_classic::esxcfg_boot},
    {"esxcfg-module", "/usr/sbin/esxcfg-module", P::base, esx_classic::esxcfg_module},
    {"esxcfg-nics", "/usr/sbin/esxcfg-nics", P::base, esx_classic::esxcfg_nics},
    {"esxcfg-vswif", "/usr/sbin/esxcfg-vswif", P::base, esx_classic::esxcfg_vswif},
    {"esxcfg-vswitch", "/usr/sbin/esxcfg-vswitch", P::base, esx_classic::esxcfg_vswitch},
    {"esxupdate", "/usr/sbin/esxupdate", P::base, esx_classic::esxupdate},
    {"false", "/usr/bin/false", P::base, commands::builtin},
    {"grep", "/usr/bin/grep", P::base, commands::grep},
    {"hostname", "/usr/bin/hostname", P::base, commands::hostname},
    {"ibstat", "/usr/sbin/ibstat", P::base, esx_classic::ibstat},
    {"ls", "/usr/bin/ls", P::base, commands::ls},
    {"lspci", "/usr/sbin/lspci", P::base, esx_classic::lspci},
    {"mkdir", "/usr/bin/mkdir", P::base, commands::mkdir},
    {"mv", "/usr/bin/mv", P::base, commands::mv},
    {"printf", "/usr/bin/printf", P::base, commands::builtin},
    {"reboot", "/usr/sbin/reboot", P::base, commands::reboot},
    {"rm", "/usr/bin/rm", P::base, commands::rm},
    {"rpm", "/usr/bin/rpm", P::base, esx_classic::rpm},
    {"sed", "/usr/bin/sed", P::base, commands::sed},
    {"sh", "/usr/bin/sh", P::base, commands::sh},
    {"sleep", "/usr/bin/sleep", P::base, commands::pause},
    {"sync", "/usr/bin/sync", P::base, commands::sync},
    {"test", "/usr/bin/test", P::base, commands::builtin},
    {"touch", "/usr/bin/touch", P::base, commands::touch},
    {"tr", "/usr/bin/tr", P::base, commands::tr},
    {"true", "/usr/bin/true", P::base, commands::builtin},
    {"vmkload_mod", "/usr/sbin/vmkload_mod", P::base, esx_classic::vmkload_mod},
    {"vmware", "/usr/bin/vmware", P::base, esx_classic::vmware},
    {"vmware-cmd", "/usr/bin/vmware-cmd", P::base, esx_classic::vmware_cmd},
    {"vmware-vim-cmd", "/usr/bin/vmware-vim-cmd", P::base, esx_classic::vim_cmd},
});

}  // namespace

const ProgramTable& esx_classic_programs() {
  static const ProgramTable table{kEntries};
  return table;
}

}  // namespace fabric::lab

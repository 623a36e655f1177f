// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/platforms.hpp"

#include "engine/lab/esx_classic/esx_classic_machine.hpp"
#include "engine/lab/esxi/esxi_machine.hpp"
#include "engine/lab/linux/linux_machine.hpp"
#include "engine/lab/mlnxos/mlnxos_machine.hpp"
#include "engine/lab/nvue/nvue_machine.hpp"

namespace fabric::lab {

const std::map<Platform, MachineMaker>& built_in_makers() {
  static const std::map<Platform, MachineMaker> makers{
      {Platform::cumulus, make_cumulus_machine},
      {Platform::esx_classic, make_esx_classic_machine},
      {Platform::esxi, make_esxi_machine},
      {Platform::linux, make_linux_machine},
      {Platform::mlnx_os, make_mlnxos_machine},
      {Platform::nvos, make_nvos_machine},
  };
  return makers;
}

}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
#include "providers/simulated/simulated_platforms.hpp"

#include "providers/esx_classic/copy/simulated_esx_classic.hpp"
#include "providers/esx_classic/lab/esx_classic_machine.hpp"
#include "providers/esxi/copy/simulated_esxi.hpp"
#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/linux/copy/simulated_linux.hpp"
#include "providers/linux/lab/linux_machine.hpp"
#include "providers/mlnx_os/copy/simulated_mlnxos.hpp"
#include "providers/mlnx_os/lab/mlnxos_machine.hpp"
#include "providers/nvue/copy/simulated_nvue.hpp"
#include "providers/nvue/lab/nvue_machine.hpp"

namespace fabric::providers {

const rehearse::SimulatedPlatforms& simulated_platforms() {
  static const rehearse::SimulatedPlatforms platforms{{
      {Platform::cumulus, lab::make_cumulus_machine, rehearse::simulated_nvue()},
      {Platform::esx_classic, lab::make_esx_classic_machine, rehearse::simulated_esx_classic()},
      {Platform::esxi, lab::make_esxi_machine, rehearse::simulated_esxi()},
      {Platform::linux, lab::make_linux_machine, rehearse::simulated_linux()},
      {Platform::mlnx_os, lab::make_mlnxos_machine, rehearse::simulated_mlnxos()},
      {Platform::nvos, lab::make_nvos_machine, rehearse::simulated_nvue()},
  }};
  return platforms;
}

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/simulated_platforms.hpp"

#include <map>

#include "engine/rehearse/esx_classic/simulated_esx_classic.hpp"
#include "engine/rehearse/esxi/simulated_esxi.hpp"
#include "engine/rehearse/linux/simulated_linux.hpp"
#include "engine/rehearse/mlnxos/simulated_mlnxos.hpp"
#include "engine/rehearse/nvue/simulated_nvue.hpp"

namespace fabric::rehearse {

const SimulatedPlatform* simulated_platform(Platform platform) {
  static const std::map<Platform, const SimulatedPlatform*> platforms{
      {Platform::cumulus, &simulated_nvue()},
      {Platform::esx_classic, &simulated_esx_classic()},
      {Platform::esxi, &simulated_esxi()},
      {Platform::linux, &simulated_linux()},
      {Platform::mlnx_os, &simulated_mlnxos()},
      {Platform::nvos, &simulated_nvue()},
  };
  const auto found = platforms.find(platform);
  return found == platforms.end() ? nullptr : found->second;
}

}  // namespace fabric::rehearse

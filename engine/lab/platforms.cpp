#include "engine/lab/platforms.hpp"

#include "engine/lab/linux/linux_machine.hpp"

namespace fabric::lab {

const std::map<Platform, MachineMaker>& built_in_makers() {
  static const std::map<Platform, MachineMaker> makers{
      {Platform::linux, make_linux_machine},
  };
  return makers;
}

}  // namespace fabric::lab

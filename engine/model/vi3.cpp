// SPDX-License-Identifier: Apache-2.0
#include "engine/model/vi3.hpp"

namespace fabric {

bool is_vi3(const NodeSpec& node) {
  const std::string& release = node.os->release.value;
  const std::size_t digit = release.find_first_of("0123456789");
  return traits(node.platform.value).service_console && digit != std::string::npos &&
         release[digit] == '3';
}

}  // namespace fabric

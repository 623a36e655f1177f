// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.hpp"

namespace fabric {

Error with_context(Error error, const std::string& context) {
  error.message.insert(0, context + ": ");
  return error;
}

}  // namespace fabric

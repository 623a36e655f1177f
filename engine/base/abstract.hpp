// SPDX-License-Identifier: Apache-2.0
// Abstract: what is used by its base alone, and is never copied.
#pragma once

namespace fabric {

class Abstract {
 public:
  Abstract() = default;
  Abstract(const Abstract&) = delete;
  Abstract& operator=(const Abstract&) = delete;
  virtual ~Abstract() = default;
};

}  // namespace fabric

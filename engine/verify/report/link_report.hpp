// SPDX-License-Identifier: Apache-2.0
// The true state of the link of each port of the document.
#pragma once

#include <string>

#include "engine/model/names.hpp"
#include "engine/platform/link_readings.hpp"

namespace fabric::verify {

struct LinkReport {
  PortRef port;
  std::string interface;          // network device
  platform::LinkReading reading;  // empty if `why_unknown` is set
  std::string why_unknown;
  // The firmware version, PSID and model of the adapter; "" = unknown.
  std::string firmware, psid, model;
};

}  // namespace fabric::verify

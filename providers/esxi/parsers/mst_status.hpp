// SPDX-License-Identifier: Apache-2.0
// `mst status` and `mst status -vv` of the vendor's firmware tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct MstDevice {
  std::string name;  // "mt4121_pciconf0", with "/dev/mst/" where the tool prints it
  std::string type;  // "ConnectX5(rev:0)"; "" without -vv
  std::string pci;   // "0000:02:00.0"; "" without -vv
  std::string net;   // "vmnic2"; "" = none or unknown
  std::size_t line = 1;

  // The second port of a card ("mt4121_pciconf0.1") has the settings of the first.
  bool is_second_port() const { return name.find('.') != std::string::npos; }
};

// The devices. Cells of the wide table may be empty, so each is recognised by its form, never by
// its column. Empty if guests have all cards. Fails with ErrorCode::invalid, "line N: ...", on a
// line of another shape and on a text without a heading.
Result<std::vector<MstDevice>> parse_mst_status(std::string_view text);
Value to_value(const std::vector<MstDevice>& devices);

}  // namespace fabric::providers

// SPDX-License-Identifier: Apache-2.0
// Lists that esxcli prints about the network of an ESXi host: NICs, RDMA devices, virtual functions
// and standard virtual switches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct EsxNic {
  std::string name;    // "vmnic2"
  std::string pci;     // "0000:5e:00.0"; "N/A" of a NIC on no PCI bus
  std::string driver;  // "nmlx5_core"
  std::string mac;
  std::string admin_status;     // "Up", "Down"; "" = unknown (before 6.0)
  std::string link_status;      // "Up", "Down"
  std::int64_t speed_mbps = 0;  // of a port that is down, too, at times: says nothing of the link
  std::int64_t mtu = 0;
  std::string description;
  std::size_t line = 1;
};

// `esxcli network nic list` in any form. Fails with ErrorCode::invalid, "line N: ...".
Result<std::vector<EsxNic>> parse_esxcli_nic_list(std::string_view text);
Value to_value(const std::vector<EsxNic>& nics);

struct EsxRdmaDevice {
  std::string name;    // "vmrdma0"
  std::string driver;  // "nmlx5_rdma"
  std::string state;   // "Active", "Down"
  std::string uplink;  // "vmnic2"
  std::string speed;   // "100 Gbps"
  std::size_t line = 1;
};

// `esxcli rdma device list` in any form; a host without such devices prints nothing. Fails with
// ErrorCode::invalid, "line N: ...".
Result<std::vector<EsxRdmaDevice>> parse_esxcli_rdma_list(std::string_view text);
Value to_value(const std::vector<EsxRdmaDevice>& devices);

struct EsxVirtualFunction {
  std::int64_t number = 0;
  bool active = false;  // a guest uses it
  std::string pci;      // "0000:4b:11.0", whichever form was printed
  std::string owner;    // world id; "" = none
  std::size_t line = 1;
};

// `esxcli network sriovnic vf list -n NIC`, the table with or without its heading. Until 8.0.2 the
// domain has five digits and bus and slot are decimal, since 8.0.3 four and hexadecimal
// (E-esxi-vf-address). A NIC without SR-IOV has none. Fails with ErrorCode::invalid, "line N: ...".
Result<std::vector<EsxVirtualFunction>> parse_esxcli_vf_list(std::string_view text);
Value to_value(const std::vector<EsxVirtualFunction>& functions);

struct EsxVswitch {
  std::string name;
  std::int64_t mtu = 0;
  std::vector<std::string> uplinks, port_groups;
  std::string cdp;  // "listen", "both"
  std::size_t line = 1;
};

// `esxcli network vswitch standard list`: its blocks. Fails with ErrorCode::invalid, "line N: ...".
Result<std::vector<EsxVswitch>> parse_esxcli_vswitch_list(std::string_view text);
// `esxcli network vswitch dvs vmware list`: the same of distributed switches, without port groups.
// A host without any prints nothing.
Result<std::vector<EsxVswitch>> parse_esxcli_dvs_list(std::string_view text);
Value to_value(const std::vector<EsxVswitch>& switches);

}  // namespace fabric::providers

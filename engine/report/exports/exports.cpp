// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/exports.hpp"

#include <array>

#include <fmt/format.h>

#include "engine/base/printable.hpp"
#include "engine/model/names.hpp"

namespace fabric::report {

namespace {

constexpr std::array kFormats{
    ExportFormat{"ansible", "Ansible inventory (YAML): addresses and logins", ansible_inventory},
    ExportFormat{
        "ceph", "networks for ceph.conf: settings that follow from the document", ceph_networks},
    ExportFormat{"hosts", "the file hosts: management and fabric addresses", hosts_file},
    ExportFormat{"ib-node-name-map", "names of switches and cards by node GUID", node_name_map},
    ExportFormat{"ibsim", "net file of the simulator ibsim: InfiniBand networks", ibsim_net},
    ExportFormat{
        "mpi", "environment of Open MPI: settings that follow from the document", mpi_environment},
    ExportFormat{
        "nccl", "environment of NCCL: settings that follow from the document", nccl_environment},
    ExportFormat{"netbox", "cables for NetBox's bulk import (CSV)", netbox_cables},
    ExportFormat{"nhc", "check lines of LBNL Node Health Check", nhc_checks},
    ExportFormat{
        "pairs", "which addresses each two hosts of a ring use for each other", pairs_table},
    ExportFormat{
        "prometheus", "targets of node exporters for file_sd_configs (JSON)", prometheus_targets},
    ExportFormat{"ptm", "PTM topology (DOT): networks that speak LLDP", ptm_topology},
    ExportFormat{"slurm", "Slurm's topology.conf", slurm_topology},
    ExportFormat{"slurm-yaml", "Slurm's topology.yaml", slurm_yaml_topology},
    ExportFormat{"topo", "ibdm topology (.topo): InfiniBand networks", topo_file},
    ExportFormat{
        "ucx", "environment of UCX: settings that follow from the document", ucx_environment}};

// The first name or text that can't be written; "" = all can.
std::string find_unwritable(const FabricSpec& spec) {
  const auto wrong_name = [](const std::string& name) {
    return !wrong_in_name(name).empty();
  };
  for (const auto& [name, node] : spec.nodes) {
    for (const AdapterSpec& adapter : *node.adapters) {
      if (wrong_name(adapter.name)) return adapter.name;
    }
    for (const auto& [key, value] : node.labels) {
      if (!is_one_line(key)) return key;
      if (!is_one_line(value.value)) return value.value;
    }
    for (const std::string* text : {&node.address.value, &node.system_name.value}) {
      if (!is_one_line(*text)) return *text;
    }
  }
  for (const auto& [name, network] : spec.networks) {
    if (wrong_name(name)) return name;
    for (const VlanSpec& vlan : network.vlans) {
      if (wrong_name(vlan.name)) return vlan.name;
    }
    for (const PartitionSpec& partition : network.partitions) {
      if (!is_one_line(partition.name)) return partition.name;
    }
    for (const CableSpec& cable : network.cables) {
      for (const std::string* text : {&cable.label, &cable.length, &cable.type, &cable.speed}) {
        if (!is_one_line(*text)) return *text;
      }
    }
  }
  return {};
}

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

Result<std::string> write_export(const ExportFormat& format, const FabricSpec& spec) {
  const std::string wrong = find_unwritable(spec);
  if (!wrong.empty()) {
    return Error{
        ErrorCode::invalid, fmt::format("'{}' can't stand in a line of {}", wrong, format.name)};
  }
  return format.write(spec);
}

}  // namespace fabric::report

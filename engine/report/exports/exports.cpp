// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/exports.hpp"

#include <array>

namespace fabric::report {

namespace {

constexpr std::array kFormats{
    ExportFormat{"ansible", "Ansible inventory (YAML): addresses and logins", ansible_inventory},
    ExportFormat{"ceph", "networks for ceph.conf: what follows from the document", ceph_networks},
    ExportFormat{"hosts", "the file hosts: management and fabric addresses", hosts_file},
    ExportFormat{"ibsim", "net file of the simulator ibsim: InfiniBand networks", ibsim_net},
    ExportFormat{"mpi", "environment of Open MPI: what follows from the document", mpi_environment},
    ExportFormat{"nccl", "environment of NCCL: what follows from the document", nccl_environment},
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
    ExportFormat{"ucx", "environment of UCX: what follows from the document", ucx_environment}};

}  // namespace

std::span<const ExportFormat> export_formats() {
  return kFormats;
}

}  // namespace fabric::report

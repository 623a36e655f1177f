// SPDX-License-Identifier: Apache-2.0
// The formats of `fabric export`: the document for other tools. A new format is a file and a row of
// the table. Pure: from the expanded model to a text. Parts that the format can't express are left
// out. Text of the document is never syntax of the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.hpp"
#include "engine/model/spec.hpp"

namespace fabric::report {

struct ExportFormat {
  std::string_view name;     // "topo"
  std::string_view summary;  // "ibdm topology (.topo) of the InfiniBand networks"
  // Returns a whole text with its final newline. Fails with ErrorCode::invalid if the document has
  // nothing that the format can express.
  Result<std::string> (*write)(const FabricSpec& spec);
};

// The formats in order of name.
std::span<const ExportFormat> export_formats();

// Writes `spec` in the format. Also fails where a name or a text of the document could not be part
// of a line of a file; the reader of documents refuses those already, and this checks again.
Result<std::string> write_export(const ExportFormat& format, const FabricSpec& spec);

Result<std::string> ansible_inventory(const FabricSpec& spec);
Result<std::string> ceph_networks(const FabricSpec& spec);
Result<std::string> hosts_file(const FabricSpec& spec);
Result<std::string> ibsim_net(const FabricSpec& spec);
Result<std::string> mpi_environment(const FabricSpec& spec);
Result<std::string> nccl_environment(const FabricSpec& spec);
Result<std::string> netbox_cables(const FabricSpec& spec);
Result<std::string> nhc_checks(const FabricSpec& spec);
Result<std::string> node_name_map(const FabricSpec& spec);
Result<std::string> pairs_table(const FabricSpec& spec);
Result<std::string> prometheus_targets(const FabricSpec& spec);
Result<std::string> ptm_topology(const FabricSpec& spec);
Result<std::string> slurm_topology(const FabricSpec& spec);
Result<std::string> slurm_yaml_topology(const FabricSpec& spec);
Result<std::string> topo_file(const FabricSpec& spec);
Result<std::string> ucx_environment(const FabricSpec& spec);

}  // namespace fabric::report

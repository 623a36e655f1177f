#include "engine/model/partition_ports.hpp"

#include "engine/base/text.hpp"

namespace fabric {

bool means_port(std::string_view who, const PortRef& port) {
  if (who == "ALL") return true;
  const std::vector<std::string_view> parts = split(who, '/');
  if (parts.front() != port.node.str()) return false;
  const bool whole_node = parts.size() == 1;
  const bool port_only = parts.size() == 2 && port.port == parts[1];
  return whole_node || port_only || port.str() == who;
}

}  // namespace fabric

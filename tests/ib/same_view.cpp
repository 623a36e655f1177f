// SPDX-License-Identifier: Apache-2.0
// Is what libibnetdisc sees from this machine the ObservedTopology that is read from
// ibnetdiscover's text? usage: same_view TEXT, attached as `fabric` would be. Exit 0: the same; 1:
// the first difference; 77: it was built without the library.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/ibnet/look.hpp"
#include "engine/value/json.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace {

// What both can tell: the library also has the state of ports, the text the lines that it stands
// in.
void reduce(fabric::ObservedTopology& topology) {
  for (fabric::IbNode& node : topology.nodes) {
    node.line = 1;
    std::erase_if(node.ports, [](const fabric::IbPort& port) { return !port.peer; });
    for (fabric::IbPort& port : node.ports) {
      port.line = 1;
      port.state.reset();
      port.physical.reset();
      // Of a switch's port the text has no GUID of its own but that of port 0, of which all have
      // one.
      if (port.peer->type == fabric::IbNodeType::switch_node) port.peer->port_guid.reset();
    }
  }
  std::sort(topology.nodes.begin(), topology.nodes.end(), [](const auto& a, const auto& b) {
    return a.guid < b.guid;
  });
  topology.notes.clear();
}

int compare(fabric::ObservedTopology text, fabric::ObservedTopology seen) {
  reduce(text);
  reduce(seen);
  std::printf("text: %zu nodes, libibnetdisc: %zu nodes\n", text.nodes.size(), seen.nodes.size());
  for (std::size_t i = 0; i < std::min(text.nodes.size(), seen.nodes.size()); ++i) {
    fabric::ObservedTopology one;
    fabric::ObservedTopology other;
    one.nodes = {text.nodes[i]};
    other.nodes = {seen.nodes[i]};
    const std::string a = fabric::to_json(fabric::to_value(one));
    const std::string b = fabric::to_json(fabric::to_value(other));
    if (a == b) continue;
    std::printf("text:         %s\nlibibnetdisc: %s\n", a.c_str(), b.c_str());
    return 1;
  }
  const bool same = text.nodes.size() == seen.nodes.size() && text.from_node == seen.from_node &&
                    text.from_port == seen.from_port;
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  if (!fabric::ibnet::is_available()) return kSkipped;
  if (argc != 2) return 2;
  std::ifstream file{argv[1]};
  const std::string content{std::istreambuf_iterator<char>{file}, {}};
  const auto text = fabric::providers::parse_ibnetdiscover(content);
  const auto looks = fabric::ibnet::look();
  if (!text || !looks || !looks->front().topology) {
    std::puts(
        !text    ? text.error().message.c_str()
        : !looks ? looks.error().message.c_str()
                 : looks->front().why_not.c_str());
    return 2;
  }
  return compare(*text, *looks->front().topology);
}

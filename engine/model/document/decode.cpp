// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/decode.hpp"

#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"

namespace fabric {

std::vector<std::string> node_names(const FabricSpec& spec) {
  std::vector<std::string> names;
  names.reserve(spec.nodes.size());
  for (const auto& [name, node] : spec.nodes)
    names.push_back(name.str());
  return names;
}

FabricSpec decode_document(const yaml::Node& document, Diagnostics& diagnostics) {
  FabricSpec spec;
  Findings findings;
  spec.name = read_text(Layers{document}, "name");
  decode_nodes(document, spec, findings);
  decode_networks(document, spec, findings);
  spec.isolated = decode_isolated(document, spec, findings);
  spec.rollout = decode_rollout(document, findings);
  spec.hooks = decode_hooks(Layers{document}.section("hooks"));
  diagnostics.append(findings.take());
  return spec;
}

}  // namespace fabric

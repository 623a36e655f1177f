// SPDX-License-Identifier: Apache-2.0
#include "engine/model/topology/failure_domains.hpp"

#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

FabricSpec spec(const std::string& per) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", R"(apiVersion: fabric/v1
name: case
rollout: {per: )" + per + R"(}
nodes:
  a[1-4]: {adapters: {"hca[0-1]": {model: connectx-6, ports: 1}}}
  b[1-2]: {labels: {switch: store}, adapters: {hca0: {model: connectx-6, ports: 1}}}
  leaf[1-3]: {platform: unmanaged}
networks:
  lan:
    mode: ethernet
    cables:
      - ["a[1-2]/hca0/1", "leaf1/[1-2]"]
      - ["a[1-2]/hca1/1", "leaf2/[1-2]"]
      - ["a[3-4]/hca0/1", "leaf3/[3-4]"]
      - ["b[1-2]/hca0/1", "leaf1/[5-6]"]
      - [leaf1/30, leaf2/30]
)");
  return load_document(sources, {file}).spec;
}

NodeName node(const char* name) {
  return *NodeName::parse(name);
}

TEST_CASE("nodes at the same switches are one failure domain, unless a label says otherwise") {
  const FailureDomains domains{spec("switch")};
  CHECK(domains.of(node("a1")) == "leaf1,leaf2");
  CHECK(domains.of(node("a2")) == "leaf1,leaf2");
  CHECK(domains.of(node("a3")) == "leaf3");
  CHECK(domains.of(node("b1")) == "store");
  CHECK(domains.count({node("a2"), node("a3"), node("b1")}, node("a1")) == 1);
}

TEST_CASE("cables say nothing of another label") {
  const FailureDomains domains{spec("rack")};
  CHECK(domains.of(node("a1")).empty());
  CHECK(domains.of(node("a3")).empty());
}

}  // namespace
}  // namespace fabric

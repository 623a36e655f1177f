// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/session/connect.hpp"

#include <cstdlib>

#include "engine/cli/lab/lab_text.hpp"
#include "engine/cli/session/password.hpp"
#include "engine/model/document/load.hpp"

#include "tests/support/catch.hpp"

namespace fabric::cli {

namespace {

FabricSpec load(const std::string& text) {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", text);
  LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& item : loaded.diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE_FALSE(loaded.diagnostics.has_errors());
  loaded.spec.reached = {Platform::linux};
  return std::move(loaded.spec);
}

}  // namespace

TEST_CASE("ssh keys of the document become a target", "[cli]") {
  setenv("HOME", "/home/me", 1);
  const FabricSpec spec = load(R"(apiVersion: fabric/v1
name: x
nodes:
  gate: {address: 192.0.2.1, ssh: {user: jump, port: 2222}}
  pve1:
    address: 192.0.2.11
    ssh: {user: admin, port: 22, identity_file: ~/.ssh/id, via: gate, become: sudo, host_key: "SHA256:abc"}
)");
  const SystemClock clock;
  const auto targets = ssh_targets(spec, {}, clock);
  REQUIRE(targets);
  const ssh::Target& target = targets->at(*NodeName::parse("pve1"));
  CHECK(target.host == "192.0.2.11");
  CHECK(target.port == 22);
  CHECK(target.user == "admin");
  CHECK(target.identity_files == std::vector<std::string>{"/home/me/.ssh/id"});
  CHECK(target.jumps == std::vector<std::string>{"jump@192.0.2.1:2222"});
  CHECK(target.sudo);
  CHECK(target.pinned_host_key == "SHA256:abc");
}

TEST_CASE("via in a circle is refused by name", "[cli]") {
  FabricSpec spec = load(R"(apiVersion: fabric/v1
name: x
nodes:
  a: {}
  b: {}
)");
  // A rule refuses such a document; the connection must not hang on one all the same.
  spec.nodes.at(*NodeName::parse("a")).ssh.edit().via.value = "b";
  spec.nodes.at(*NodeName::parse("b")).ssh.edit().via.value = "a";
  CHECK(ssh_targets(spec, {}, SystemClock{}).error().message == "a: ssh.via leads in a circle");
}

TEST_CASE("the lab's own document is a valid ring", "[cli]") {
  for (const std::size_t nodes : {2U, 4U, 200U}) {
    const FabricSpec spec = load(ring_document(nodes));
    CHECK(spec.nodes.size() == nodes);
    CHECK(spec.networks.at("storage").cables.size() == nodes);
  }
}

}  // namespace fabric::cli

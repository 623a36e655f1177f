// SPDX-License-Identifier: Apache-2.0
#include "engine/model/document/load.hpp"
#include "engine/yaml/parse.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

struct Merged {
  SourceMap sources;
  Diagnostics diagnostics;
  yaml::Node tree;
};

Merged merge(const std::vector<std::string>& texts) {
  Merged merged;
  std::vector<yaml::Node> documents;
  for (const std::string& text : texts) {
    const FileId file = merged.sources.add(std::to_string(documents.size()) + ".yaml", text);
    documents.push_back(yaml::parse(merged.sources, file, merged.diagnostics));
  }
  merged.tree = merge_documents(std::move(documents), merged.diagnostics);
  return merged;
}

TEST_CASE("the mappings of several files merge recursively") {
  const Merged merged = merge(
      {"nodes:\n  a: {host: 1}\n", "nodes:\n  b: {host: 2}\n  a: {address: x}\n", "name: f\n"});
  CHECK(merged.diagnostics.empty());
  const yaml::Node* nodes = merged.tree.find("nodes");
  REQUIRE(nodes != nullptr);
  REQUIRE(nodes->entries.size() == 2);
  CHECK(nodes->find("a")->find("host")->text == "1");
  CHECK(nodes->find("a")->find("address")->text == "x");
  CHECK(nodes->find("a")->find("address")->range.file == FileId{2});
  CHECK(nodes->find("b")->find("host")->range.file == FileId{2});
  CHECK(merged.tree.find("name")->text == "f");
}

TEST_CASE("a scalar or a list in two files is an error that names both places") {
  const Merged merged = merge({"name: a\nlist: [1]\n", "list: [2]\nname: b\n"});
  REQUIRE(merged.diagnostics.items().size() == 2);
  for (const Diagnostic& found : merged.diagnostics.items()) {
    CHECK(found.rule == "duplicate-key");
    CHECK(found.range.file == FileId{2});
    REQUIRE(found.related.size() == 1);
    CHECK(found.related[0].range.file == FileId{1});
  }
  CHECK(merged.tree.find("name")->text == "a");
}

TEST_CASE("two whole documents are one error, and the first is read") {
  const std::string head = "apiVersion: fabric/v1\nname: ";
  const Merged merged =
      merge({head + "a\nnodes: {n1: {}}\n", head + "b\nnodes: {n1: {}}\n", "hooks: {}\n"});
  REQUIRE(merged.diagnostics.items().size() == 1);
  CHECK(merged.diagnostics.items()[0].range.file == FileId{2});
  CHECK(merged.tree.find("name")->text == "a");
  CHECK(merged.tree.find("hooks") != nullptr);
}

TEST_CASE("a mapping does not merge with a scalar") {
  const Merged merged = merge({"ssh: {user: root}\n", "ssh: root\n", "ssh: {port: 22}\n"});
  REQUIRE(merged.diagnostics.items().size() == 1);
  CHECK(merged.diagnostics.items()[0].range.file == FileId{2});
  CHECK(merged.tree.find("ssh")->find("port") != nullptr);
}

TEST_CASE("a key without a value gives way to one that has one") {
  const Merged merged = merge({"nodes:\n  a:\n", "nodes:\n  a: {host: 1}\n", "nodes:\n  a:\n"});
  CHECK(merged.diagnostics.empty());
  CHECK(merged.tree.find("nodes")->find("a")->find("host") != nullptr);
}

TEST_CASE("an empty file adds nothing and a list is no document") {
  CHECK(merge({"", "name: a\n"}).tree.find("name") != nullptr);
  CHECK(merge({"", ""}).tree.kind == yaml::Kind::null);
  const Merged merged = merge({"- a\n", "name: a\n"});
  REQUIRE(merged.diagnostics.items().size() == 1);
  CHECK(merged.diagnostics.items()[0].rule == "wrong-type");
}

}  // namespace
}  // namespace fabric

// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exports/exports.hpp"

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/ring.hpp"

namespace fabric::report::test {

TEST_CASE("no export names the index of a GID", "[report]") {
  FabricSpec spec = verify::test::ring(3);
  spec.networks.at("storage").mode.value = Mode::ethernet;
  for (const ExportFormat& format : export_formats()) {
    const Result<std::string> text = format.write(spec);
    CAPTURE(format.name);
    if (!text) continue;
    for (const std::string_view line : split_lines(*text)) {
      if (line.starts_with('#')) continue;
      CHECK(line.find("GID_INDEX") == std::string_view::npos);
    }
  }
}

TEST_CASE("text of a document is no syntax of an export", "[report]") {
  // What is more than text in one of the formats, where the document may have any.
  const std::string text = "=x\"\\'\n# a\tb\r{{ c }} Nodes=d[1-9] \"]} ;--";
  FabricSpec spec = verify::test::ring(3);
  spec.name.value = text;
  spec.networks.at("storage").mode.value = Mode::ethernet;
  for (auto& [name, node] : spec.nodes) {
    node.address.value = text;
    node.ssh.edit().user.value = text;
    node.model.value = text;
    for (const char* label : {"switch", "block", "rack", "x\"y"})
      node.labels[label] = {text, {}};
    node.adapters.edit().front().names[1] = {"rail0", {}};
  }
  for (CableSpec& cable : spec.networks.at("storage").cables)
    cable.label = cable.length = cable.type = cable.speed = text;
  FabricSpec plain = verify::test::ring(3);
  plain.networks.at("storage").mode.value = Mode::ethernet;
  for (const bool infiniband : {false, true}) {
    spec.networks.at("storage").mode.value = infiniband ? Mode::infiniband : Mode::ethernet;
    plain.networks.at("storage").mode.value = spec.networks.at("storage").mode.value;
    for (const ExportFormat& format : export_formats()) {
      const Result<std::string> hostile = format.write(spec);
      const Result<std::string> harmless = format.write(plain);
      CAPTURE(format.name);
      if (!hostile || !harmless) continue;
      CAPTURE(*hostile);
      // One line for each line: nothing begins a new one, and no cell a formula.
      const bool adds_lines = format.name == "prometheus" || format.name == "nhc";
      if (!adds_lines && format.name != "ansible" && format.name != "hosts")
        CHECK(split_lines(*hostile).size() == split_lines(*harmless).size());
      CHECK(hostile->find('\r') == std::string::npos);
      if (format.name == "netbox") CHECK(hostile->find(",=x") == std::string::npos);
      if (format.name == "netbox") CHECK(hostile->find("\"=x") == std::string::npos);
      if (format.name == "ansible") CHECK(hostile->find("{{") == std::string::npos);
      if (format.name == "prometheus") CHECK(parse_json(*hostile).has_value());
    }
  }
}

}  // namespace fabric::report::test

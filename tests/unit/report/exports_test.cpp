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

TEST_CASE("an export is refused that a name or a text of the document would break", "[report]") {
  const auto refused = [](const auto& change) {
    FabricSpec spec = verify::test::ring(3);
    spec.networks.at("storage").mode.value = Mode::ethernet;
    change(spec);
    for (const ExportFormat& format : export_formats()) {
      CAPTURE(format.name);
      CHECK_FALSE(write_export(format, spec));
    }
  };
  const std::string hostile = "x\n198.51.100.66 example.com";
  refused([&](FabricSpec& spec) {
    auto network = spec.networks.extract("storage");
    network.key() = network.mapped().name = hostile;
    spec.networks.insert(std::move(network));
  });
  refused([&](FabricSpec& spec) {
    VlanSpec vlan;
    vlan.name = hostile;
    spec.networks.at("storage").vlans.push_back(vlan);
  });
  refused(
      [&](FabricSpec& spec) { spec.nodes.begin()->second.adapters.edit().front().name = hostile; });
  refused([&](FabricSpec& spec) { spec.nodes.begin()->second.labels["rack"] = {hostile, {}}; });
  refused([&](FabricSpec& spec) { spec.nodes.begin()->second.system_name.value = hostile; });
  refused([&](FabricSpec& spec) { spec.networks.at("storage").cables.front().label = hostile; });
}

}  // namespace fabric::report::test

// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/explain.hpp"

#include "tests/support/catch.hpp"

namespace fabric::report {
namespace {

const Style kPlain{false, 80, false};

// `line` 0 is a value that no line gave.
Provenance value(
    const SourceMap& sources, FileId file, std::string path, std::string text, std::uint32_t line) {
  SourceRange range;
  for (std::uint32_t at = 0; line != 0 && at < sources.text(file).size(); ++at) {
    if (sources.position(file, at) == Position{line, 1}) range = {file, at, at + 1};
  }
  return {std::move(path), std::move(text), line == 0 ? "default" : "document", range};
}

TEST_CASE("values stand in columns below what their paths have in common", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "a\nb\nc\n");
  CHECK(
      provenance_text(
          {value(sources, file, "nodes.pve1.ssh.user", "root", 3),
           value(sources, file, "nodes.pve1.host", "1", 0)},
          sources,
          kPlain) ==
      "nodes.pve1\n"
      "  ssh.user  root  fabric.yaml:3  document\n"
      "  host      1     -              default\n");
  CHECK(
      provenance_text({value(sources, file, "name", "ring", 1)}, sources, kPlain) ==
      "name  ring  fabric.yaml:1  document\n");
}

TEST_CASE("no line of an explanation is wider than the terminal", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "a\n");
  Provenance wide = value(
      sources,
      file,
      "nodes.pve1.adapters.a-card-with-a-long-name.firmware.minimum",
      "[{ring: [pve1, pve2, pve3, pve4]}, {ring: [pve5, pve6, pve7, pve8]}, {ring: [a, b]}]",
      1);
  wide.origin = "mode chain of network storage forwards in the card and needs both ports";
  const std::string text =
      provenance_text(
          {wide, value(sources, file, "nodes.pve1.address", "192.0.2.11", 0)}, sources, kPlain)
          .str();
  CAPTURE(text);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    CHECK(columns(text.substr(begin, end - begin)) <= 80);
  }
}

TEST_CASE("an explained value tells programs its place only if a line gave it", "[report]") {
  SourceMap sources;
  const FileId file = sources.add("fabric.yaml", "a\nb\n");
  const Map given = provenance_value(value(sources, file, "name", "ring", 2), sources);
  CHECK(given.at("line") == Value{2});
  CHECK(given.at("file") == Value{"fabric.yaml"});
  CHECK_FALSE(provenance_value(value(sources, file, "name", "ring", 0), sources).contains("line"));
}

}  // namespace
}  // namespace fabric::report

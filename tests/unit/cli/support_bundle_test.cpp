// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/support_bundle.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/unit/cli/temporary_folder.hpp"

namespace fabric::cli::test {
namespace {

TEST_CASE("a bundle has no secret of a journal, of facts or of a text", "[cli]") {
  CHECK(
      without_secrets_in_json(R"({"a":"psk=hunter2 x=1","b":["m_key hunter2"]})"
                              "\n")
          .find("hunter2") == std::string::npos);
  CHECK(
      without_secrets_in_json(R"({"password":"hunter2"})"
                              "\n")
          .find("hunter2") == std::string::npos);
  const std::string lines = "{\"a\":\"psk=hunter2\"}\n{\"b\":\"c\"}\n";
  const std::string clean = without_secrets_in_json(lines);
  CHECK(clean.find("hunter2") == std::string::npos);
  CHECK(clean.find("{\"b\":\"c\"}\n") != std::string::npos);
  // What a crash has left of a journal.
  CHECK(without_secrets_in_json("{\"a\":1}\npsk=hunter2").find("hunter2") == std::string::npos);
  NodeFacts facts{*NodeName::parse("n1"), {}, {}, {}, {}};
  facts.probes["files"] = {"cat", 0, "psk=hunter2\nmtu=9000\n", "token: hunter2\n"};
  const std::vector<files::ArchivedFile> bundled = bundled_facts({facts});
  REQUIRE(bundled.size() == 1);
  CHECK(bundled.front().path == "facts/n1.json");
  CHECK(bundled.front().text.find("hunter2") == std::string::npos);
  CHECK(bundled.front().text.find("mtu=9000") != std::string::npos);
}

TEST_CASE("what has no secret stays byte for byte", "[cli]") {
  for (const std::string text :
       {"{ \"b\": 1,\n \"a\": \"x\" }\n", "{\"a\":1}\n{\"b\":2}\n", "mtu 9000\n", ""})
    CHECK(without_secrets_in_json(text) == text);
}

TEST_CASE("tar reads what was archived, long names too", "[cli]") {
  const TemporaryFolder folder;
  const std::string long_name = std::string(120, 'n') + ".json";
  TemporaryFolder::write(
      "a.tar",
      files::tar_archive(
          {{"b/README.txt", "read me\n"},
           {"b/" + long_name, std::string(1000, 'x')},
           {"b/empty", ""}},
          1'790'000'000));
  // NOLINTNEXTLINE(concurrency-mt-unsafe,cert-env33-c): tar is the judge
  REQUIRE(std::system("tar -xf a.tar 2>said && [ ! -s said ] && [ -f b/empty ]") == 0);
  std::ifstream stream{"b/" + long_name};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  CHECK(text == std::string(1000, 'x'));
  std::ifstream readme{"b/README.txt"};
  std::string line;
  std::getline(readme, line);
  CHECK(line == "read me");
}

}  // namespace
}  // namespace fabric::cli::test

// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/parsers/ini_file.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

// "section/key=value@line", one a line.
std::string entries(std::string_view text, IniDialect dialect) {
  std::string result;
  for (const IniEntry& each : read_ini(text, dialect).entries) {
    result +=
        each.section + "/" + each.key + "=" + each.value + "@" + std::to_string(each.line) + "\n";
  }
  return result;
}

std::string systemd(std::string_view text) {
  return entries(text, IniDialect::systemd);
}

TEST_CASE("a backslash goes on in the next line for systemd alone", "[providers]") {
  constexpr std::string_view kText = "[Match]\nName=a \\\n# b\n  c\nType=ether\n";
  CHECK(systemd(kText) == "Match/Name=a  c@2\nMatch/Type=ether@5\n");
  CHECK(entries(kText, IniDialect::keyfile) == "Match/Name=a \\@2\nMatch/Type=ether@5\n");
}

TEST_CASE("a line ends where nothing goes on", "[providers]") {
  // An escaped backslash is a value; an empty line ends what goes on, and so does the file.
  CHECK(systemd("[A]\nK=a\\\\\nL=b\n") == "A/K=a\\\\@2\nA/L=b@3\n");
  CHECK(systemd("[A]\nK=a\\\n\nL=b\n") == "A/K=a@2\nA/L=b@4\n");
  CHECK(systemd("[A]\nK=a\\\n") == "A/K=a@2\n");
}

TEST_CASE("what is no entry is left out, and the first of it is told", "[providers]") {
  const IniFile file =
      read_ini("K=early\n[A]\nnothing\n[B\n=x\n; no\nL = b = c \n", IniDialect::systemd);
  REQUIRE(file.error);
  CHECK(file.error->message == "line 1: 'K=early' stands before any section");
  REQUIRE(file.entries.size() == 2);
  CHECK(file.entries[0].section.empty());
  CHECK(file.entries[1].section == "A");
  CHECK(file.entries[1].key == "L");
  CHECK(file.entries[1].value == "b = c");
  CHECK_FALSE(read_ini("[A]\nK=\n", IniDialect::systemd).error);
}

}  // namespace
}  // namespace fabric::providers

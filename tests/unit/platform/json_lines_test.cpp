// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/mlnxos/json_lines.hpp"

#include "engine/platform/mlnxos/mlnxos_platform.hpp"
#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

remote::step::Converse talk(std::vector<std::string> lines) {
  remote::step::Converse talk;
  talk.dialect = mlnxos_dialect();
  talk.lines = std::move(lines);
  talk.each_alone = true;
  return talk;
}

std::string text_of(const std::string& json) {
  return text_of_data(parse_json(json).value());
}

TEST_CASE("what the switch takes apart is written down as its prompt prints it") {
  CHECK(
      text_of(R"({"Product name": "Onyx", "Product release": "3.9.1014"})") ==
      "Product name: Onyx\nProduct release: 3.9.1014\n");
  CHECK(
      text_of(R"([{"Eth1/1": [{"Admin state": "Enabled", "Rx": [{"packets": "0"}]}]}])") ==
      "Eth1/1:\n  Admin state: Enabled\n  Rx:\n    packets: 0\n");
  // Releases before 3.6.6000.
  CHECK(
      text_of(R"([{"MTU": "1500 bytes", "header": "Eth1/2"}])") == "Eth1/2:\n  MTU: 1500 bytes\n");
  // Of a pipe, and of a command that prints text.
  CHECK(text_of("[{\"Lines\": [\"  1 Mpo1(U)\", \"\"]}]") == "  1 Mpo1(U)\n\n");
  CHECK(text_of("\"##\\n   lldp\\n\"") == "##\n   lldp\n");
  CHECK(text_of("\"\"") == "\n");
}

TEST_CASE("a value of several lines is no second line") {
  CHECK(
      text_of(R"({"Description": "x\nEth1/2:\n  Admin state: Enabled"})") ==
      "Description: x Eth1/2:   Admin state: Enabled\n");
  CHECK(text_of(R"([{"a\nb": "1", "header": "Eth1/1\nEth1/3"}])") == "Eth1/1 Eth1/3:\n  a b: 1\n");
}

TEST_CASE("lines are one request, and each has its own answer") {
  const remote::LinesByRequest& lines = mlnxos_json_lines();
  const auto asked =
      talk({"show version", "show lldp remote | json-print", "show ib smnode {name} x"});
  const remote::step::Request request = lines.request(asked);
  CHECK(request.path == "/admin/launch?script=json");
  CHECK(request.body == R"({"commands":["show version","show lldp remote"]})");
  const auto replies = lines.replies(
      asked,
      R"({"results": [
        {"status": "OK", "executed_command": "show version", "data": {"Product name": "Onyx"}},
        {"status": "OK", "executed_command": "show lldp remote", "data": [{"Eth1/1": []}]}]})");
  REQUIRE(replies);
  REQUIRE(replies->size() == 3);
  CHECK(replies->at(0).text == "Product name: Onyx\n");
  CHECK(replies->at(1).text == "[{\"Eth1/1\":[]}]\n");
  // Nobody can ask for the switch by a name that nothing tells.
  CHECK(replies->at(2).refused);
}

TEST_CASE("what the switch refuses stands there as at its prompt") {
  const auto asked = talk({"configure terminal", "foo"});
  const auto replies = mlnxos_json_lines().replies(
      asked,
      R"({"results": [
        {"status": "ERROR", "status_message": "Unrecognized command \"configure\".", "data": ""},
        {"status": "ERROR", "status_message": "% Incomplete command"}]})");
  REQUIRE(replies);
  CHECK(replies->at(0).refused);
  CHECK(replies->at(0).text == "% Unrecognized command \"configure\".\n");
  CHECK(replies->at(1).text == "% Incomplete command\n");
}

TEST_CASE("an answer that is none of these lines is refused, and says why") {
  const auto why = [](const std::string& body) {
    const auto replies = mlnxos_json_lines().replies(talk({"show version", "show mlag"}), body);
    return replies ? std::string{} : replies.error().message;
  };
  const std::string good = R"({"status": "OK", "executed_command": "show version", "data": ""})";
  CHECK(why("<html>").starts_with("its answer is no JSON: line 1"));
  CHECK(why(R"({"results": "x"})") == "its answer has no list of results");
  CHECK(why(R"({"results": []})") == "0 answers to 2 lines");
  CHECK(why(R"({"results": [)" + good + "]}") == "1 answers to 2 lines");
  CHECK(
      why(R"({"results": [)" + good + "," + good + "]}") ==
      "answer 2 is of 'show version', and 'show mlag' was asked");
  CHECK(why(R"({"results": [)" + good + R"(, {"data": ""}]})") == "answer 2 has no status");
  CHECK(why(R"({"results": ["x", "y"]})") == "answer 1 is no object");
  const std::string third = R"({"status": "OK", "data": ""})";
  CHECK(
      why(R"({"results": [)" + good + "," + third + "," + third + "]}") == "3 answers to 2 lines");
}

TEST_CASE("a login is refused by what is said, not by the status of HTTP") {
  const remote::LinesByRequest& lines = mlnxos_json_lines();
  CHECK(lines.refusal_of_login({R"({"status": "OK", "status_msg": "Successfully logged-in"})", 200})
            .empty());
  CHECK(
      lines.refusal_of_login(
          {R"({"status": "ERROR", "status_msg": "Invalid username\nor password"})", 200}) ==
      "Invalid username or password");
  CHECK(lines.refusal_of_login({R"({"status": "ERROR"})", 200}) == "refused");
  CHECK(lines.refusal_of_login({"<html>", 200}) == "its answer is no JSON object");
}

TEST_CASE("a session that has ended is told from an answer") {
  const remote::LinesByRequest& lines = mlnxos_json_lines();
  CHECK(lines.wants_login(
      {R"({"status": "ERROR", "status_message": "Authentication failure"})", 200}));
  CHECK_FALSE(lines.wants_login(
      {R"({"status": "OK", "status_message": "", "data": "Authentication failure"})", 200}));
  CHECK_FALSE(lines.wants_login({"Authentication failure", 200}));
}

}  // namespace
}  // namespace fabric::platform

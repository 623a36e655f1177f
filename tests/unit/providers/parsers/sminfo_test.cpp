// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "providers/infiniband/parsers/opensm.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

TEST_CASE("sminfo tells master and standby", "[providers]") {
  const auto master = parse_sminfo(
      "ibwarn: [5] sim_connect: attached as client 1 at node \"a\"\n"
      "sminfo: sm lid 1 sm guid 0x100001, activity count 295 priority 10 state 3 SMINFO_MASTER\n");
  REQUIRE(master);
  REQUIRE(master->manager);
  CHECK(master->manager->guid == Guid{0x100001});
  CHECK(master->manager->lid == 1);
  CHECK(master->manager->activity == 295);
  CHECK(master->manager->priority == 10);
  CHECK(master->manager->state == SmState::master);
  CHECK_FALSE(master->failure);
  CHECK(master->notes.size() == 1);
  const auto standby = parse_sminfo(
      "sminfo: sm lid 5 sm guid 0x100007, activity count 4294967295 priority 3 state 2 "
      "SMINFO_STANDBY");
  REQUIRE(standby);
  CHECK(standby->manager->state == SmState::standby);
  const auto odd =
      parse_sminfo("sminfo: sm lid 0 sm guid 0x100007, activity count 4 priority 3 state 9 ???");
  REQUIRE(odd);
  CHECK_FALSE(odd->manager->state);
  CHECK_FALSE(odd->manager->lid);
}

TEST_CASE("sminfo's failures are told apart", "[providers]") {
  const auto failure = [](const char* text) -> std::string {
    const auto info = parse_sminfo(text);
    if (!info) return info.error().message;
    return info->failure ? std::string{failure_name(*info->failure)} : "answer";
  };
  CHECK(
      failure("ibwarn: [9818] mad_rpc: _do_madrpc failed; dport (Lid 5)\n"
              "sminfo: iberror: failed: query\n") == "no-answer");
  CHECK(
      failure("ibwarn: [2] _do_madrpc: send failed; Operation not permitted\n"
              "ibwarn: [2] mad_rpc: _do_madrpc failed; dport (Lid 1)\nsminfo: iberror: failed: "
              "query\n") == "not-permitted");
  CHECK(
      failure("ibwarn: [3] mad_rpc_open_port: can't open UMAD port ((null):0)\n"
              "sminfo: iberror: failed: Failed to open '(null)' port '0'\n") == "no-device");
  CHECK(
      failure("ibwarn: [4] ib_path_query_via: sa call path_query failed\n"
              "sminfo: iberror: failed: can't resolve destination port 0x100007\n") ==
      "not-resolved");
  CHECK(
      failure("bash: sminfo: command not found\n") ==
      "line 1: 'bash: sminfo: command not found' is neither an answer nor a failure of sminfo");
  CHECK(
      failure("sminfo: sm lid 1 sm guid 0x1, activity count 2 priority 10 state 3 SMINFO_STANDBY\n")
          .find("line 1: ") == 0);
  CHECK(
      failure("sminfo: sm lid 1 sm guid 0x1, activity count 2 priority 16 state 3 SMINFO_MASTER\n")
          .find("line 1: ") == 0);
  CHECK(failure("sminfo: sm lid 1 sm guid 0x1, activity cou").find("line 1: ") == 0);
}

}  // namespace
}  // namespace fabric::providers

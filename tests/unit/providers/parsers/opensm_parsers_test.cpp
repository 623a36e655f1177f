// SPDX-License-Identifier: Apache-2.0
// opensm.conf and partitions.conf as OpenSM reads them.
#include <string>

#include "engine/value/json.hpp"
#include "providers/infiniband/parsers/opensm.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

TEST_CASE(
    "options of OpenSM are read with their lines, the last of equal ones holds", "[providers]") {
  const auto conf = parse_opensm_conf(
      "# The port GUID on which the OpenSM is running\n"
      "guid 0x00aa000000000101\n\n"
      "sm_priority 3\r\n"
      "\trouting_engine \"ftree,updn\"\n"
      "root_guid_file (null)\n"
      "daemon FALSE # really\n"
      "sm_priority 14\n");
  REQUIRE(conf);
  CHECK(conf->options.size() == 6);
  REQUIRE(conf->find("sm_priority") != nullptr);
  CHECK(conf->find("sm_priority")->value == "14");
  CHECK(conf->find("sm_priority")->line == 8);
  CHECK(conf->find("sm_priority")->repeats_line == 4u);
  CHECK(conf->find("routing_engine")->value == "ftree,updn");
  CHECK_FALSE(conf->find("root_guid_file")->value);
  // OpenSM knows no comment behind a value.
  CHECK(conf->find("daemon")->value == "FALSE # really");
  CHECK(conf->find("lmc") == nullptr);
  CHECK(
      to_json(to_value(*parse_opensm_conf("lmc 0\nlmc (null)\n"))) ==
      R"j({"options":[{"key":"lmc","line":1,"value":"0"},)j"
      R"j({"key":"lmc","line":2,"repeats_line":1,"value":null}],"values":{"lmc":null}})j");
}

TEST_CASE("what is no option of OpenSM is refused with its line", "[providers]") {
  const auto refusal = [](const std::string& text) {
    const auto conf = parse_opensm_conf(text);
    return conf ? "read" : conf.error().message;
  };
  CHECK(refusal("lmc 0\nsm_priority\n") == "line 2: 'sm_priority' has no value");
  CHECK(refusal("lmc=0 1\n") == "line 1: 'lmc=0' is no name of an option");
  CHECK(
      refusal("lmc 0\n\nlog_file " + std::string(2000, 'a')) ==
      "line 3: longer than the 1022 characters OpenSM reads");
  CHECK(refusal("# nothing\n") == "read");
}

Partition only(const std::string& text) {
  const auto conf = parse_partitions_conf(text);
  INFO((conf ? "" : conf.error().message));
  REQUIRE(conf);
  REQUIRE(conf->partitions.size() == 1);
  for (const ToolNote& warning : conf->warnings)
    UNSCOPED_INFO(warning.text);
  CHECK(conf->warnings.empty());
  return conf->partitions.front();
}

TEST_CASE("a partition is read with flags and members over several lines", "[providers]") {
  const Partition partition = only(
      "# storage\n"
      "storage = 0x8010 , indx0, ipoib, mtu=5,rate=16, sl=2,scope=2, scope=5, Q_Key=0x0b1b, "
      "TClass=3, "
      "FlowLabel=0x10, defmember=full:  # all on one line\n"
      "    ALL_CAS, SELF = both,\n"
      "    0x00aa000000000101=limited, 172  # decimal\n"
      "    ALL_SWITCHES=full, ALL_ROUTERS, ALL=limited, ;\n");
  CHECK(partition.name == "storage");
  CHECK(partition.line == 2);
  CHECK(partition.p_key == std::uint16_t{0x0010});
  CHECK(partition.ipoib);
  CHECK(partition.index0);
  CHECK(partition.default_membership == PartitionMembership::full);
  CHECK(partition.flags.mtu == 5);
  CHECK(partition.flags.rate == 16);
  CHECK(partition.flags.sl == 2);
  CHECK(partition.flags.scopes == std::vector<std::int64_t>{2, 5});
  CHECK(partition.flags.q_key == 0x0b1b);
  CHECK(partition.flags.tclass == 3);
  CHECK(partition.flags.flow_label == 16);
  REQUIRE(partition.members.size() == 7);
  CHECK(partition.members[0].keyword == PartitionKeyword::all_cas);
  CHECK(partition.members[0].membership == PartitionMembership::full);
  CHECK(partition.members[1].keyword == PartitionKeyword::self);
  CHECK(partition.members[1].membership == PartitionMembership::both);
  CHECK(partition.members[2].port == Guid{0xaa000000000101});
  CHECK(partition.members[2].membership == PartitionMembership::limited);
  CHECK(partition.members[3].port == Guid{172});
  CHECK(partition.members[3].membership == PartitionMembership::full);
  CHECK(partition.members[3].line == 4);
  CHECK(partition.members[4].keyword == PartitionKeyword::all_switches);
  CHECK(partition.members[5].keyword == PartitionKeyword::all_routers);
  CHECK(partition.members[6].keyword == PartitionKeyword::all);
}

TEST_CASE("multicast groups stand one on a line beside members", "[providers]") {
  const Partition partition = only(
      "Default=0x7fff,ipoib:\n"
      "  mgid=ff12:401b:0000::0707,sl=1 # IPv4\n"
      "  mgid=ff12::1,Q_Key=0xDEADBEEF,rate=3,mtu=2\n"
      "  ALL=full;\n");
  REQUIRE(partition.groups.size() == 2);
  CHECK(partition.groups[0].mgid == "ff12:401b::707");
  CHECK(partition.groups[0].flags.sl == 1);
  CHECK_FALSE(partition.groups[0].flags.mtu);
  CHECK(partition.groups[1].flags.q_key == 0xDEADBEEF);
  CHECK(partition.groups[1].line == 3);
  CHECK(partition.members.size() == 1);
}

TEST_CASE(
    "several definitions may share a line or a P_Key, a name or P_Key may be missing",
    "[providers]") {
  const auto conf =
      parse_partitions_conf("a=1:ALL;b=0x7fff:;\n0x22 : SELF=full; c, ipoib : NONE; a=0x8001:;\n");
  REQUIRE(conf);
  REQUIRE(conf->partitions.size() == 5);
  CHECK(conf->partitions[0].p_key == std::uint16_t{1});
  CHECK(conf->partitions[0].members[0].membership == PartitionMembership::limited);
  CHECK(conf->partitions[1].members.empty());
  CHECK(conf->partitions[2].name.empty());
  CHECK(conf->partitions[2].p_key == std::uint16_t{0x22});
  CHECK_FALSE(conf->partitions[3].p_key);
  CHECK(conf->partitions[3].members.empty());
  CHECK(conf->partitions[4].p_key == std::uint16_t{1});
  CHECK(parse_partitions_conf("# nothing\n")->partitions.empty());
}

TEST_CASE("what OpenSM skips or bends is a warning with its line", "[providers]") {
  const auto warning = [](const std::string& text) {
    const auto conf = parse_partitions_conf(text);
    REQUIRE(conf);
    REQUIRE(conf->warnings.size() == 1);
    return std::to_string(conf->warnings[0].line) + ": " + conf->warnings[0].text;
  };
  // A value instead of its code: OpenSM leaves the group as it was and says nothing.
  CHECK(warning("a=1,mtu=4096:ALL;") == "1: '4096' is no code of mtu (1 to 5): it has no effect");
  CHECK(warning("a=1,mtu:ALL;") == "1: nothing is no code of mtu (1 to 5): it has no effect");
  CHECK(warning("a=1,,ipoib:ALL;") == "1: an empty flag: it has no effect");
  CHECK(warning("a=1,ipoi:ALL;") == "1: OpenSM takes 'ipoi' for 'ipoib'");
  CHECK(warning("a=1,ip0ib:ALL;") == "1: OpenSM knows no flag 'ip0ib': it has no effect");
  CHECK(warning("a=1:\nALL=limi;") == "2: OpenSM takes 'limi' for 'limited'");
  CHECK(warning("a=1:ALL=ful1;") == "1: OpenSM takes membership 'ful1' for limited");
  CHECK(warning("a=1:AL=full;") == "1: OpenSM takes 'AL' for 'ALL'");
  CHECK(
      warning("a=1,defmember=most:ALL;") ==
      "1: 'defmember' is none of full, limited, both: it has no effect");
  CHECK(
      warning("a=1:mgid=ff12::1,ipoib\nALL;") ==
      "1: OpenSM knows no flag 'ipoib': it has no effect");
}

TEST_CASE("what makes OpenSM ignore the whole file is refused", "[providers]") {
  const auto refusal = [](const std::string& text) {
    const auto conf = parse_partitions_conf(text);
    return conf ? "read" : conf.error().message;
  };
  CHECK(
      refusal("Default=0x7fff:ALL=full;\nbad=0x8011 ipoib : 0x12;\n") ==
      "line 2: '0x8011 ipoib' is no P_Key: expected 0x0001 to 0x7fff, or with bit 15");
  for (const char* key : {"0", "0x8000", "0x10000", "010", "", "x"})
    CHECK(
        refusal("a=" + std::string{key} + ":ALL;")
            .find("line 1: '" + std::string{key} + "' is no P_Key") == 0);
  CHECK(
      refusal("Default=0x7fff,\n ipoib:ALL;") ==
      "line 1: expected NAME=PKEY,FLAGS: on one line, found 'Default=0x7fff,' without ':'");
  CHECK(refusal("a=1:0xZZ=full;") == "line 1: '0xZZ' is no port GUID (0x and hexadecimal digits)");
  CHECK(refusal("a=1:0=full;").find("line 1: '0' is no port GUID") == 0);
  // Without ';' the next definition reads as a member.
  CHECK(refusal("a=1:ALL\nb=2:ALL;").find("line 2: 'b' is no port GUID") == 0);
  CHECK(refusal("a=1:\n0x12=;") == "line 2: '0x12=' has no membership");
  CHECK(refusal("a=1:ALL\n") == "line 1: the last partition has no ';': the file may be cut");
  CHECK(refusal("a=1:mgid=fe80::1\n;") == "line 1: 'fe80::1' is no multicast GID");
  CHECK(
      refusal("a=1:" + std::string(5000, ' ') + ";") ==
      "line 1: longer than the 4094 characters OpenSM reads");
}

TEST_CASE("partitions become JSON", "[providers]") {
  const auto conf = parse_partitions_conf("a=0x8001,ipoib,mtu=5:ALL=full,mgid=ff12::1\n0xaa;\n");
  REQUIRE(conf);
  CHECK(
      to_json(to_value(*conf)) ==
      R"j({"partitions":[{"default_membership":"limited","flags":{"mtu":5},"groups":[{"line":1,"mgid":"ff12::1"}],)j"
      R"j("index0":false,"ipoib":true,"line":1,"members":[{"keyword":"ALL","line":1,"membership":"full"},)j"
      R"j({"line":2,"membership":"limited","port_guid":"0x00000000000000aa"}],"name":"a","p_key":"0x0001"}],)j"
      R"j("warnings":[]})j");
}

}  // namespace
}  // namespace fabric::providers

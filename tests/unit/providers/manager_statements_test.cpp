// SPDX-License-Identifier: Apache-2.0
// What another OpenSM says, statement by statement, and what of it the document says.
#include "providers/linux/kinds/subnet_manager/manager_statements.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/lab/commands/rdma/opensm_defaults.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;
using Class = StatementClass;

constexpr const char* kOwnGuid = "0x0c42a103008c51a8";  // of fixtures/pci-cx5.txt
constexpr const char* kConf = "/etc/opensm/opensm.conf";

Value member(const std::string& who, bool full) {
  return Map{{"who", who}, {"full", full}};
}

Resource wanted(std::vector<std::pair<std::string, Value>> more = {}) {
  Resource made = resource(
      "pve1/subnet_manager/ib.cx5.1",
      adapter_binding(
          {{"port", 1},
           {"network", "ib"},
           {"adopt", true},
           {"managers", List{"pve1/cx5/1", "pve2/cx5/1"}},
           {"node_guids", Map{{"spine", "0x00000000000000f1"}}},
           {"port_guids",
            Map{{"pve1/cx5/1", kOwnGuid},
                {"pve2/cx5/1", "0x00000000000000b2"},
                {"pve3/cx5/1", "0x00000000000000b3"}}}}),
      {{"manages", true},
       {"priority", 10},
       {"partitions",
        List{
            Map{{"name", "Default"},
                {"pkey", 0x7fff},
                {"ipoib", true},
                {"members", List{member("ALL", true)}}}}}});
  for (auto& [name, value] : more)
    made.desired.insert_or_assign(name, DesiredAttribute{std::move(value), {}, "wanted"});
  return made;
}

std::string option_lines() {
  std::string text;
  for (const std::string_view line : split_lines(lab::commands::kOpensmDefaults)) {
    if (opensm_option_rule(line.substr(0, line.find(' '))).is != OpensmOptionClass::secret)
      text += fmt::format("option {}\n", line);
  }
  return text;
}

using Files = std::vector<std::pair<std::string, std::string>>;

std::vector<Statement> said_of(
    const Resource& resource, const Files& files, const std::string& more = "") {
  std::string lines;
  for (const auto& [path, text] : files) {
    for (const std::string_view line : split_lines(text))
      lines += fmt::format("{}:{}\n", path, line);
  }
  const NodeFacts facts = node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"opensm", "tool opensm\ntool sminfo\n" + option_lines() + "port mlx5_0 1 ACTIVE\n" + more},
       {"opensm-files", lines}});
  const ManagerState state = manager_state(facts);
  const ManagerOnPort manager{resource, inventory_of(facts), state};
  return manager_statements(resource, manager);
}

std::string text_of(const std::vector<Statement>& statements) {
  constexpr const char* kClasses[] = {"said", "otherwise", "sayable", "not sayable"};
  std::string text;
  for (const Statement& each : statements) {
    text += fmt::format(
        "{} {}{}{}\n",
        kClasses[static_cast<std::size_t>(each.said)],
        statement_text(each),
        each.instead.empty() ? "" : " -> ",
        each.instead);
  }
  return text;
}

TEST_CASE("every option of an OpenSM's file is in a class", "[providers]") {
  std::size_t seen = 0;
  for (const std::string_view line : split_lines(lab::commands::kOpensmDefaults)) {
    const std::string key{line.substr(0, line.find(' '))};
    const std::string fallback{line.substr(key.size() + 1)};
    INFO(key);
    // As it is by default it says nothing.
    CHECK(text_of(said_of(wanted(), {{kConf, fmt::format("{} {}\n", key, fallback)}})).empty());
    // Another value of its kind.
    const Value by_default = opensm_value(fallback);
    std::string other = "other";
    if (by_default.as_bool() != nullptr) other = *by_default.as_bool() ? "FALSE" : "TRUE";
    if (by_default.as_integer() != nullptr) other = std::to_string(*by_default.as_integer() + 3);
    if (key == "guid" || key.ends_with("_key")) other = "0x77";
    const auto statements = said_of(wanted(), {{kConf, fmt::format("\n{} {}\n", key, other)}});
    const OpensmOptionRule rule = opensm_option_rule(key);
    // They lead to other files, which are read in their place.
    const bool leads = rule.is == OpensmOptionClass::decided && key.ends_with("_file");
    REQUIRE(statements.size() == 1);
    const Statement& said = statements.front();
    CHECK(said.kind == "opensm");
    CHECK(said.key == key);
    CHECK(said.line == 2);
    const bool is_repeatable = key.starts_with("cc_ca_cong_setting_");
    if (rule.is == OpensmOptionClass::settable && !is_repeatable) {
      CHECK(said.said == Class::sayable);
      CHECK(said.instead.find("options: {" + key + ": ") != std::string::npos);
    } else if (rule.is != OpensmOptionClass::decided || leads || key == "guid") {
      const bool is_log = key == "log_file" || key == "dump_files_dir";
      CHECK(said.said == (is_log ? Class::said_otherwise : Class::not_sayable));
    }
    if (rule.is == OpensmOptionClass::secret) CHECK(said.value.empty());
    ++seen;
  }
  CHECK(seen == 160);
  CHECK(
      text_of(said_of(wanted(), {{kConf, "made_up 7\nalone\n"}})) ==
      "not sayable /etc/opensm/opensm.conf:1 `made_up 7`\n"
      "not sayable /etc/opensm/opensm.conf:2 `alone`\n");
}

TEST_CASE("an option counts as OpenSM takes it, and as the document has it", "[providers]") {
  const auto said = [](const std::string& conf, const Resource& resource) {
    return text_of(said_of(resource, {{kConf, conf}}));
  };
  // `true` is false, a text is no number, and of two lines the later one counts.
  CHECK(said("qos true\nlmc many\nsweep_interval 20\nsweep_interval 10\n", wanted()).empty());
  CHECK(
      said(fmt::format("guid {}\n", kOwnGuid), wanted()) ==
      fmt::format("said /etc/opensm/opensm.conf:1 `guid {}`\n", kOwnGuid));
  CHECK(
      said("sm_priority 15\nrouting_engine updn\nsubnet_prefix 0xfe80000000000001\n", wanted()) ==
      "otherwise /etc/opensm/opensm.conf:1 `sm_priority 15` -> priority: 10\n"
      "sayable /etc/opensm/opensm.conf:2 `routing_engine updn` -> subnet_manager: "
      "{routing_engine: \"updn\"}\n"
      "sayable /etc/opensm/opensm.conf:3 `subnet_prefix 0xfe80000000000001` -> subnet_manager: "
      "{subnet_prefix: \"0xfe80000000000001\"}\n");
  const Resource full = wanted(
      {{"priority", 15},
       {"routing_engine", "ftree, updn"},
       {"options", Map{{"lmc", 1}, {"qos", true}}}});
  CHECK(
      said("sm_priority 0xf\nrouting_engine ftree,updn\nlmc 2\nqos TRUE\n", full) ==
      "said /etc/opensm/opensm.conf:1 `sm_priority 15`\n"
      "said /etc/opensm/opensm.conf:2 `routing_engine ftree,updn`\n"
      "otherwise /etc/opensm/opensm.conf:3 `lmc 2` -> options: {lmc: 1}\n"
      "said /etc/opensm/opensm.conf:4 `qos TRUE`\n");
  // Another port is one that the document has a manager on, or none, or does not know.
  CHECK(said("guid 0xb2\n", wanted()).starts_with("said "));
  CHECK(said("guid 0xb3\n", wanted()).starts_with("otherwise "));
  CHECK(said("guid 0xb4\n", wanted()).starts_with("not sayable "));
}

TEST_CASE("partitions, roots and I/O nodes of another OpenSM are compared", "[providers]") {
  const Files files{
      {kConf,
       "partition_config_file /etc/opensm/tenants\nroot_guid_file /etc/opensm/roots\n"
       "io_guid_file /etc/opensm/io\n"},
      {"/etc/opensm/tenants",
       "Default=0x7fff, ipoib : ALL=limited, SELF=full;\n"
       "red=0x7ffe, ipoib, mtu=5 : 0xb2=full, 0xb3;\n"
       "blue=0x7ffd, rate=7 : 0xb9=full;\n"},
      {"/etc/opensm/roots", "# roots\n0xf1\n0xf2\n"},
      {"/etc/opensm/io", "0xb2\n0xb9\n"}};
  CHECK(
      text_of(said_of(wanted(), files)) ==
      "sayable /etc/opensm/tenants:1 `Default ALL=limited` -> partitions: {Default: {pkey: "
      "\"0x7fff\", members: "
      "{ALL: limited}}}\n"
      "sayable /etc/opensm/tenants:2 `red 0x7ffe` -> partitions: {red: {pkey: \"0x7ffe\", ipoib: "
      "true, mtu: 4096, members: {pve2/cx5/1: full, pve3/cx5/1: limited}}}\n"
      "not sayable /etc/opensm/tenants:3 `blue rate=7`\n"
      "not sayable /etc/opensm/tenants:3 `blue 0x7ffd 0x00000000000000b9=full`\n"
      "sayable /etc/opensm/roots:2 `root_guid_file 0xf1` -> subnet_manager: {roots: [spine]}\n"
      "sayable /etc/opensm/roots:3 `root_guid_file 0xf2` -> a node {platform: unmanaged, "
      "node_guid: \"0x00000000000000f2\"} that is one of `roots`\n"
      "sayable /etc/opensm/io:1 `io_guid_file 0xb2` -> subnet_manager: {io: [pve2]}\n"
      "not sayable /etc/opensm/io:2 `io_guid_file 0xb9`\n");
  const Resource full = wanted(
      {{"roots", List{"spine"}},
       {"io", List{"pve2/cx5/1"}},
       {"partitions",
        List{
            Map{{"name", "Default"},
                {"pkey", 0x7fff},
                {"ipoib", true},
                {"members", List{member("ALL", false), member("SELF", true)}}},
            Map{{"name", "red"},
                {"pkey", 0x7ffe},
                {"ipoib", true},
                {"mtu", 4096},
                {"members", List{member("pve2/cx5/1", true), member("pve3/cx5/1", true)}}}}}});
  CHECK(
      text_of(said_of(full, files)) ==
      "otherwise /etc/opensm/tenants:2 `red 0x00000000000000b3=limited` -> pve3/cx5/1: full\n"
      "not sayable /etc/opensm/tenants:3 `blue rate=7`\n"
      "not sayable /etc/opensm/tenants:3 `blue 0x7ffd 0x00000000000000b9=full`\n"
      "said /etc/opensm/roots:2 `root_guid_file 0xf1`\n"
      "sayable /etc/opensm/roots:3 `root_guid_file 0xf2` -> a node {platform: unmanaged, "
      "node_guid: \"0x00000000000000f2\"} that is one of `roots`\n"
      "said /etc/opensm/io:1 `io_guid_file 0xb2`\n"
      "not sayable /etc/opensm/io:2 `io_guid_file 0xb9`\n");
  // A document has no blanks in names.
  CHECK(
      text_of(said_of(
          wanted(),
          {{"/etc/rdma/partitions.conf",
            "\"tenant A\"=0x11 : ALL=full;\ntenant B=0x12 : ALL;\n"}})) ==
      "sayable /etc/rdma/partitions.conf:1 `\"tenant A\" 0x0011` -> partitions: {tenant-A: {pkey: "
      "\"0x0011\", members: {ALL: full}}}\n"
      "sayable /etc/rdma/partitions.conf:2 `tenant B 0x0012` -> partitions: {tenant-B: {pkey: "
      "\"0x0012\", members: {ALL: limited}}}\n");
  CHECK(text_of(said_of(wanted(), {{"/etc/rdma/partitions.conf", "a=0x1 ALL=full;\n"}}))
            .starts_with("not sayable /etc/rdma/partitions.conf:1 `unreadable "));
}

TEST_CASE("what runs of another OpenSM and no file says is a statement", "[providers]") {
  const std::string answer = fmt::format(
      "own mlx5_0 1 sminfo: sm lid 1 sm guid {}, activity count 7 priority 14 state 3 "
      "SMINFO_MASTER\nsubnet mlx5_0 1 1 fe80:0000:0000:0002:0c42:a103:008c:51a8\n",
      kOwnGuid);
  CHECK(
      text_of(said_of(wanted(), {}, answer)) ==
      "otherwise running `sm_priority 14` -> priority: 10\n"
      "sayable running `subnet_prefix 0xfe80000000000002` -> subnet_manager: {subnet_prefix: "
      "\"0xfe80000000000002\"}\n"
      "sayable running `lmc 1` -> subnet_manager: {options: {lmc: 1}}\n");
  CHECK(
      text_of(said_of(
          wanted(),
          {},
          fmt::format(
              "process /usr/sbin/opensm --guid {} -R updn --lmc=1 -Q -k 0x5 --made-up\n",
              kOwnGuid))) ==
      "sayable running `routing_engine updn` -> subnet_manager: {routing_engine: \"updn\"}\n"
      "sayable running `lmc 1` -> subnet_manager: {options: {lmc: 1}}\n"
      "sayable running `qos TRUE` -> subnet_manager: {options: {qos: true}}\n"
      "not sayable running `sm_key`\n"
      "not sayable running `--made-up`\n");
  // Where its file says so, that is the statement.
  CHECK(
      text_of(said_of(
                  wanted(),
                  {{kConf, "lmc 1\nsm_priority 14\nsubnet_prefix 0xfe80000000000002\n"}},
                  answer))
          .find("running") == std::string::npos);
  CHECK(
      text_of(said_of(wanted(), {{"/etc/sysconfig/opensm", "GUIDS=\"0xb4\"\nPRIORITY=15\n"}})) ==
      "not sayable /etc/sysconfig/opensm:1 `guid 0xb4`\n"
      "otherwise /etc/sysconfig/opensm:2 `sm_priority 15` -> priority: 10\n");
}

// PORTS=ALL of /etc/default/opensm, and RHEL's opensm.conf.N: one for each port.
TEST_CASE("of several OpenSMs on a node each port counts", "[providers]") {
  const auto answers = [](const char* port, const char* guid) {
    return fmt::format(
        "port mlx5_1 {0} ACTIVE\nown mlx5_1 {0} sminfo: sm lid 2 sm guid {1}, activity count 7 "
        "priority 0 state 3 SMINFO_MASTER\n",
        port,
        guid);
  };
  const Files debian{{"/etc/default/opensm", "# Debian\nPORTS=\"ALL\"\n"}};
  const auto process = [](const std::string& guid, const std::string& more) {
    return fmt::format("process /usr/sbin/opensm -g {} {}\n", guid, more);
  };
  const std::string both = process(kOwnGuid, "") + process("0xb9", "");
  // Without a subnet at the other port nothing is managed there.
  CHECK(text_of(said_of(wanted(), debian, both)).empty());
  CHECK(
      text_of(said_of(wanted(), debian, both + answers("2", "0xb9"))) ==
      "not sayable running `guid 0x00000000000000b9`\n");
  CHECK(
      text_of(said_of(wanted(), debian, both + answers("2", "0xb3"))) ==
      "otherwise running `guid 0x00000000000000b3` -> no manager of the document is on "
      "pve3/cx5/1\n");
  CHECK(
      text_of(said_of(wanted(), debian, both + answers("2", "0xb2"))) ==
      "said running `guid 0x00000000000000b2`\n");
  // A file that only the command line names counts, too, and what is in no known place of it.
  const Files more{
      {"/etc/opensm/b.conf", "lmc 1\n"},
      {"/etc/default/opensm", "OPTIONS=\"-R updn\"\nexport X\n"}};
  CHECK(
      text_of(said_of(wanted(), more, process(kOwnGuid, "-F /etc/opensm/b.conf"))) ==
      "not sayable /etc/default/opensm:1 `OPTIONS -R updn`\n"
      "not sayable /etc/default/opensm:2 `line export X`\n"
      "sayable /etc/opensm/b.conf:1 `lmc 1` -> subnet_manager: {options: {lmc: 1}}\n");
  CHECK(
      text_of(said_of(wanted(), {}, process(kOwnGuid, "--config=/root/c.conf"))) ==
      "not sayable running `config /root/c.conf`\n");
}

}  // namespace
}  // namespace fabric::providers

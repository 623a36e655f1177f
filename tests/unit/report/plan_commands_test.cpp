// SPDX-License-Identifier: Apache-2.0
#include "engine/report/dot.hpp"
#include "engine/report/plan/plan_formats.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/report/sample_plan.hpp"

namespace fabric::report::test {

TEST_CASE("commands are shell lines, in order, under the action they belong to", "[report]") {
  plans::Plan plan;
  add_node(plan, "pve1", 1, "10.30.0.1/24");
  CHECK(plan_commands(plan) == R"(# a1  pve1: set HOST_CHAINING_MODE=1 on cx5
install -D -m 0600 -o root -g root /dev/stdin '/var/lib/fabric/it'\''s' <<'EOF'
armed
EOF
mstconfig -y -d 0000:01:00.0 set HOST_CHAINING_MODE=1

# wave 1

# a2  pve1: reboot pve1
#   needs a1
systemctl reboot
#   then a new boot_id within 17 min

)");
}

TEST_CASE("a file that ends its own here-document gets another end", "[report]") {
  plans::Plan plan;
  add_node(plan, "pve1", 1, "10.30.0.1/24");
  plan.actions[0].draft.steps.write({"/etc/a", "x\nEOF\n"}).write({"/etc/b", "no end"});
  const std::string text = plan_commands(plan);
  CHECK(text.find("/dev/stdin /etc/a <<'EOF_'\nx\nEOF\nEOF_\n") != std::string::npos);
  CHECK(
      text.find("printf %s 'no end' | install -D -m 0644 -o root -g root /dev/stdin /etc/b\n") !=
      std::string::npos);
}

TEST_CASE("commands that could deceive a terminal are written out, and still run", "[report]") {
  plans::Plan plan;
  add_node(plan, "pve1", 1, "10.30.0.1/24");
  plan.actions[0].draft.title = "set\nreboot now\x1b[2J";
  plan.actions[0].draft.steps.run_each(
      {{"echo", "a\x1b[2Jb\\"}, {"echo", "x\n# a9  pve2: reboot"}, {"echo", "x\nreboot"}});
  plan.actions[0].draft.steps.write({"/etc/a", "one\x1b[2J\ntwo\n", 0644, "root:root"});
  const std::string text = plan_commands(plan);
  CHECK(text.starts_with("# a1  pve1: set\\nreboot now\\x1b[2J\n"));
  CHECK(text.find("echo \"$(printf %b 'a\\0033[2Jb\\0134')\"\n") != std::string::npos);
  CHECK(text.find("echo \"$(printf %b 'x\\0012# a9  pve2: reboot')\"\n") != std::string::npos);
  CHECK(text.find("echo \"$(printf %b 'x\\0012reboot')\"\n") != std::string::npos);
  CHECK(
      text.find("printf %b 'one\\0033[2J\\0012two\\0012' | install -D -m 0644 -o root -g root "
                "/dev/stdin /etc/a\n") != std::string::npos);
}

TEST_CASE("a plan is drawn with its waves and edges", "[report]") {
  plans::Plan plan;
  plan.fabric = "a \"ring\"";
  add_node(plan, "pve1", 1, "10.30.0.1/24");
  CHECK(plan_dot(plan) == R"(digraph "a \"ring\"" {
  rankdir=LR;
  node [shape=box, fontname="Helvetica"];
  subgraph cluster_0 {
    label="first";
    "a1" [label="pve1\nsettings.set"];
  }
  subgraph cluster_1 {
    label="wave 1";
    "a2" [label="pve1\nreboot"];
  }
  "a1" -> "a2";
}
)");
}

TEST_CASE("a topology is drawn even where an end names no node", "[report]") {
  FabricSpec spec;
  spec.name.value = "x";
  NetworkSpec network;
  network.name = "storage";
  CableSpec cable{
      {{name("pve1"), "cx5", "1"}, {}}, {{name("pve9"), "cx5", "2"}, {}}, {}, {}, {}, {}, {}};
  network.cables.push_back(cable);
  spec.networks.emplace("storage", network);
  const std::string dot = topology_dot(spec);
  CHECK(dot.find("  \"pve9\" [style=dashed, color=red];\n") != std::string::npos);
  CHECK(
      dot.find("  \"pve1\" -- \"pve9\" [taillabel=\"cx5/1\", headlabel=\"cx5/2\", "
               "label=\"storage\"];\n") != std::string::npos);
}

}  // namespace fabric::report::test

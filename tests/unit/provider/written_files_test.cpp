// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/written_files.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

Resource named(std::string_view name) {
  Resource resource{{*NodeName::parse("a"), "sysctl", name}, {}, {}, {}, {}};
  resource.binding["network"] = "storage";
  return resource;
}

std::string refused(const std::string& path, const Resource& resource = named("storage")) {
  ActionDraft draft;
  draft.steps.write({path, "x\n", 0644, "root:root"});
  return why_not_written(resource, draft, {"/etc/sysctl.d/"});
}

TEST_CASE("a file is written in the folders of its kind, and nowhere else", "[provider]") {
  CHECK(refused("/etc/sysctl.d/90-fabric-storage.conf").empty());
  for (const char* path :
       {"/etc/modprobe.d/x.conf",
        "/etc/sysctl.d/../modprobe.d/x.conf",
        "/etc/sysctl.d/./x",
        "/etc/sysctl.d//x",
        "/etc/sysctl.d/",
        "/etc/sysctl.d",
        "etc/sysctl.d/x",
        "/etc/sysctl.d/x\ny",
        "/etc/sysctl.d/x y",
        "/etc/sysctl.d/$(id)"}) {
    INFO(path);
    CHECK_FALSE(refused(path).empty());
  }
  // What brings it back is held to the same.
  ActionDraft draft;
  draft.undo.remove("/etc/passwd");
  CHECK_FALSE(why_not_written(named("storage"), draft, {"/etc/sysctl.d/"}).empty());
  // A file of somebody else may stand anywhere, by a path that leads down.
  draft.file_preconditions.push_back({"/etc/passwd", "0"});
  CHECK(why_not_written(named("storage"), draft, {"/etc/sysctl.d/"}).empty());
}

TEST_CASE("no name and no text of a resource ends a line of what is written for it", "[provider]") {
  const std::string path = "/etc/sysctl.d/x.conf";
  for (const char* name :
       {"a\nb", "a b", "a\"b", "a'b", "a$b", "a%n", "a;b", "a#b", "../a", "a/../b"})
    CHECK_FALSE(refused(path, named(name)).empty());
  CHECK(refused(path, named("leaf1/1/7")).empty());
  for (const Value& value :
       {Value{"a\nb"},
        Value{List{"a", "b\rc"}},
        Value{Map{{"k", Map{{"a\nb", "v"}}}}},
        Value{"a\u2028b"}}) {
    Resource resource = named("storage");
    resource.binding["odd"] = value;
    CHECK_FALSE(refused(path, resource).empty());
    resource = named("storage");
    resource.desired["odd"] = DesiredAttribute{value, {}, {}};
    CHECK_FALSE(refused(path, resource).empty());
  }
}

TEST_CASE("a line for a prompt is one line", "[provider]") {
  for (const char* line : {"vlan 7\nno snmp-server", "vlan 7\r", "vlan \x1b[2J", "vlan \u0085 7"}) {
    ActionDraft draft;
    draft.steps.converse({"configure", line});
    CHECK_FALSE(why_not_written(named("storage"), draft, {}).empty());
  }
  ActionDraft draft;
  draft.steps.converse({"vlan 7 name \"storage\""});
  CHECK(why_not_written(named("storage"), draft, {}).empty());
}

}  // namespace
}  // namespace fabric

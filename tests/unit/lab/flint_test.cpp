// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

RingLab one_host(const std::string& model = "connectx-5-vpi", LabHost host = {}) {
  LabSpec spec;
  spec.hosts["pve1"] = std::move(host);
  return RingLab{
      load_text(
          "apiVersion: fabric/v1\nname: one\nnodes:\n  pve1:\n    adapters: {a: {model: " + model +
          "}}\n"),
      spec};
}

// Puts an image of the lab's own format on the host.
void image(RingLab& lab, const std::string& version, const std::string& psid = "MT_0000000008") {
  lab.exec(
      1,
      "cat >/root/fw.bin",
      "fabric lab firmware image\nversion " + version + "\npsid " + psid + "\n");
}

bool says(RingLab& lab, const std::string& line, const std::string& text, int status) {
  const ExecResult result = lab.exec(1, line);
  INFO(line << " says " << result.standard_output << result.standard_error);
  CHECK(result.standard_output.find(text) != std::string::npos);
  CHECK(result.exit_status == status);
  return result.exit_status == status;
}

TEST_CASE("what was burned is in flash, and runs after the boot", "[lab]") {
  RingLab lab = one_host();
  image(lab, "16.35.4030");
  says(lab, "mstflint -i /root/fw.bin query", "FW Version:            16.35.4030\n", 0);
  says(
      lab,
      "mstflint -d 0000:01:00.0 -i /root/fw.bin -y burn",
      "    Current FW version on flash:  16.35.2000\n    New FW version:               "
      "16.35.4030\n",
      0);
  says(
      lab,
      "mstflint -d 0000:01:00.0 q",
      "FW Version:            16.35.4030\nFW Version(Running):   16.35.2000\n",
      0);
  CHECK(lab.out(1, "cat /sys/class/infiniband/*/fw_ver | head -n 1") == "16.35.2000\n");
  lab.reboot(1);
  CHECK(lab.out(1, "mstflint -d 0000:01:00.0 q").find("Running") == std::string::npos);
  CHECK(lab.out(1, "cat /sys/class/infiniband/*/fw_ver | head -n 1") == "16.35.4030\n");
}

TEST_CASE("what is read from flash can be queried and burned again", "[lab]") {
  RingLab lab = one_host();
  says(lab, "mstflint -d 01:00.0 ri /root/saved.bin", "", 0);
  says(lab, "mstflint -i /root/saved.bin q", "FW Version:            16.35.2000\n", 0);
  image(lab, "16.35.4030");
  says(lab, "mstflint -d 01:00.0 -i /root/fw.bin -y b", "- OK\n", 0);
  says(lab, "mstflint -d 01:00.0 -i /root/saved.bin -y b", "older than the current FW version", 0);
  CHECK(lab.out(1, "mstflint -d 01:00.0 q").find("Running") == std::string::npos);
}

TEST_CASE("an image of another PSID, or of no firmware, is not burned", "[lab]") {
  RingLab lab = one_host();
  image(lab, "16.35.4030", "DEL0000000004");
  says(
      lab,
      "mstflint -d 01:00.0 -i /root/fw.bin -y burn",
      "-E- PSID mismatch. The PSID on flash (MT_0000000008) differs from the PSID in the given "
      "image "
      "(DEL0000000004).\n",
      1);
  lab.exec(1, "cat >/root/fw.bin", "something else\n");
  says(lab, "mstflint -d 01:00.0 -i /root/fw.bin -y burn", "-E- Cannot open Image: ", 1);
  says(
      lab,
      "mstflint -i /root/none.bin q",
      "-E- Cannot open Image: /root/none.bin. No such file or directory\n",
      1);
  CHECK(
      lab.out(1, "mstflint -d 01:00.0 q").find("FW Version:            16.35.2000\n") !=
      std::string::npos);
}

TEST_CASE("an older image is asked about, and nobody answers is no", "[lab]") {
  RingLab lab = one_host();
  image(lab, "16.35.1012");
  says(lab, "mstflint -d 01:00.0 -i /root/fw.bin burn", "(y/n) [n] : ", 7);
  says(lab, "echo y | mstflint -d 01:00.0 -i /root/fw.bin burn", "- OK\n", 0);
}

TEST_CASE("what flint does not know it refuses", "[lab]") {
  RingLab lab = one_host();
  says(lab, "mstflint -d 01:00.0 -z q", "-E- Invalid switch \"-z\" is specified.\n", 1);
  says(lab, "mstflint -d 01:00.0 melt", "-E- Invalid command: melt\n", 1);
  says(lab, "mstflint -d 01:00.0", "-E- No command found.\n", 1);
  says(
      lab,
      "mstflint -d 01:00.0 burn",
      "-E- Command \"burn\" requires both image and device to be specified.\n",
      1);
  says(lab, "mstflint -d 99:00.0 q", "-E- Cannot open Device: 99:00.0.", 1);
  says(lab, "mstflint -v", "mstflint, mstflint 4.26.0", 0);
}

TEST_CASE("mstflint 4.26 crashes on a ConnectX-3, 4.21 does not", "[lab]") {
  RingLab new_tool = one_host("connectx-3-vpi");
  says(new_tool, "mstflint -d 01:00.0 q", "", 139);
  LabHost host;
  host.tool_version = "4.21";
  RingLab old_tool = one_host("connectx-3-vpi", host);
  says(old_tool, "mstflint -d 01:00.0 q", "Image type:            FS2\n", 0);
}

}  // namespace
}  // namespace fabric::lab

// SPDX-License-Identifier: Apache-2.0
// The disk below a simulated host's files, and what is left of it when the power fails.
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "providers/linux/lab/host/file_tree.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

constexpr std::uint64_t kSeeds = 300;
const std::string kOld = "the old text\n";
const std::string kNew = "a new text that is longer\n";

class Disk {
 public:
  explicit Disk(std::uint64_t seed) : random_{seed} {
    files.install("/etc/old", kOld);
    files.install_directory("/tmp");
  }
  void write(const std::string& path, const std::string& text) {
    InodeNumber number = 0;
    REQUIRE(
        files.open_for_write(path, "root", 0644, FileTree::Open::truncate, number) ==
        FileError::none);
    REQUIRE(files.append(number, text) == FileError::none);
  }
  std::optional<std::string> after_power_cut(const std::string& path) {
    files.lose_unsynced(random_);
    std::string content;
    if (files.read(path, "root", content) != FileError::none) return std::nullopt;
    return content;
  }
  FileTree files;

 private:
  Random random_;
};

// What was found at `path` after a power cut, over many seeds; "absent" for nothing.
std::set<std::string> found(const std::string& path, const std::function<void(Disk&)>& work) {
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Disk disk{seed};
    work(disk);
    all.insert(disk.after_power_cut(path).value_or("absent"));
  }
  return all;
}

bool are_prefixes(const std::set<std::string>& all, const std::string& whole) {
  for (const std::string& text : all) {
    if (text != "absent" && text != kOld && !whole.starts_with(text)) return false;
  }
  return true;
}

void rename(Disk& disk, const char* from, const char* to) {
  REQUIRE(disk.files.rename(from, to, "root") == FileError::none);
}

}  // namespace

TEST_CASE("what nobody has synced is there, torn or gone", "[lab]") {
  const auto all = found("/etc/new", [](Disk& disk) { disk.write("/etc/new", kNew); });
  CHECK(all.contains("absent"));
  CHECK(all.contains(""));
  CHECK(all.contains(kNew));
  CHECK(all.size() > 10);
  CHECK(are_prefixes(all, kNew));
  const auto over = found("/etc/old", [](Disk& disk) { disk.write("/etc/old", kNew); });
  CHECK(over.contains(kOld));
  CHECK(over.size() > 10);
  CHECK_FALSE(over.contains("absent"));
}

TEST_CASE("a rename of what was not synced may leave an empty file", "[lab]") {
  const auto all = found("/etc/old", [](Disk& disk) {
    disk.write("/etc/.new", kNew);
    rename(disk, "/etc/.new", "/etc/old");
  });
  CHECK(all.contains(kOld));
  CHECK(all.contains(""));
  CHECK(all.contains(kNew));
  CHECK(are_prefixes(all, kNew));
  CHECK_FALSE(all.contains("absent"));
}

TEST_CASE("a file and its folder are synced by themselves", "[lab]") {
  const auto write = [](Disk& disk, bool file, bool folder) {
    disk.write("/etc/.new", kNew);
    if (file) REQUIRE(disk.files.sync("/etc/.new") == FileError::none);
    rename(disk, "/etc/.new", "/etc/old");
    if (folder) REQUIRE(disk.files.sync("/etc") == FileError::none);
  };
  using Texts = std::set<std::string>;
  CHECK(found("/etc/old", [&](Disk& disk) { write(disk, true, false); }) == Texts{kOld, kNew});
  CHECK(found("/etc/old", [&](Disk& disk) { write(disk, true, true); }) == Texts{kNew});
  CHECK(found("/etc/old", [&](Disk& disk) { write(disk, false, true); }).contains(""));
  // What is in a folder that nobody has synced into the one above goes with it.
  CHECK(found("/etc/deep/file", [](Disk& disk) {
          REQUIRE(disk.files.make_directory("/etc/deep", "root", 0755) == FileError::none);
          disk.write("/etc/deep/file", kNew);
          disk.files.sync("/etc/deep/file");
          disk.files.sync("/etc/deep");
        }) == Texts{"absent", kNew});
}

TEST_CASE("what was removed comes back unless its folder is synced", "[lab]") {
  const auto removed = [](bool sync) {
    return found("/etc/old", [sync](Disk& disk) {
      REQUIRE(disk.files.remove("/etc/old", "root") == FileError::none);
      if (sync) disk.files.sync("/etc");
    });
  };
  CHECK(removed(false) == std::set<std::string>{kOld, "absent"});
  CHECK(removed(true) == std::set<std::string>{"absent"});
}

TEST_CASE("a rename is whole or has not been", "[lab]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Disk disk{seed};
    rename(disk, "/etc/old", "/etc/other");
    const bool there = disk.after_power_cut("/etc/other").has_value();
    CHECK(there != (disk.files.find("/etc/old") != nullptr));
  }
}

TEST_CASE("everything is on the disk after a sync, or after a while", "[lab]") {
  const auto write = [](Disk& disk) {
    disk.files.write_back(1'000);
    disk.write("/etc/new", kNew);
    disk.files.remove("/etc/old", "root");
  };
  Disk synced{1};
  write(synced);
  CHECK(synced.files.unsynced() == std::vector<std::string>{"/etc/new", "/etc/old"});
  synced.files.sync_all();
  CHECK(synced.files.unsynced().empty());
  CHECK(synced.after_power_cut("/etc/new") == kNew);
  CHECK(synced.files.find("/etc/old") == nullptr);
  Disk waited{1};
  write(waited);
  waited.files.write_back(30'000);
  CHECK_FALSE(waited.files.unsynced().empty());
  waited.files.write_back(40'000);
  CHECK(waited.after_power_cut("/etc/new") == kNew);
}

TEST_CASE("a folder loses nothing as long as nothing is in it", "[lab]") {
  Disk disk{1};
  REQUIRE(disk.files.make_directory("/etc/folder", "root", 0755) == FileError::none);
  CHECK(disk.files.unsynced().empty());
  disk.write("/etc/folder/file", kNew);
  CHECK(disk.files.unsynced() == std::vector<std::string>{"/etc/folder", "/etc/folder/file"});
}

TEST_CASE("what is gone after a boot has no disk", "[lab]") {
  Disk disk{1};
  disk.write("/tmp/x", kNew);
  CHECK(disk.files.unsynced().empty());
}

TEST_CASE("a shutdown writes back, a power cut does not", "[lab]") {
  std::set<std::string> after_cut;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    LabSpec spec;
    spec.seed = seed;
    RingLab ring{3, spec};
    ring.exec(1, "echo x > /etc/x; systemctl reboot");
    ring.exec(2, "echo x > /etc/x");
    ring.lab.cut_power(pve(2));
    ring.exec(3, "echo x > /etc/x; sync /etc/x /etc");
    ring.lab.cut_power(pve(3));
    ring.wait(Duration{60'000});
    CHECK(ring.lab.power(pve(2)) == Power::up);
    CHECK(ring.lab.read_file(pve(1), "/etc/x") == "x\n");
    after_cut.insert(ring.lab.read_file(pve(2), "/etc/x").value_or("absent"));
    CHECK(ring.lab.read_file(pve(3), "/etc/x") == "x\n");
  }
  CHECK(after_cut.contains("absent"));
  CHECK(after_cut.contains("x\n"));
}

}  // namespace fabric::lab

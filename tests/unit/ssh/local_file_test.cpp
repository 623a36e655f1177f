// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "engine/ssh/runner.hpp"

#include "tests/support/catch.hpp"

namespace fabric::ssh {

TEST_CASE("what is copied to a node is what was planned, or nothing", "[ssh]") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fabric-image-" + std::to_string(getpid()));
  // printf abc | sha256sum
  const std::string digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  std::ofstream{path} << "abc";
  const auto content = read_local_file(path.string(), 3, digest);
  std::ofstream{path} << "abd";
  const auto changed = read_local_file(path.string(), 3, digest);
  std::ofstream{path} << "abcd";
  const auto longer = read_local_file(path.string(), 3, digest);
  std::filesystem::remove(path);
  const auto gone = read_local_file(path.string(), 3, digest);
  REQUIRE(content);
  CHECK(*content == "abc");
  CHECK(changed.error().code == ErrorCode::stale);
  CHECK(longer.error().code == ErrorCode::stale);
  CHECK(gone.error().code == ErrorCode::not_found);
}

}  // namespace fabric::ssh

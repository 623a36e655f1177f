// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/environment.hpp"

#include <filesystem>
#include <string>

#include <stdlib.h>  // mkdtemp is POSIX
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/limits.hpp"

#include "tests/support/catch.hpp"

namespace fabric::ssh {

TEST_CASE("an identity file is a regular file of a key's size, or it is not read", "[ssh]") {
  std::string folder = (std::filesystem::temp_directory_path() / "fabric-keys-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string pipe = folder + "/pipe";
  const std::string large = folder + "/large";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(mknod(large.c_str(), S_IFREG | 0600, 0) == 0);
  REQUIRE(truncate(large.c_str(), off_t{1} << 40U) == 0);
  KeyStore keys;
  for (const std::string& path : {std::string{"/dev/zero"}, pipe, large, folder}) {
    const KeyStore::Identity& identity = keys.load(path);
    CHECK_FALSE(identity.key);
    CHECK_FALSE(identity.missing);  // it is told, as a file that is not there may not be
    CHECK(identity.problem.starts_with(path + ": expected "));
  }
  CHECK(keys.load(folder + "/nowhere").missing);
  // Of another file nothing is told but that it is no key.
  CHECK(keys.load("/proc/self/environ").problem == "/proc/self/environ is no private key");
  std::filesystem::remove_all(folder);
}

}  // namespace fabric::ssh

// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ssh_config: refused with its line, or a configuration that says how a host is
// reached.
#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/config/destination.hpp"

namespace fabric::ssh {
namespace {

void read(const std::string& path) {
  const Result<Config> config = Config::read(path, "/nowhere");
  if (!config) {
    FABRIC_CHECK(config.error().code == ErrorCode::invalid, "a refusal is of the input");
    FABRIC_CHECK(config.error().message.starts_with(path + ":"), "a refusal says where");
    return;
  }
  const Options options{};
  const LocalEnvironment local{"/nowhere", "root", ""};
  for (const char* host : {"pve1", "192.0.2.1"}) {
    Target target;
    target.host = host;
    const Result<Destination> destination =
        DestinationResolver{*config, options, local}.resolve("pve1", target);
    if (!destination) continue;
    FABRIC_CHECK(destination->port >= 1 && destination->port <= 65535, "a port is one");
    FABRIC_CHECK(destination->jumps.size() < 100, "jumps come to an end");
  }
}

}  // namespace
}  // namespace fabric::ssh

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{data, data + size};
  // Nothing of this machine is to be read, and no folder of it searched.
  const bool includes = fabric::to_lower(text).find("include") != std::string::npos;
  if (includes && text.find_first_of("/~") != std::string::npos) return 0;
  const int file = memfd_create("config", MFD_CLOEXEC);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return 0;
  fabric::ssh::read("/proc/self/fd/" + std::to_string(file));
  close(file);
  return 0;
}

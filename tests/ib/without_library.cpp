// SPDX-License-Identifier: Apache-2.0
// The layer as it is built on a machine without rdma-core's development files: it says what is
// missing.
#include <cstdio>

#include "engine/base/check.hpp"
#include "engine/ibnet/look.hpp"

int main() {
  using namespace fabric;
  FABRIC_CHECK(!ibnet::is_available(), "there is no library");
  const auto looks = ibnet::look();
  FABRIC_CHECK(
      !looks && looks.error().code == ErrorCode::not_found, "nothing can be seen without it");
  for (const char* text : {"built without libibnetdisc", "--wire nodes"}) {
    FABRIC_CHECK(looks.error().message.find(text) != std::string::npos, "what is missing is said");
  }
  std::puts(looks.error().message.c_str());
}

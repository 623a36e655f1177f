// SPDX-License-Identifier: Apache-2.0
// What the probes of many machines printed, as facts have it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/base/recent.hpp"
#include "engine/base/shared_text.hpp"
#include "engine/platform/probe.hpp"

namespace fabric::platform {

// Keeps equal texts once. Machines of one kind print much that is the same byte for byte: what one
// printed before, and had no secret in it, is not searched for secrets again.
class ProbeTexts {
 public:
  enum class Stream : std::uint8_t { output, error };

  SharedText script(const Probe& probe);
  // UTF-8, without secrets (without_secrets), so that facts and what is made of them have none,
  // whatever a probe reads.
  SharedText printed(const Probe& probe, Stream stream, std::string_view bytes);
  // As it is.
  SharedText kept(std::string text) { return pool_.keep(SharedText{std::move(text)}); }

 private:
  struct OfProbe {
    SharedText script;
    Recent<SharedText> output, error;  // that had no secret
  };

  TextPool pool_;
  std::map<std::string, OfProbe, std::less<>> probes_;  // by id
};

}  // namespace fabric::platform

// SPDX-License-Identifier: Apache-2.0
// The outputs of many machines' probes, as facts have them.
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

// Output of tools need not be UTF-8 (a part number with a stray byte), saved facts are.
bool is_utf8(std::string_view text);

// `text` with each byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string to_utf8(std::string_view text);

// Keeps equal texts once. Machines of one kind print many equal texts: one that was printed before
// and had no secret is not searched for secrets again.
class ProbeTexts {
 public:
  enum class Stream : std::uint8_t { output, error };

  SharedText script(const Probe& probe);
  // Returns the output in UTF-8, without secrets (without_secrets), so that facts and all values
  // from them have none, whatever a probe reads.
  SharedText printed(const Probe& probe, Stream stream, std::string_view bytes);
  // Keeps the text unchanged.
  SharedText kept(std::string text) { return pool_.keep(SharedText{std::move(text)}); }

 private:
  struct OfProbe {
    SharedText script;
    Recent<SharedText> output, error;  // texts without a secret
  };

  TextPool pool_;
  std::map<std::string, OfProbe, std::less<>> probes_;  // by id
};

}  // namespace fabric::platform

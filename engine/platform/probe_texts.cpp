// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/probe_texts.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/secrets/redaction.hpp"

namespace fabric::platform {

namespace {

// Bytes of the well-formed character at the start of `text`; 0 if there is none (Unicode 3.9, table
// 3-7).
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t lowest = 0x80;
  std::uint8_t highest = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (lead == 0xE0) lowest = 0xA0;   // overlong
  if (lead == 0xED) highest = 0x9F;  // surrogates
  if (lead == 0xF0) lowest = 0x90;   // overlong
  if (lead == 0xF4) highest = 0x8F;  // beyond U+10FFFF
  if (length == 0 || text.size() < length || byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t at = 2; at < length; ++at) {
    if (byte(at) < 0x80 || byte(at) > 0xBF) return 0;
  }
  return length;
}

// Bytes at the start of `text` that are well-formed.
std::size_t well_formed_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Nearly all of what tools print is ASCII.
    std::uint64_t eight = 0;
    while (at + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080'8080'8080'8080) != 0) break;
      at += sizeof eight;
    }
    if (at == text.size()) break;
    const std::size_t length = character_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace

bool is_utf8(std::string_view text) {
  return well_formed_length(text) == text.size();
}

std::string to_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (true) {
    const std::size_t length = well_formed_length(text);
    clean += text.substr(0, length);
    if (length == text.size()) return clean;
    clean += "\xEF\xBF\xBD";
    text.remove_prefix(length + 1);
  }
}

SharedText ProbeTexts::script(const Probe& probe) {
  SharedText& known = probes_[probe.id].script;
  if (known.str() != probe.script) known = kept(probe.script);
  return known;
}

SharedText ProbeTexts::printed(const Probe& probe, Stream stream, std::string_view bytes) {
  if (bytes.empty()) return {};
  OfProbe& places = probes_[probe.id];
  Recent<SharedText>& known = stream == Stream::output ? places.output : places.error;
  const auto* const found = std::find(known.begin(), known.end(), bytes);
  if (found != known.end()) return *found;
  SharedText text = is_utf8(bytes) && !may_hold_secret(bytes)
                        ? pool_.keep_copy_of(bytes)
                        : kept(without_secrets(to_utf8(bytes)));
  if (text == bytes) known.add(text);
  return text;
}

}  // namespace fabric::platform

// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/probe_texts.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/secrets/redaction.hpp"
#include "engine/platform/utf8.hpp"

namespace fabric::platform {

SharedText ProbeTexts::script(const Probe& probe) {
  SharedText& known = probes_[probe.id].script;
  if (known.str() != probe.script) known = kept(probe.script);
  return known;
}

SharedText ProbeTexts::printed(const Probe& probe, Stream stream, std::string_view bytes) {
  constexpr std::size_t kKinds = 4;  // of machines that may alternate
  if (bytes.empty()) return {};
  OfProbe& places = probes_[probe.id];
  Place& place = stream == Stream::output ? places.output : places.error;
  const auto known = std::find(place.known.begin(), place.known.end(), bytes);
  if (known != place.known.end()) return *known;
  SharedText text = kept(without_secrets(to_utf8(bytes)));
  if (text == bytes) {
    if (place.known.size() < kKinds) place.known.emplace_back();
    place.known[place.next++ % place.known.size()] = text;
  }
  return text;
}

}  // namespace fabric::platform

// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/probe_texts.hpp"

#include <algorithm>

#include "engine/base/secrets/redaction.hpp"
#include "engine/platform/utf8.hpp"

namespace fabric::platform {

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

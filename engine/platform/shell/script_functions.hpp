// SPDX-License-Identifier: Apache-2.0
// Functions for the scripts of probes, which do without starting a program: on a machine that has
// to start it for each of its probes, programs are most of what they cost. A script begins with
// those that it calls, so that what the facts of a node show of it runs by itself.
#pragma once

#include <string_view>

namespace fabric::platform {

// say WORD: each line of its input, behind the word. For few: the shell reads them byte by byte.
inline constexpr std::string_view kSay = R"sh(say() {
  while IFS= read -r line || [ -n "$line" ]; do printf '%s %s\n' "$1" "$line"; done
}
)sh";

// lines FILE...: of those that can be read each line that is not empty, as grep -H tells it. For
// short files.
inline constexpr std::string_view kLines = R"sh(lines() {
  for f in "$@"; do
    [ -f "$f" ] && [ -r "$f" ] || continue
    while IFS= read -r line || [ -n "$line" ]; do
      [ -z "$line" ] || printf '%s:%s\n' "$f" "$line"
    done <"$f"
  done
}
)sh";

}  // namespace fabric::platform

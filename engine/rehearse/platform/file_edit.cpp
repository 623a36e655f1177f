// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/platform/simulated_platform.hpp"

namespace fabric::rehearse {

std::string_view to_string(FileEdit::How how) {
  switch (how) {
    case FileEdit::How::edited:
      return "edits";
    case FileEdit::How::removed:
      return "removes";
    case FileEdit::How::linked:
      return "puts a link in the place of";
    case FileEdit::How::truncated:
      return "truncates";
  }
  return "";
}

}  // namespace fabric::rehearse

// SPDX-License-Identifier: Apache-2.0
// Reading and replacing whole files on the control host.
#include "engine/cli/state/document.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"

namespace fabric::cli {

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  return files::read_regular(path, bytes_max);
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  return files::write_file(path, text, files::Readers::owner);
}

}  // namespace fabric::cli

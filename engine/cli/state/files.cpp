// SPDX-License-Identifier: Apache-2.0
// Reading and replacing whole files on the control host.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/files/place.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"

namespace fabric::cli {

files::Links links_to(const std::string& path) {
  const std::vector<std::string_view> parts = split(path, '/');
  const bool is_kept = std::find(parts.begin(), parts.end(), kStateFolder) != parts.end();
  return is_kept ? files::Links::refused : files::Links::followed;
}

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  return files::read_regular(path, bytes_max, links_to(path));
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  if (links_to(path) == files::Links::refused) FABRIC_TRY(files::refuse_link(path));
  return files::write_file(path, text, files::Readers::owner);
}

}  // namespace fabric::cli

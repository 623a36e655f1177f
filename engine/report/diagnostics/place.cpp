// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/place.hpp"

#include <algorithm>

namespace fabric::report {

Place place_of(const SourceMap& sources, SourceRange range) {
  Place place;
  if (!is_known(range)) return place;
  place.known = true;
  place.path = sources.path(range.file);
  place.begin = sources.position(range.file, range.begin);
  place.end = sources.position(range.file, std::max(range.begin, range.end));
  return place;
}

std::string relative_path(std::string_view path, std::string_view root, std::string_view folder) {
  while (path.substr(0, 2) == "./")
    path.remove_prefix(2);
  std::string whole;
  if (!folder.empty() && !path.empty() && path.front() != '/') {
    whole = std::string{folder} + '/' + std::string{path};
    path = whole;
  }
  while (root.size() > 1 && root.back() == '/')
    root.remove_suffix(1);
  const bool below = !root.empty() && path.size() > root.size() + 1 &&
                     path.substr(0, root.size()) == root && path[root.size()] == '/';
  if (below) path.remove_prefix(root.size() + 1);
  return std::string{path};
}

}  // namespace fabric::report

// Files on a node that fabric owns begin with a marker line; all others are foreign and never
// touched.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// "# managed by fabric: pve1/interface/cx5.1\n"
std::string owned_marker(const ResourceAddress& address);
// The first line is a marker, of whichever resource.
bool is_owned(std::string_view content);

// Texts of files by path, from `grep -H ''` over them. Lines end with '\n' whether or not the
// file's last one did.
using FileTexts = std::map<std::string, std::string, std::less<>>;
FileTexts file_texts(std::string_view grep_output);

}  // namespace fabric::providers

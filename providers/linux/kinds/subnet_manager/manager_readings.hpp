// SPDX-License-Identifier: Apache-2.0
// The attributes of a manager in its files, as they lie there or as it was started with them.
#pragma once

#include <map>
#include <string>

#include "engine/platform/owned_file.hpp"
#include "engine/provider/observation.hpp"
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"

namespace fabric::providers {

struct ManagerTexts {
  std::string options, partitions, roots, io;
};

// Of every attribute that the resource desires, but `manages`. `expected`: the files as they are to
// be, empty where they can't be made. A list that is as expected reads as the desired value.
std::map<std::string, Reading, std::less<>> read_manager(
    const Resource& resource, const ManagerTexts& found, const ManagerTexts& expected);

}  // namespace fabric::providers

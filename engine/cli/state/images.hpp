// Firmware images of the document, as files of this machine. Only their size and SHA-256 get into
// resources and plans; what a node is sent is read when it is sent.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/result.hpp"
#include "engine/model/resource.hpp"
#include "engine/workflow/resources.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

// Completes binding.image of every firmware resource (see engine/model/resource_keys.hpp): path
// from here, sha256, bytes. A path of the document is relative to `folder`. What can't be read, is
// empty or has more than 256 MiB is reported at its line (rule `firmware-image-missing`; a warning
// where the node is only observed) and stays without a digest, so that nothing is planned with it.
void read_images(
    const std::string& folder, std::vector<Resource>& resources, Diagnostics& diagnostics);

// read_images as a step of a workflow.
workflow::BindFiles images_below(const std::string& folder);

// What the plan is about to copy is still what it was made from. Fails with ErrorCode::stale,
// naming the file.
Result<void> check_copies(const plans::Plan& plan);

}  // namespace fabric::cli

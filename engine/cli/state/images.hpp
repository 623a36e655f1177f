// SPDX-License-Identifier: Apache-2.0
// Firmware images of the document, as files of this machine. Resources and plans have only their
// size and SHA-256; an image is read again when it is sent to a node.
#pragma once

#include <string>
#include <vector>

#include "engine/base/diagnostic.hpp"
#include "engine/base/result.hpp"
#include "engine/model/resource.hpp"
#include "engine/workflow/resources.hpp"
#include "plans/plan.hpp"

namespace fabric::cli {

// The owner of the images: the document in `folder`, which may name files outside of it only if the
// operator trusts it.
struct ImageSource {
  std::string folder;
  bool trusted = false;
};

// Completes binding.image of every firmware resource (see engine/model/resource_keys.hpp): path
// from here, sha256, bytes. A path of the document is relative to its folder. An image that can't
// be read, is empty or has more than 256 MiB is reported at its line (rule
// `firmware-image-missing`; for a file outside of the folder `document-not-trusted`; a warning
// where the node is only observed) and gets no digest, so that no work is planned with it.
Bindings read_images(
    const ImageSource& source, const std::vector<Resource>& resources, Diagnostics& diagnostics);

// read_images as a step of a workflow.
workflow::BindFiles images_of(ImageSource source);

// Checks that the images to be copied have the digests in the plan. Fails with ErrorCode::stale,
// naming the file, or forbidden for one outside of the folder of a document that is not trusted.
Result<void> check_copies(const ImageSource& source, const plans::Plan& plan);

}  // namespace fabric::cli

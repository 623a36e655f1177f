// SPDX-License-Identifier: Apache-2.0
// A plan as a comment in a pull request: the verdict first, findings, then the folded parts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Bytes that a comment may have: GitHub's limit, and that of others that take half of it.
inline constexpr std::size_t kCommentBytes = 65'536;
inline constexpr std::size_t kSmallCommentBytes = 32'768;

// GitHub-flavoured Markdown of at most `most` bytes. What is too long loses its middle, and says
// so. Text that comes from a document or a node is inert: it is no link, no mention, no HTML, and
// ends no block. `plan` is null where none could be made; then there are only the findings.
std::string plan_markdown(
    const plans::Plan* plan,
    const Diagnostics& findings,
    const SourceMap& sources,
    const std::optional<execute::Estimate>& time,
    std::size_t most);

}  // namespace fabric::report

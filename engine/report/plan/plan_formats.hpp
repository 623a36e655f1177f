// SPDX-License-Identifier: Apache-2.0
// A plan as commands and as a comment.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/base/diagnostic.hpp"
#include "engine/base/source.hpp"
#include "engine/execute/journal/estimate.hpp"
#include "plans/plan.hpp"

namespace fabric::report {

// Every remote command and file write of a plan, as shell lines, in order of execution.
// Comments name node, wave and action; all other lines could be typed on the node. Each script is
// defined once, at the top, as a variable of its name. A file write is shown as an `install`
// command of the same effect (fabric itself writes a temporary file and renames it).
std::string plan_commands(const plans::Plan& plan);

// The greatest size of a comment in bytes: GitHub's limit, and twice that of some other sites.
inline constexpr std::size_t kCommentBytes = 65'536;
inline constexpr std::size_t kSmallCommentBytes = 32'768;

// A plan as a comment in a pull request: the verdict first, findings, then the folded parts.
// GitHub-flavoured Markdown of at most `most` bytes. A part that is too long loses its middle, with
// a note. Text that comes from a document or a node is inert: it is no link, no mention, no HTML,
// and ends no block. `plan` is null if none could be made; then there are only the findings.
std::string plan_markdown(
    const plans::Plan* plan,
    const Diagnostics& findings,
    const SourceMap& sources,
    const std::optional<execute::Estimate>& time,
    std::size_t most);

}  // namespace fabric::report

// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/verify_output.hpp"

#include "engine/report/verify/verify_formats.hpp"

namespace fabric::cli {

void show(const Context& context, const verify::Report& report, const SourceMap& sources) {
  if (context.json()) {
    report::emit_verify(context.events(), report, sources);
  } else {
    context.result(report::verify_text(report, sources, context.output_style()));
  }
}

}  // namespace fabric::cli

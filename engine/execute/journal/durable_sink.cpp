// SPDX-License-Identifier: Apache-2.0
#include "engine/execute/journal/durable_sink.hpp"

namespace fabric::execute {

Result<void> DurableSink::append(std::string_view line) {
  if (Result<void> written = file_.write(std::string{line} + '\n'); !written) return written;
  return file_.sync();
}

}  // namespace fabric::execute

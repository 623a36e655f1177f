// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/kinds/reading_provider.hpp"

#include "providers/esx/answer.hpp"

namespace fabric::providers::esxi {

Result<Work> ReadingProvider::work(const Change& change, const WorkContext& /*context*/) const {
  return no_change(change);
}

}  // namespace fabric::providers::esxi

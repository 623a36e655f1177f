// SPDX-License-Identifier: Apache-2.0
// Lists that esxcli prints as blocks: a name at the left, then its lines "   Key: Value".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"

namespace fabric::providers {

// One row for each block, in order, its cells named as read_esxcli_rows() names them; the name
// above a block is its cell "". A key is the whole text before the first colon: "Device ID" is not
// "SubDevice ID". Fails with ErrorCode::invalid, "line N: ...", on a line of another shape, a key
// that is there twice and a block without a key of `required`.
Result<std::vector<EsxcliRow>> read_esxcli_blocks(
    std::string_view text, const std::vector<std::string>& required);

}  // namespace fabric::providers

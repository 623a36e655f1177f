// SPDX-License-Identifier: Apache-2.0
// The output of esxcli with --formatter=keyvalue: one value a line, each with the name of its field
// (E-esxcli-keyvalue). All releases since 5.0 have it, and no release moves a column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "providers/esx/parsers/esxcli_table.hpp"

namespace fabric::providers {

// True if the text begins with a line of this form, "structure[0].Nic.MTU.integer=1500".
bool is_esxcli_keyvalue(std::string_view text);

// One row for each structure, in order, its cells named as read_esxcli_rows() names them. The
// elements of a list ("Uplinks[0]") are one cell, with ", " between them. Fails with
// ErrorCode::invalid, "line N: ...", on a line of another shape, a field that is there twice, a
// structure out of order, and a structure without a column of `required`.
Result<std::vector<EsxcliRow>> read_esxcli_keyvalue(
    std::string_view text, const std::vector<std::string>& required);

}  // namespace fabric::providers

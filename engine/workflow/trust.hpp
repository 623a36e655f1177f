// SPDX-License-Identifier: Apache-2.0
// The things that a document may not do by itself: start a program of the control host, hand out
// one of its variables, or name a file outside of the document's own folder. The operator allows
// that, outside of the document.
#pragma once

#include <string_view>

#include "engine/model/rule.hpp"

namespace fabric::workflow {

inline constexpr std::string_view kDocumentNotTrusted = "document-not-trusted";

// For help texts.
inline constexpr std::string_view kHowToTrust =
    "--trust-document (or FABRIC_TRUST_DOCUMENT=1) allows it, for a document that no other person "
    "can change";

RuleRows trust_rules();  // document-not-trusted

}  // namespace fabric::workflow

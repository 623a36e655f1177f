// SPDX-License-Identifier: Apache-2.0
#include "engine/workflow/trust.hpp"

namespace fabric::workflow {

namespace {

constexpr RuleInfo kTrustRules[] = {
    {kDocumentNotTrusted,
     Severity::error,
     RuleStage::plan,
     "The document names a program or a variable of the machine that fabric runs on, or a file "
     "outside of its own folder, or it is the only source of the host key of a node that would get "
     "a password. A document may come from another person, for example in a pull request: by "
     "itself it runs nothing here, hands out nothing and reads nothing.",
     "E-grammar: docs/document.md; docs/decisions/038-a-document-describes.md",
     "Give passwords by --ask-password or --credentials, have the host key in known_hosts or "
     "beside "
     "the password, and put files beside the document; or trust the document by "
     "--trust-document."}};

}  // namespace

RuleRows trust_rules() {
  return kTrustRules;
}

}  // namespace fabric::workflow

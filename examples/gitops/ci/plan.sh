#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After the merge: the plan that will be applied, signed. Writes fabric.plan and fabric.plan.sig; without changes, neither.
# FABRIC_SIGNING_KEY is the path of an ed25519 private key (PEM), outside of the repository.
set -eu
: "${FABRIC_SIGNING_KEY:?is the private key that signs plans}"
rm -f fabric.plan fabric.plan.sig
code=0
# shellcheck disable=SC2086
fabric --no-input ${FABRIC_OPTIONS:-} plan --out fabric.plan --sign "$FABRIC_SIGNING_KEY" --valid "${FABRIC_VALID:-1d}" \
  --detailed-exitcode || code=$?
case $code in
  0) rm -f fabric.plan fabric.plan.sig ;;  # nothing to apply
  2) code=0 ;;
esac
exit "$code"

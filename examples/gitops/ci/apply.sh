#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applies the plan that plan.sh has signed, and no other. What moved since is stale: exit 7, and nothing is written.
# FABRIC_TRUSTED_KEYS lies outside of the repository (/etc/fabric/trusted-keys.pem unless given).
set -eu
if [ ! -e fabric.plan ]; then
  echo "there is nothing to apply"
  exit 0
fi
# shellcheck disable=SC2086
exec fabric --no-input ${FABRIC_OPTIONS:-} apply fabric.plan --auto-approve --require-signature \
  --trusted-keys "${FABRIC_TRUSTED_KEYS:-/etc/fabric/trusted-keys.pem}"

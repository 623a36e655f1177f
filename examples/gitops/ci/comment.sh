#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a pull request would change, as a comment: writes comment.md. Changes nothing. Exit 0 with or without changes.
# For a machine that reaches the nodes; see SECURITY.md of fabric for whose changes may run there.
set -eu
code=0
# shellcheck disable=SC2086  # FABRIC_OPTIONS are words
fabric --no-input ${FABRIC_OPTIONS:-} plan --format markdown --detailed-exitcode >comment.md || code=$?
case $code in
  0 | 2) ;;                                # nothing to change, changes
  *) [ -s comment.md ] || echo "fabric plan: exit $code" >comment.md ;;
esac
cat comment.md
[ "$code" -eq 2 ] && code=0
exit "$code"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is the fabric still what the document says? Exit 2 if it is not. Changes nothing.
# FABRIC_METRICS, if given, is a file for the textfile collector of a node exporter: fabric_drift.prom in its folder.
set -eu
code=0
# shellcheck disable=SC2086
fabric --no-input ${FABRIC_OPTIONS:-} plan --refresh-only --detailed-exitcode || code=$?
if [ -n "${FABRIC_METRICS:-}" ]; then
  # 0 as declared, 1 drifted; what could not be read is neither.
  case $code in
    0) drift=0 ;;
    2) drift=1 ;;
    *) drift=NaN ;;
  esac
  {
    echo "# HELP fabric_drift Whether the fabric differs from its document."
    echo "# TYPE fabric_drift gauge"
    echo "fabric_drift $drift"
    echo "# HELP fabric_check_exit_code Exit code of the last check."
    echo "# TYPE fabric_check_exit_code gauge"
    echo "fabric_check_exit_code $code"
    echo "# HELP fabric_check_time_seconds When the last check ended."
    echo "# TYPE fabric_check_time_seconds gauge"
    echo "fabric_check_time_seconds $(date +%s)"
  } >"$FABRIC_METRICS.$$"
  # The exporter never sees half a file.
  mv "$FABRIC_METRICS.$$" "$FABRIC_METRICS"
fi
exit "$code"

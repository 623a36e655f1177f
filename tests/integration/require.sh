#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# require.sh PROGRAM COMMAND...: runs COMMAND, or says that it is skipped if PROGRAM is not there.
if [ ! -x "$1" ]; then
  echo "SKIPPED: $1 is not installed" >&2
  exit 77
fi
shift
exec "$@"

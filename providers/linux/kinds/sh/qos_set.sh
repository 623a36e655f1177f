# SPDX-License-Identifier: Apache-2.0
# Sets a port without a file. $1 and on: the variables of qos.sh, NAME=VALUE.
# shellcheck disable=SC2163 # the word says which
for variable in "$@"; do export "$variable"; done
. qos.sh

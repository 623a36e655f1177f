# SPDX-License-Identifier: Apache-2.0
. opensm_foreign.sh
. file_digest.sh
. file_digests.sh
# shellcheck disable=SC2086 # words, each a file
file_digests $foreign
exit 0

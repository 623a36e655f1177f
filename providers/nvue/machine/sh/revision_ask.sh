# SPDX-License-Identifier: Apache-2.0
. flush.sh
. revision_tools.sh
say

# SPDX-License-Identifier: Apache-2.0
. flush_system.sh
flush_system

# SPDX-License-Identifier: Apache-2.0
. esx_maintenance.sh
echo "mode $(mode)"
echo "note $(noted)"
exit 0

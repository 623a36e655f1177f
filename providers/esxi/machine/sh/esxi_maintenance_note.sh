# SPDX-License-Identifier: Apache-2.0
# A note that is there already is that of a run that was cut short: it stands.
. esxi_maintenance.sh
case $(noted) in entered|found) exit 0 ;; esac
if [ "$(mode)" = Enabled ]; then note found; else note entered; fi

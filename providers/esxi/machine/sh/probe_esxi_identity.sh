# SPDX-License-Identifier: Apache-2.0
echo "uuid $(esxcli system uuid get)"
echo "hostname $(hostname)"
esxcli --formatter=keyvalue system version get
exit 0

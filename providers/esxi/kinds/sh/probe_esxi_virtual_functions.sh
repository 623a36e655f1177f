# SPDX-License-Identifier: Apache-2.0
esxcli --formatter=keyvalue network nic list | while IFS='=' read -r key name; do
  case $key in *.Name.string) ;; *) continue ;; esac
  echo "== nic $name"
  esxcli network sriovnic vf list -n "$name"
done
exit 0

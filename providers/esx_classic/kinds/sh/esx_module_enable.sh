# SPDX-License-Identifier: Apache-2.0
. esx_options.sh
note loaded
said=$(esxcfg-module "-$1" "$module" 2>&1)
case $(vmware -v) in *"ESX Server 3"*) esxcfg-boot -b >/dev/null 2>&1 ;; esac
sync
case $1 in e) wanted=1 ;; *) wanted=0 ;; esac
case $(esxcfg-module -g "$module" 2>&1) in "$module enabled = $wanted "*) exit 0 ;; esac
echo "esxcfg-module -$1 $module: $said"
exit 1

# SPDX-License-Identifier: Apache-2.0
# On ESX 3.5 the kernel has a switch of its own for it (E-esx-netqueue).
case $(vmware -v) in
  *"ESX Server 3"*) esxcfg-advcfg -j netNetqueueEnabled ;;
  *) echo on by default ;;
esac

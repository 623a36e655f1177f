# SPDX-License-Identifier: Apache-2.0
# Of functions with hardware that are not virtual. mlxlink and mstlink are one program by two
# makers of packages; it reads cards of NVIDIA alone.
LC_ALL=C; export LC_ALL
PATH=$PATH:/usr/sbin:/sbin
echo fabric-links
tool= settings=
for t in mstlink mlxlink; do
  command -v $t >/dev/null 2>&1 && { tool=$t; break; }
done
for t in mstconfig mlxconfig; do
  command -v $t >/dev/null 2>&1 && { settings=$t; break; }
done
for n in /sys/class/net/*; do
  [ -e "$n/device" ] || continue
  [ -e "$n/device/physfn" ] && continue
  i=${n##*/}
  echo "link $i"
  ethtool "$i" 2>/dev/null | sed 's/^/settings /'
  { ethtool -I --show-fec "$i" 2>/dev/null || ethtool --show-fec "$i" 2>/dev/null; } | sed 's/^/fec /'
  ethtool -m "$i" 2>/dev/null | sed 's/^/module /'
  d=$(readlink -f "$n/device")
  cd "$d" && grep -sH . current_link_speed current_link_width max_link_speed max_link_width \
    numa_node aer_dev_correctable aer_dev_nonfatal aer_dev_fatal | sed 's/^/pcie /'
  [ -e "$d/iommu_group/type" ] && sed 's/^/pcie iommu_domain:/' "$d/iommu_group/type" 2>/dev/null
  lspci -vv -s "${d##*/}" 2>/dev/null | sed -n 's/.*MaxReadReq \([0-9]*\) bytes.*/pcie read_request:\1/p'
  cd "${d%/*}" && grep -sH . max_link_speed max_link_width | sed 's/^/slot /'
  [ "$(cat "$d/vendor" 2>/dev/null)" = 0x15b3 ] || continue
  [ -n "$settings" ] && [ "${d##*.}" = 0 ] &&
    timeout 20 $settings -d "${d##*/}" -e q "HOST_CHAINING_DESCRIPTORS[0..7]" \
      "HOST_CHAINING_TOTAL_BUFFER_SIZE[0..7]" 2>/dev/null </dev/null | sed 's/^/chaining /'
  [ -n "$tool" ] || continue
  port=1
  [ "$(cat "$n/dev_port" 2>/dev/null)" = 1 ] && port=2
  timeout 20 $tool -d "${d##*/}" -p $port -m -c 2>/dev/null </dev/null | sed 's/^/card /'
done
exit 0

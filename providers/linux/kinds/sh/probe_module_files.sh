# SPDX-License-Identifier: Apache-2.0
# In order of precedence: of files with one name the first counts.
# shellcheck disable=SC2231 # $kind is a word
. texts.sh
set --
for kind in modules-load modprobe; do
  set -- "$@" /etc/$kind.d/*.conf /run/$kind.d/*.conf /usr/local/lib/$kind.d/*.conf \
    /usr/lib/$kind.d/*.conf /lib/$kind.d/*.conf
done
texts "$@" /etc/rdma/mlx4.conf /proc/cmdline
read -r release </proc/sys/kernel/osrelease
for image in "/boot/initrd.img-$release" "/boot/initramfs-$release.img" "/boot/initrd-$release"; do
  [ -f "$image" ] || continue
  echo "boot-image $image"
  for f in /etc/modprobe.d/fabric-*.conf; do
    [ "$f" -nt "$image" ] && echo "newer $f"
  done
  break
done
for tool in update-initramfs dracut; do
  command -v "$tool" >/dev/null 2>&1 && echo "image-tool $tool" && break
done
exit 0

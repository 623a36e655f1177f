# SPDX-License-Identifier: Apache-2.0
# The boot is compared by the shell: cmp -s of diffutils goes by sizes, and files of /proc have none.
cd /var/lib/fabric/firmware 2>/dev/null || exit 0
for f in upload-*; do
  [ -f "$f" ] || continue
  digest=$(sha256sum <"$f") && echo "upload ${digest%% *} $PWD/$f"
done
now=
[ ! -r /proc/sys/kernel/random/boot_id ] || read -r now </proc/sys/kernel/random/boot_id
for f in backup-*.bin backup-*.query; do
  [ -s "$f" ] && [ -s "$f.settings" ] && [ -s "$f.boot" ] || continue
  read -r made <"$f.boot"
  if [ -n "$now" ] && [ "$made" = "$now" ]; then echo "backup $PWD/$f"; fi
done
for f in *.burning; do
  [ -f "$f" ] || continue
  read -r pid <"$f"
  [ -r "/proc/$pid/cmdline" ] || continue
  if tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q fabric-burn; then
    echo "burning ${f%.burning}"
  fi
done
exit 0

# SPDX-License-Identifier: Apache-2.0
# $1 card, $2 file, $3 tool, $4 tool of settings. Secure firmware can't be read back ("Read image
# is not supported"): what the tool says of it is saved in place of the image. Files are written
# beside their names and renamed: what has its name is whole. Of the settings the table for people,
# and the raw ones that `set_raw` takes where the tool can save them (not of ConnectX-3). The tool
# fails if it can't read some parameter, and the others are worth saving all the same. The boot
# comes last, when the rest is on the disk: with it the backup counts, in this boot and no other,
# for settings change.
card=$1 file=$2 tool=$3 config=$4
give_up() { echo "$1" >&2; exit 1; }
umask 077
mkdir -p "${file%/*}" || exit 1
rm -f "$file.boot" "$file.new"
case $file in
  *.query) "$tool" -d "$card" query >"$file.new" || exit 1 ;;
  *) "$tool" -d "$card" ri "$file.new" || exit 1 ;;
esac
[ -s "$file.new" ] || give_up "$file: the tool saved nothing"
mv -f "$file.new" "$file" || exit 1
"$config" -d "$card" -e q >"$file.settings.new" 2>&1
grep -q '^ *Configurations:' "$file.settings.new" ||
  give_up "the settings could not be saved: $(tail -n 1 "$file.settings.new")"
mv -f "$file.settings.new" "$file.settings" || exit 1
"$config" -d "$card" -y -f "$file.settings.raw" backup >/dev/null 2>&1 ||
  rm -f "$file.settings.raw"
sync "$file" "$file.settings" "${file%/*}" /var/lib/fabric /var/lib 2>/dev/null || sync
cp /proc/sys/kernel/random/boot_id "$file.new" && sync "$file.new" &&
  mv -f "$file.new" "$file.boot" && { sync "${file%/*}" 2>/dev/null || sync; }

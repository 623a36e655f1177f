# SPDX-License-Identifier: Apache-2.0
# $1 card, $2 image, $3 its SHA-256, $4 version, $5 PSID, $6 tool. Changes nothing.
card=$1 image=$2 digest=$3 version=$4 psid=$5 tool=$6
refuse() { echo "nothing is burned: $1" >&2; exit 1; }
field() { printf '%s\n' "$about" | sed -n "s/^$1: *//p" | head -n 1; }
found=$(sha256sum <"$image") || refuse "$image can't be read"
[ "${found%% *}" = "$digest" ] || refuse "expected sha256 $digest of $image, found ${found%% *}"
about=$("$tool" -i "$image" query) || refuse "the image: $about"
found=$(field 'FW Version')
[ "$found" = "$version" ] || refuse "expected version $version of the image, found $found"
found=$(field PSID)
[ "$found" = "$psid" ] || refuse "expected PSID $psid of the image, found $found"
about=$("$tool" -d "$card" query) || refuse "the card: $about"
found=$(field PSID)
[ "$found" = "$psid" ] || refuse "expected PSID $psid of the card, found $found"

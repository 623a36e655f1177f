# SPDX-License-Identifier: Apache-2.0
# $1 run, $2 seconds, $3 a run whose lease is not respected, then the holder.
. flush.sh
. lock_read.sh
. lock_put.sh
. lock_show.sh
if [ -e "$file" ] && [ "$held" != "$1" ] && { [ -z "$3" ] || [ "$held" != "$3" ]; }; then
  if [ "$left" = unreadable ] || [ "$left" -gt 0 ]; then show; exit 0; fi
fi
since=$now
if [ "$held" = "$1" ] && [ "$left" != unreadable ] && [ "$age" -ge 0 ]; then since=$((now - age)); fi
{
  line run "$1"
  line who "$4"
  line place "$5"
  line process "$6"
  line boot "$boot"
  line taken "$since"
  line expires $((now + $2))
  line length "$2"
} | put && echo taken

# SPDX-License-Identifier: Apache-2.0
cd "$HOME" || exit 0
for f in *.zip *.rpm; do
  [ -f "$f" ] || continue
  echo "== file $f"
  case $f in
    *.rpm) rpm -qp --qf '%{NAME}-%{VERSION}-%{RELEASE}\n' "$f" 2>/dev/null ;;
    *) esxupdate --bundle "$PWD/$f" info 2>/dev/null ;;
  esac
done
exit 0

# SPDX-License-Identifier: Apache-2.0
# The updates of a database that dpkg could not finish stand beside it, by number.
if [ -f /var/lib/dpkg/status ]; then
  for f in /var/lib/dpkg/updates/[0-9]*; do
    [ -f "$f" ] && echo '== interrupted' && break
  done
  echo '== list dpkg'
  dpkg-query -W -f '${db:Status-Abbrev}\t${Package}\t${Version}\n'
  echo "== status $?"
elif [ -d /var/lib/rpm ] || [ -d /usr/lib/sysimage/rpm ]; then
  echo '== list rpm'
  rpm -qa --queryformat '%{NAME}\t%{VERSION}-%{RELEASE}\n'
  echo "== status $?"
fi
for tool in apt-get dnf yum zypper; do
  command -v "$tool" >/dev/null 2>&1 && echo "== tool $tool"
done
exit 0

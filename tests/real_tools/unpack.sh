#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# unpack.sh SUITE FOLDER - Debian's mstflint of that suite (trixie, unstable) with its libraries in FOLDER/root, and nothing
# of it in this machine's own system: apt gets lists and a cache of its own, and no package script runs.
# Exits with 77 if the packages can't be had. They stay in FOLDER for the next time.
set -euo pipefail
suite=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
[ ! -e "$folder/complete" ] || exit 0
mirror=${MIRROR:-http://deb.debian.org/debian}
mkdir -p "$folder"/lists/partial "$folder"/cache/archives/partial "$folder"/root/usr/{bin,sbin,lib,lib64}
: >"$folder/status"
echo "deb $mirror $suite main" >"$folder/sources.list"
options=(-qq -o Acquire::Retries=3 -o Acquire::Languages=none -o APT::Install-Recommends=false -o Debug::NoLocking=1
  -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$folder"
  -o Dir::State::Lists="$folder/lists" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache")
# apt's own user can't write to a folder of somebody else.
[ "$(id -u)" != 0 ] || options+=(-o APT::Sandbox::User=root)
command -v apt-get >/dev/null || { echo "skipped: no apt-get here to get mstflint of $suite"; exit 77; }
if ! apt-get "${options[@]}" update || ! apt-get "${options[@]}" -y --download-only install mstflint >/dev/null; then
  echo "skipped: mstflint of $suite can't be had from $mirror"
  exit 77
fi
# The links of a merged /usr, which base-files would bring.
for directory in bin sbin lib lib64; do ln -sfn "usr/$directory" "$folder/root/$directory"; done
for package in "$folder"/cache/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
mkdir -p "$folder/root/dev"
: >"$folder/complete"

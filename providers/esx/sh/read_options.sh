# SPDX-License-Identifier: Apache-2.0
# A function of the shell: `read_options` puts the options of $module into $options, or says why it
# can't and ends the script.
# shellcheck disable=SC2154 # the script sets $module
read_options() {
  said=$(esxcfg-module -g "$module" 2>&1)
  case $said in
    "$module enabled = "?" options = '"*"'") ;;
    *) echo "esxcfg-module -g $module: $said"; exit 1 ;;
  esac
  options=${said#*" options = '"}
  options=${options%"'"}
}

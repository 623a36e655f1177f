# SPDX-License-Identifier: Apache-2.0
if [ -e /var/lib/fabric/drained ]; then echo drained
elif [ -x / ]; then echo not drained
fi

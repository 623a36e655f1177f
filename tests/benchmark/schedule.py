#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""1,000 hosts and 10,000 actions are executed in virtual time in under a second, and ten times the hosts cost not
much more than ten times the time.

usage: schedule.py SCHEDULE
"""
import subprocess
import sys


def seconds(hosts):
    said = subprocess.run([sys.argv[1], str(hosts)], check=True, capture_output=True, text=True).stdout.split()
    assert int(said[1]) == 10 * hosts, said
    return float(said[2])


few, many = seconds(100), seconds(1000)
print(f"{few:.3f} s for 1,000 actions on 100 hosts, {many:.3f} s for 10,000 on 1,000: {many / few:.1f} times")
sys.exit(many > 1.0 or many > 20 * few)

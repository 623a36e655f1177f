#!/usr/bin/env python3
"""The real program against the real lab over real SSH: what a user would do, and what then goes wrong.

usage: scenarios.py FABRIC_BINARY SOURCE_ROOT [SCENARIO...]

Each scenario has a lab of its own in a temporary folder; they run side by side.
"""
import concurrent.futures
import importlib
import pkgutil
import sys

import stories

scenarios = {}
for file in pkgutil.iter_modules(stories.__path__):
    subject = importlib.import_module(f"stories.{file.name}")
    for name, value in vars(subject).items():
        if (callable(value) and getattr(value, "__doc__", None) and not isinstance(value, type) and value.__module__ == subject.__name__
                and not value.__code__.co_argcount):
            assert name not in scenarios, f"two stories are called {name}"
            scenarios[name] = value
wanted = sys.argv[3:] or sorted(scenarios)
failed = 0
# They wait for reboots most of the time and take little of the processor: side by side even on a small machine.
with concurrent.futures.ThreadPoolExecutor(max_workers=12) as pool:
    started = {pool.submit(scenarios[name]): name for name in wanted}
    for future in concurrent.futures.as_completed(started):
        name = started[future]
        try:
            future.result()
            print(f"ok      {name}", flush=True)
        except Exception as failure:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
print(f"{len(wanted) - failed} passed, {failed} failed")
sys.exit(failed != 0)

# SPDX-License-Identifier: Apache-2.0
"""The stories, a file per subject: each function with a docstring and without arguments is one."""

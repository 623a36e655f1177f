"""The stories, a file per subject: each function with a docstring and without arguments is one."""

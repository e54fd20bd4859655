"""What the benchmarks share: the corpus that goes in, the plain way beside ours, the report out."""

import os

# Before torch is loaded: OpenMP threads that wait spin by default, and where another process
# wants the core as well, both ways then measure mostly that (seen: a third of the tokens per
# CPU second). Both ways wait passively here; set the variable to ACTIVE to see the difference.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

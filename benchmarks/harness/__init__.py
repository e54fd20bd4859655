"""What the benchmarks share: the corpus that goes in, the plain way beside ours, the report out."""

import os

# Before torch is loaded: OpenMP threads that wait spin by default, and where another process
# wants the core as well, that is what is measured (seen: ours down to a third of its tokens per
# CPU second). Both ways wait passively here; set the variable to ACTIVE to see the difference.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

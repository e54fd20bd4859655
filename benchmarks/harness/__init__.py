"""What the benchmarks share: the corpus that goes in, the plain way beside ours, the report out."""

import os

# Before torch is loaded: OpenMP threads that wait spin by default, and where another process
# wants the core as well, that is what is measured (seen: ours down to a third of its tokens per
# CPU second). Both ways wait passively here; set the variable to ACTIVE to see the difference.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Before numpy is, which waits by spinning and cannot be told otherwise: one thread, as
# ``lmk_encoder`` sets it where it is imported first.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

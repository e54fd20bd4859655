"""How hypothesis runs, everywhere: a busy machine is slow, and that is no fault of the code."""

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

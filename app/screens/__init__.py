"""One screen a module: reads the place from ``state``, asks ``services``, draws components."""

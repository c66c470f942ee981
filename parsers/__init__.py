"""Raw files to typed records: one module per kind of file, pure functions, no I/O but the bytes they get."""

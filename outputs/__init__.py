"""Records and links to published tables: the only package that declares columns and writes datasets."""

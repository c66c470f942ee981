"""Embeddings of texts: one interface, a backend that is paid and one that runs here."""

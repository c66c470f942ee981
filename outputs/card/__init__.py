"""The dataset card: `README.md` beside the tables, written from their declarations."""

"""`report.html`: a dataset in pictures and searchable tables, in one file that needs no network."""

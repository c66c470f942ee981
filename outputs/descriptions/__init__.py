"""Descriptions of experiments by what is there: write-up, docstring, else the run id in words."""

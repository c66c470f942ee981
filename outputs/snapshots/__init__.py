"""Snapshots: what was known at a moment, what was still ahead, and the laws that both keep."""

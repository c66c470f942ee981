"""Speed and linkage quality, ours beside the public reference implementation; nothing here is a test."""

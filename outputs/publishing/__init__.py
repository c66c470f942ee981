"""A finished dataset brought to where others read it: a Hub, a folder, a bucket."""

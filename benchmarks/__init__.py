"""Speed and quality of the build, measured on demo archives against their gold."""

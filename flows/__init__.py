"""How a build runs: the stages in order, the engines that run them, and the command line."""

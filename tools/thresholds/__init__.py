"""Lists the thresholds that src declares, and measures which answers another value of each would change."""

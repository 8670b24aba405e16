"""Lists the thresholds of src, and measures the answers that change with another value of each."""

"""What tests share: servers that fail on purpose, clients that hide nothing, clocks, samples and golden files."""

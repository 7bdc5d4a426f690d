"""What is known of each library's exceptions: a table for every family, and what its rows read."""

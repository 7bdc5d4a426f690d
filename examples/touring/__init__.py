"""The tour of the example servers: what is played, how it is played, and how it is shown."""

"""The demo: what fails, how it is made to fail, and how it is shown."""

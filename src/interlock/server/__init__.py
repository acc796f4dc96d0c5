"""What answers over HTTP."""

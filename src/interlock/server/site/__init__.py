"""The page: what a journal holds, drawn for people, and the few things that they may do about it."""

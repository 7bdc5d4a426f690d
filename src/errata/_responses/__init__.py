"""What an upstream answered: the response itself, its body's own words, what both mean, and the sentence about it.

`errata.http` reads a response that somebody has in hand, `errata.classification` the one that an exception carries.
"""

# A verdict as the repository keeps it: without the times of one machine, without the key by which only the
# same candidate is found again, and with a short diagnostic.
.diagnostic |= .[:160] | .seconds = {compile: 0, run: 0, compare: 0} | .key = "0" * 64

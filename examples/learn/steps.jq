# The lines on steps (slurped) as a table.
["step", "reward", "pass", "length", "truncated", "entropy", "kl", "ratio", "clip_share", "grad_norm", "groups_that_differ", "trained_answers", "trained_tokens", "seconds"] as $columns |
($columns | @tsv), (.[] | [.[$columns[]] | if type == "number" then . * 100000 | round / 100000 else . end] | @tsv)

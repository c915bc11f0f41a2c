# trainer_log.jsonl (slurped) and run.json (--slurpfile record) of a run (--arg run) as a line of the table.
map(select(.eval_loss)) |
[$run, first.eval_loss, last.eval_loss, first.eval_confidence, last.eval_confidence,
 $record[0].result.steps, ($record[0].result.seconds | round)] |
map(. // "-") |  # column -t would join an empty cell with the next
@tsv

# Scored pairs (slurped) as lines of figures: condition, seed, measure, value. A token is sensitive if its
# bytes meet a span that cuset-tag found.
def mean: if length == 0 then 0 else add / length end;
map(. as $record | .score.end as $ends | [.score.confidence[]] | to_entries | map(
    .key as $at | (if $at == 0 then 0 else $ends[$at - 1] end) as $begin |
    {p: .value, sensitive: ($begin < $ends[$at] and
     any($record.tag.spans[]; .begin < $ends[$at] and .end > $begin))})) | add |
[["-log p", (map(-(.p | log)) | mean)],
 ["confidence, sensitive", (map(select(.sensitive).p) | mean)],
 ["confidence, neutral", (map(select(.sensitive | not).p) | mean)]][] |
[$condition, $seed, .[0], .[1]] | @tsv

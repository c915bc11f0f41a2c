# A line on a step of grpo. The model's entropy is estimated by the mean -log p of what it drew, and its divergence
# from the start by the mean of exp(d) - d - 1, where d is the start's log p minus its own: in nats a token.
def mean: if length == 0 then null else add / length end;
# The start's tokens have the template's tail behind those that were drawn.
[$start[] | (.own.id | length) as $drawn | select(.score.id[:$drawn] == .own.id) |
  [.score.confidence[:$drawn], .own.confidence] | transpose[] | ((.[0] | log) - (.[1] | log)) | exp - . - 1] as $divergence |
[$rewarded | group_by(.task)[] | select(any(.[]; .advantage | fabs > 1e-9))] as $informative |
{step: $step, reward: ([$rewarded[].reward] | mean), pass: ([$verdicts[] | if .failure == null then 1 else 0 end] | mean),
 length: ([$answers[].tokens] | mean), truncated: ([$answers[] | if .finish == "length" then 1 else 0 end] | mean),
 entropy: ([$answers[].score.confidence[] | -log] | mean), kl: ($divergence | mean),
 ratio: $log.ratio, clip_share: $log.clip_share, grad_norm: $log.grad_norm, lr: $log.lr,
 groups_that_differ: ($informative | length), groups: ($rewarded | group_by(.task) | length),
 trained_answers: ($learned | length), trained_tokens: ([$learned[].score.confidence | length] | add // 0),
 seconds: (now - $begun | floor)}

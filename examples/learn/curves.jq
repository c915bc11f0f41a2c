# The curves of grpo's steps, a line for each seed, as SVG: the share of answers that passed, and its mean over five steps.
# Reads the lines of all seeds, each with "seed".
def point($steps; $width; $height): "\((.step - 1) / ([$steps - 1, 1] | max) * $width + 50 | round),\((1 - .y) * $height + 20 | round)";
def colour: ["#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94"][. % 4];
def line($steps; $style): "<polyline fill=\"none\" \($style) points=\"\(map(point($steps; 560; 240)) | join(" "))\"/>";
def smooth: . as $all | [range(length) as $i | $all[[$i - 2, 0] | max:$i + 3] as $near | $all[$i] | .y = ($near | map(.y) | add / length)];
(map(.step) | max) as $steps
| group_by(.seed)
| "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 300\" font-family=\"sans-serif\" font-size=\"11\">",
  "<rect width=\"640\" height=\"300\" fill=\"white\"/>",
  (range(0; 6) / 5 | "<line x1=\"50\" x2=\"610\" y1=\"\((1 - .) * 240 + 20 | round)\" y2=\"\((1 - .) * 240 + 20 | round)\" stroke=\"#ddd\"/><text x=\"44\" y=\"\((1 - .) * 240 + 24 | round)\" text-anchor=\"end\">\(.)</text>"),
  (range(1; $steps + 1; ([$steps / 12 | ceil, 1] | max)) | "<text x=\"\((. - 1) / ([$steps - 1, 1] | max) * 560 + 50 | round)\" y=\"276\" text-anchor=\"middle\">\(.)</text>"),
  "<text x=\"330\" y=\"293\" text-anchor=\"middle\">step</text>",
  (to_entries[] | .key as $i | .value | map(.y = .pass)
    | line($steps; "stroke=\"\($i | colour)\" stroke-opacity=\"0.3\""), (smooth | line($steps; "stroke=\"\($i | colour)\" stroke-width=\"2\"")),
      "<text x=\"\(70 + 110 * $i)\" y=\"14\" fill=\"\($i | colour)\">seed \(.[0].seed): passed</text>"),
  "</svg>"

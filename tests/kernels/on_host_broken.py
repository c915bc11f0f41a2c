"""The suite must see a kernel that is broken: each change below makes it fail, where "check" stands
under the host backend's checks, else in a plain run. A few of them are tried, or all with
CUSET_LONG."""
import os
import pathlib
import tempfile

import _suite  # first: it tells Python where _programs is
import _programs

# Each change: the text, its replacement, and how it must show.
CHANGES = [
    # The tail of a row is skipped.
    ("singles = size - vectors * width;", "singles = head;", "plain"),
    # A vector too many.
    ("if (v < parts.vectors) held[b] = parts.body[v];", "if (v <= parts.vectors) held[b] = parts.body[v];", "check"),
    # A reduction's memory is used again too early.
    ("__syncthreads();  // the reduction before this one has read its values", "", "check"),
    # A reduction reads before all have written.
    ("    __syncthreads();\n    value = lane <", "    value = lane <", "check"),
    # The target's last word may not be the last.
    ("__syncthreads();  // so that this is the last word on the target", "", "check"),
    # A running sum is not rescaled.
    ("sum *= __expf(maximum - x);", "", "plain"),
    # -inf - -inf
    ("float maximum = -FLT_MAX, sum = 0;", "float maximum = -INFINITY, sum = 0;", "plain"),
    # Ties take the entropy beyond 20 tokens.
    ("if (count > left) count = left;", "", "plain"),
    # The last minimum wins.
    ("if (t < first) first = t;", "if (t < first || first == count - 1) first = count - 2 - t;", "plain"),
    # The warps' sums are overwritten while others read them.
    ("__syncthreads();  // the tile before has read the warps' sums", "", "check"),
    # Tiles do not carry.
    ("carried = plus(carried, tile_sum);", "carried = tile_sum;", "plain"),
    # A chunk reaches beyond its tensor.
    ("rest < adamw_chunk ? rest : adamw_chunk;", "adamw_chunk;", "plain"),
    # An update where the norm is not finite.
    ("    if (state.finite == 0) return;\n    const float clip", "    const float clip", "small"),
    # Only the first chunk of each partial sum.
    ("c < step.chunks; c += adamw_partials)", "c < step.chunks; c += step.chunks)", "small"),
    # All elements of a vector share a number.
    ("first + static_cast<std::uint32_t>(i) + k, key", "first + static_cast<std::uint32_t>(i), key", "plain"),
    # A sample's first row has the key of the sample before.
    ("if (rows.samples[middle].first_row <= row)", "if (rows.samples[middle].first_row < row)", "plain"),
    # Vectors where a row's width is no multiple of them.
    ("if (rows.width % dropout_vector == 0 && ", "if (", "check"),
    # The site is not mixed in.
    ("key_of_site(sample.key, rows.site);", "sample.key;", "plain"),
    # The low half of a byte comes first.
    ("(i % 2 == 0 ? 4 : 0)) & 15", "(i % 2 == 0 ? 0 : 4)) & 15", "plain"),
    # A row's scale goes on into the next row.
    ("if (i < count && left == 0) {", "if (i < count && left == ~std::size_t{0}) {", "plain"),
    # The values of NF4 are looked up before they are there.
    ("        __syncthreads();\n    }\n    constexpr std::size_t step", "    }\n    constexpr std::size_t step", "check"),
    # Each turn begins where the one before did.
    ("++turn, first += step)", "++turn, first += 0)", "plain"),
    # A vector beyond the last element.
    ("        if (count == code_vector) {\n            put_vector", "        if (count != 0) {\n            put_vector", "plain"),
    # Tokens that windows count are placed without those of the warps before.
    ("if (w < warp) place += counted_of_warp[w];", "", "plain"),
]
if not os.environ.get("CUSET_LONG"):
    CHANGES = [CHANGES[i] for i in (0, 3, 10, 15, 20)]

missed = 0
with tempfile.TemporaryDirectory() as room:
    for number, (old, new, how) in enumerate(CHANGES):
        text = _suite.amalgamated("small" if how == "small" else "tiny")
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        program = pathlib.Path(room) / f"broken{number}.cu"
        program.write_text(text.replace(old, new))
        result = _programs.run([program], *(["--check"] if how == "check" else []))[0]
        seen = result["compiled"] and not _suite.passed(result)
        missed += not seen
        print(f"{'seen' if seen else 'MISSED'} ({how}): {old.strip()} -> {new.strip() or 'nothing'}\n"
              f"    {_suite.outcome(result).splitlines()[0][:200]}", flush=True)
raise SystemExit(1 if missed else 0)

// How well a number foretells which answers pass: the area under the ROC curve.
#pragma once

#include <cstddef>
#include <span>

#include "cuset/statistics/pass_rate.h"

namespace cuset {

struct ranked_answer {
    std::size_t family = 0, task = 0;  ///< a task is of one family
    double measure = 0;                ///< finite; a higher one foretells a pass
    bool passed = false;
};

/// Which pairs of an answer that passed and one that did not are looked at.
enum class answer_pairs : unsigned char {
    all,
    of_one_task,  ///< both answers are of one task: what a choice among samples could gain
};

/// The share of pairs in which the answer that passed has the higher measure; equal ones count
/// half (Mann and Whitney). Measures are equal within 1e-12 of their size: means of the same
/// confidences in another order differ by their rounding. NaN without pairs.
///
/// With P answers that passed and N that did not, x has the component V(x) = the share of the
/// other side's answers that x is on the right side of. The influence of family f on the area A is
///   D_f = Σ_{x in f, passed} (V(x) − A) / P + Σ_{y in f, not passed} (V(y) − A) / N,
/// and with pairs of one task, of which f has m_f, and on the right side u_f:
///   D_f = (u_f − A m_f) / Σ m.
/// The variance is I / (I − 1) · Σ D_f² over I families: DeLong's for clusters (Obuchowski 1997,
/// Biometrics 53, 567), with one factor for its three sums. Only families with an answer, or with
/// a pair of one task, count. The 95 % interval is logit(A) ± t · error / (A (1 − A)) carried
/// back, t that of Student with I − 1 degrees of freedom. It is NaN, and so is the error, with
/// fewer than two families or where no spread was seen, as with A = 0 or 1.
rate area_under_curve(std::span<const ranked_answer> answers, answer_pairs pairs);

}  // namespace cuset

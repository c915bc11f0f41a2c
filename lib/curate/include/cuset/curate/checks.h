// What can be said of a program without running it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/curate/code_tokens.h"

namespace cuset {

/// The comments of C++ code, with their marks, in order. Dead text (`#if 0`) is searched too.
std::vector<std::string_view> comments_of(const code_tokens& code);

/// The bytes of comments among those of the code that are no white space; 0 without any.
double comment_share(const code_tokens& code);

/// The first text that looks like a key or a password of a service (keys of AWS, Google, GitHub,
/// GitLab, Hugging Face, OpenAI, Slack; private keys), without its end; nothing if there is none.
std::optional<std::string> secret_in(std::string_view text);

/// The first path of somebody's machine: below /home/, /Users/, /root/, or C:\Users\ and the like.
std::optional<std::string> own_path_in(std::string_view text);

/// The reasoning before an answer: what is between <think> and the last </think>, or before that if
/// there is no <think>. Without </think> (an answer that was cut off), all behind <think>. Nothing
/// if there is neither.
std::optional<std::string_view> thought_of(std::string_view response);

}  // namespace cuset

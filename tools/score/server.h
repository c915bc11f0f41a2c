// Scores of pairs from a server that tells the probabilities of a prompt's tokens.
#pragma once

#include "ask_flags.h"
#include "endpoint_flags.h"
#include "model_flags.h"

namespace cuset {

struct server_score_flags {
    const endpoint_flags& server;
    const model_flags& model;  ///< `model` is the server's name for it
    const ask_options& asked;
    const std::string& resume;
};

/// A worker that asks the server, several records at a time. If --template names a template, the
/// record's text is rendered by it and sent as one text, and its tokens are told apart by their
/// bytes. With auto the conversation is sent, without the response and with it, for the server's
/// own template to write, and the prompt's tokens are those that both begin with. A data error for
/// a record whose prompt and response share a token.
made_worker server_score_worker(const server_score_flags& flags);

/// Checks what the parser cannot.
status check(const server_score_flags& flags);

}  // namespace cuset

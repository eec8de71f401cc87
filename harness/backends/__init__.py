"""Where answers come from: OpenAI-compatible servers, any lm-eval model, or a file of recorded answers."""

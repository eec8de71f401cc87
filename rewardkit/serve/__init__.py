"""`rewardkit serve`: one reward service for every trainer.

Rows are judged by `rewardkit.executor`. `settings` says what is served, `queue` bounds what is taken in, `sandbox_host` is the one
process with the sandboxes, `app` has the HTTP routes, `contracts` the shapes in which trainers call, `server` sockets and signals.
"""

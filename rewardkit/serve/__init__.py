"""`rewardkit serve`: one reward service for every trainer, which never blocks and never hangs.

`settings` says what is served, `workers` holds the processes that judge and can be killed, `tickets` the bounded queue in
front of them, `boxes` the one process with the sandboxes, `app` the HTTP routes, `contracts` the shapes in which trainers
call, `server` the sockets and signals.
"""

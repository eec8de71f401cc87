# Around a program that talks: runs it as a script in a child, with pipes for its streams. `_rewardkit_source` holds the program.
class _RewardkitTalk:
    """The program's own side of a conversation."""

    import os
    import sys

    def __init__(self, source):
        self.code = compile(source, "main.py", "exec", dont_inherit=True)
        self.child = 0

    def __call__(self, action, text):
        if action == "start":
            return self.start()
        if action == "write":
            try:
                self.to.write(text)
                self.to.flush()
            except BrokenPipeError:  # it may have ended already: what it said is still to be read
                return False
            return True
        if action == "hear":  # what it has printed, bytes as Latin-1; nothing at the end of that
            return self.os.read(self.heard.fileno(), 1 << 16).decode("latin-1")
        if action == "read":
            return self.heard.readline(1 << 20)
        self.to.close()
        rest = self.heard.read(1 << 20)
        return self.os.waitpid(self.child, 0)[1] == 0 and (text == "whatever it says" or not rest.strip())

    def start(self):
        os = self.os
        ours, theirs = os.pipe()
        out, back = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.dup2(ours, 0)
            os.dup2(back, 1)
            os.closerange(3, 4096)
            self.sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")
            self.sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")
            status = 1
            try:
                exec(self.code, {"__name__": "__main__", "__builtins__": __builtins__})
                status = 0
            except SystemExit as error:
                status = error.code if isinstance(error.code, int) else int(error.code is not None)
            finally:
                self.sys.stdout.flush()
                os._exit(status)
        os.close(ours)
        os.close(back)
        self.to = open(theirs, "w", encoding="utf-8", errors="surrogateescape")
        self.heard = open(out, encoding="utf-8", errors="replace")
        return True


_rewardkit_talk = _RewardkitTalk(_rewardkit_source)

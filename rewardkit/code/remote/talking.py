# Around a program that talks: runs it as a script in a child, with pipes for its streams. `_rewardkit_source` holds the program.
class _RewardkitTalk:
    """The program's own side of a conversation."""

    import atexit
    import contextlib
    import os
    import sys
    import threading
    import traceback
    import types

    def __init__(self, source):
        self.source = source
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
            status = 1
            try:
                os.dup2(ours, 0)
                os.dup2(back, 1)
                os.closerange(3, 4096)
                status = self.run()
            finally:
                os._exit(status)
        os.close(ours)
        os.close(back)
        self.to = open(theirs, "w", encoding="utf-8", errors="surrogateescape")
        self.heard = open(out, encoding="utf-8", errors="replace")
        return True

    def run(self):
        """The program as the script `main.py`, to its end: with its threads, its exit handlers and what it has not yet written."""
        sys = self.sys
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="surrogateescape")
        main = sys.modules["__main__"] = self.types.ModuleType("__main__")
        main.__file__ = self.os.path.abspath("main.py")
        with self.contextlib.suppress(OSError), open("main.py", "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(self.source)
        status = 0
        try:
            exec(self.code, main.__dict__)
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else int(error.code is not None)
        except BaseException:
            self.traceback.print_exc()
            status = 1
        self.threading._shutdown()
        self.atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.__stdout__):
            if not getattr(stream, "closed", stream is None):
                stream.flush()
        return status & 255


_rewardkit_talk = _RewardkitTalk(_rewardkit_source)

# Behind the program, in its process: runs tests that mean something only there. The sources of the tests come with each request.
class _RewardkitTests:
    """One test of a source, in a fork of the program and among its own names, or with every function that the tests ask for put out
    of action. What a test changes, open figures and patched modules, ends with its fork; files that it leaves are removed.
    """

    import json
    import os
    import shutil
    import types
    import unittest

    def __init__(self, program):
        self.program = program

    def __call__(self, source, names, test, without):
        before = set(self.os.listdir())
        read, write = self.os.pipe()
        child = self.os.fork()
        if not child:
            try:
                said = self.json.dumps(self.outcome(source, names, test, without))
                self.os.write(write, said.encode("ascii", "replace") + b"\n")
            finally:
                self.os._exit(0)
        self.os.close(write)
        with open(read, "rb") as pipe:
            said = pipe.readline()
        self.os.waitpid(child, 0)
        for name in set(self.os.listdir()) - before:
            if self.os.path.isdir(name) and not self.os.path.islink(name):
                self.shutil.rmtree(name, ignore_errors=True)
            else:
                self.os.unlink(name)
        return self.json.loads(said) if said else ["failed", "RuntimeError", "the test's process ended"]

    def outcome(self, source, names, test, without):
        if without:
            self.program.update((name, lambda *args, **named: object()) for name in names)
        try:
            exec(compile(source, "tests.py", "exec", dont_inherit=True), self.program)
            self.run(self.program, test)
        except BaseException as error:
            return ["failed", type(error).__name__, str(error)[:500]]
        return ["passed", "", ""]

    def run(self, space, test):
        owner, _, name = test.rpartition(".")
        fixtures = {
            held._rewardkit_fixture[0]: (held, held._rewardkit_fixture[1])
            for held in list(space.values())
            if isinstance(held, self.types.FunctionType) and hasattr(held, "_rewardkit_fixture")
        }
        if not test:
            return
        if not owner:
            _run_test(space[name], fixtures)
        elif issubclass(space[owner], self.unittest.TestCase):
            space[owner].setUpClass()
            result = self.unittest.TestResult()
            space[owner](name).run(result)
            space[owner].doClassCleanups()
            for _, trace in [*result.errors, *result.failures]:
                raise (AssertionError if result.failures else RuntimeError)(trace.strip().rpartition("\n")[2])
            if result.unexpectedSuccesses or not result.testsRun:
                raise AssertionError("the test did not run")
        else:
            made = space[owner]()
            for before in ("setup_method", "setUp"):
                if hasattr(made, before):
                    getattr(made, before)(*[None] * (getattr(type(made), before).__code__.co_argcount - 1))
            _run_test(getattr(type(made), name), fixtures, made)


_rewardkit_tests = _RewardkitTests(globals())

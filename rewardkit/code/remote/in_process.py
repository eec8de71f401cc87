# Behind the program, in its process: runs tests that mean something only there. The sources of the tests come with each request.
class _RewardkitTests:
    """One test of a source, with the program's own names, or with every function that the tests ask for put out of action."""

    import contextlib
    import sys
    import types
    import unittest

    def __init__(self, program):
        self.program = program

    def __call__(self, source, names, test, without):
        space = dict(self.program)
        space["__name__"] = "tests"
        for name in names:
            if without:
                space[name] = lambda *args, **named: object()
        self.sys.modules["solution"] = module = self.types.ModuleType("solution")
        module.__dict__.update(space)
        try:
            exec(compile(source, "tests.py", "exec", dont_inherit=True), space)
            self.run(space, test)
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

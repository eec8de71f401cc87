# Behind the program, in its process: runs tests that mean something only there. The sources of the tests come with each request.
import ast
import builtins
import functools
import inspect
import json
import os
import random
import shutil
import types
import unittest


class _RewardkitTests:
    """One test of a source, in a fork of the program and among its own names, or with every function that the tests ask for put out
    of action. What a test changes, open figures and patched modules, ends with its fork; files that it leaves are removed.
    """

    def __init__(self, program, tools):
        self.program, self.tools = program, tools

    def __call__(self, source, names, named, test, without, word):
        """Status, exception and message of the test, and the word that came with the request. A program that writes to all descriptors lacks it."""
        before = set(os.listdir())
        read, write = os.pipe()
        child = os.fork()
        if not child:
            try:
                said = json.dumps([*self.outcome(source, names, named, test, without), word])
                os.write(write, said.encode("ascii", "replace") + b"\n")
            finally:
                os._exit(0)
        os.close(write)
        with open(read, "rb") as pipe:
            said = pipe.readline()
        os.waitpid(child, 0)
        for name in set(os.listdir()) - before:
            if os.path.isdir(name) and not os.path.islink(name):
                shutil.rmtree(name, ignore_errors=True)
            else:
                os.unlink(name)
        return json.loads(said) if said else ["failed", "RuntimeError", "the test's process ended", word]

    def outcome(self, source, names, named, test, without):
        """A test has passed if its body ran to its end and no exception came from around it."""
        ended, self.source = [], source
        for name in names:
            if without:
                self.program[name] = lambda *args, **named: object()
            elif isinstance(self.program.get(name), types.FunctionType):
                self.program[name] = self.watched(name, self.program[name])
        try:
            self.program["__builtins__"] = builtins
            exec(self.compiled(source, names), self.program)
            if test:
                _refuse_unnamed(self.program, named)
            self.run(test, ended)
            self.tools.check()
        except BaseException as error:
            return ["failed", type(error).__name__, str(error)[:500]]
        if not ended:
            return ["failed", "RuntimeError", "the test did not run to its end"]
        return ["passed" if ended[-1] is self else "skipped", "", ""]

    def compiled(self, source, names):
        """The tests. What is a builtin to Python is one to them, whatever the program calls so, unless they ask the program for it."""
        tree = ast.parse(source)
        nodes = list(ast.walk(tree))
        own = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        own |= {getattr(node, part) for node in nodes for part in ("name", "asname", "arg") if hasattr(node, part)}
        hidden = {name for name in self.program.keys() - names - own if hasattr(builtins, name) and name[:2] != "__"}
        for node in nodes:
            if isinstance(node, ast.Name) and node.id in hidden:
                self.program[f"_rewardkit_{node.id}"] = getattr(builtins, node.id)
                node.id = f"_rewardkit_{node.id}"
        return compile(tree, "tests.py", "exec", dont_inherit=True)

    def run(self, test, ended):
        """Run one test. `ended` gets this object at the end of its body, another one if it is skipped."""
        if not test:
            ended.append(self)
            return
        skipped = _run_named(self.program, test, lambda owner, name: self.run_case(owner, name, ended))
        if skipped is not None:
            ended.append("skipped" if skipped else self)

    def run_case(self, owner, name, ended):
        case, result = owner(name), unittest.TestResult()
        body = getattr(case, name)

        @functools.wraps(body)
        def whole():
            before = self.asserts(case)
            body()
            self.refuse_others(case, before)
            ended.append(self)

        @functools.wraps(body)
        async def awaited():
            before = self.asserts(case)
            await body()
            self.refuse_others(case, before)
            ended.append(self)

        setattr(case, name, awaited if inspect.iscoroutinefunction(body) else whole)
        case.run(result)
        for _, trace in [*result.errors, *result.failures]:
            raise (AssertionError if result.failures else RuntimeError)(trace.strip().rpartition("\n")[2])
        if result.unexpectedSuccesses:
            raise AssertionError("an expected failure passed")
        if result.expectedFailures:
            ended.append(self)
        if result.skipped and not ended:
            ended.append("skipped")

    def asserts(self, case):
        """What a test judges with, by its names: of its object, else of the first class that has it. Not what its own text puts there."""
        found = {}
        for held in (vars(case), *map(vars, type(case).__mro__)):
            for name, value in held.items():
                judges = name.startswith("assert") or name in ("fail", "_baseAssertEqual", "_getAssertEqualityFunc")
                if judges and f".{name} =" not in self.source and f".{name}=" not in self.source:
                    found.setdefault(name, value)
        return found | ({} if "addTypeEqualityFunc" in self.source else case._type_equality_funcs)

    def refuse_others(self, case, before):
        now = self.asserts(case)
        kinds = [name for name in now if type(name) is not str and name not in before]
        if kinds or any(now.get(name) is not value for name, value in before.items()):
            raise AssertionError("an assert is not what it was before the test")

    def watched(self, name, function):
        """The function, whose results may not pass for values that it can't know. The program itself calls what it defined."""

        @functools.wraps(function)
        def call(*args, **named):
            self.program[name] = function
            try:
                result = function(*args, **named)
            except unittest.SkipTest:
                raise AssertionError("the program skips a test") from None
            finally:
                if self.program.get(name) is function:
                    self.program[name] = call
            if self.passes_for_all(result):
                raise AssertionError("a result passes for values that it can't know")
            return result

        return call

    def passes_for_all(self, result, depth=2):
        kind = type(result)
        if kind in (list, tuple, set, dict) and depth:
            items = list(result.values() if kind is dict else result)[:50]
            return any(self.passes_for_all(item, depth - 1) for item in items)
        if result is None or kind in (bool, int, float, complex, str, bytes, list, tuple, set, dict):
            return False
        number = random.SystemRandom().uniform(1e9, 2e9)
        guesses = (number, int(number), str(number), (number,), [number], {number: number}, object())
        claims = (
            lambda guess: result == guess,
            lambda guess: hasattr(kind, "__contains__") and guess in result,
            lambda guess: result < guess and result > guess,
            lambda guess: round(abs(result - guess), 7) == 0,
        )
        return any(self.holds(claim, guess) for claim in claims for guess in guesses)

    def holds(self, claim, guess):
        try:
            return bool(claim(guess))
        except Exception:
            return False


_rewardkit_tests = _RewardkitTests(_program, _program["_rewardkit_tools"])

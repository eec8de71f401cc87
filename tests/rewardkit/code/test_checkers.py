"""Checkers of rows: Python functions, scripts and C++ to testlib's protocol, each in a box that no submission was in."""

import pytest

from rewardkit import Sample
from rewardkit.code.checker import Checker
from rewardkit.code.compare import ALIASES, TextRule, difference
from rewardkit.errors import UsageError
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

FUNCTION = """
def check(input, output, answer):
    n = int(input)
    a, b = map(int, output.split())
    return a + b == n and min(a, b) >= 0
"""
SCRIPT = "import sys\nn = int(open(sys.argv[1]).read())\na, b = map(int, open(sys.argv[3]).read().split())\nprint(int(a + b == n))"
TESTLIB = """
#include "testlib.h"
int main(int argc, char *argv[]) {
    registerTestlibCmd(argc, argv);
    long long n = inf.readInt(), a = ouf.readLong(), b = ouf.readLong();
    if (!ouf.seekEof()) quitf(_pe, "too much");
    if (a + b != n) quitf(_wa, "%lld + %lld", a, b);
    quitf(_ok, "fine");
}
"""
PLAIN_CPP = """
#include <fstream>
int main(int, char *names[]) {
    long long n, a, b;
    std::ifstream input(names[1]), output(names[2]);
    input >> n;
    return output >> a >> b && a + b == n ? 0 : 1;
}
"""
KINDS = {
    "function": {"checker": FUNCTION},
    "function that says why": {"checker": FUNCTION.replace("return a", "return a") .replace("min(a, b) >= 0", "min(a, b) >= 0, 'because'").replace("return ", "return (").replace("'because'", "'because')")},
    "script": {"generated_checker": SCRIPT},
    "testlib": {"checker": TESTLIB},
    "a source in an object": {"checker": {"type": "cpp", "source": TESTLIB}},
    "C++ without testlib": {"checker_code": PLAIN_CPP},
}  # fmt: skip


def score(checker, program, **options):
    row = {"inputs": ["7\n", "4\n"], "outputs": ["3 4\n", "2 2\n"], "special_judge": True, **checker}
    sample = Sample(completion=f"```python\n{program}\n```", ground_truth=row)
    return Code(cpu_s=5.0, **options).score([sample])[0]


@pytest.mark.long
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.cpp if "#include" in str(KINDS[kind]) else ()) for kind in KINDS]
)
def test_each_kind_accepts_what_is_right_and_refuses_the_rest(sandbox, kind):
    right = score(KINDS[kind], "n = int(input())\nprint(n, 0)")
    assert (right.value, right.verdict) == (1.0, Verdict.CORRECT), right.reason
    for program in (
        "print(1, 1)",
        "print('x', 'y')",
        "print()",
        "print('7')",
        "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe 7')",
    ):
        wrong = score(KINDS[kind], program)
        assert (wrong.value, wrong.verdict) == (0.0, Verdict.WRONG), (program, wrong)


TALKATIVE = {
    "a function that prints the output": {"checker": FUNCTION.replace("    n = ", "    print(output)\n    n = ").replace("return", "print(output, end='')\n    return")},
    "a script that says what it found": {"generated_checker": SCRIPT.replace("print(int(a + b == n))", "print('1' if a + b == n else f'0: the output is {open(sys.argv[3]).read()}')")},
}  # fmt: skip


@pytest.mark.parametrize("kind", TALKATIVE)
def test_words_of_an_output_that_a_checker_prints_are_no_verdict(sandbox, kind):
    assert score(TALKATIVE[kind], "n = int(input())\nprint(n, 0)").value == 1.0
    for words in ("5\n1", "9 1", "1\n1\n"):
        wrong = score(TALKATIVE[kind], f"print({words!r})")
        assert (wrong.value, wrong.verdict) == (0.0, Verdict.WRONG), (words, wrong)


BROKEN = {
    "a function that raises": ("def check(input, output, answer):\n    raise ValueError", "ValueError"),
    "a function that refuses everything": ("def check(input, output, answer):\n    return False", "refuses the expected output"),
    "a function that returns nothing": ("def check(input, output, answer):\n    pass", "neither yes nor no (`check` returns a truth value"),
    "a script that answers by its exit code": ("import sys\nopen(sys.argv[3])\n", "neither yes nor no (a script prints 1 or 0"),
    "a script that does not parse": ("print(\n1", ""),
    "testlib's jury error": (TESTLIB.replace("_ok", "_fail").replace("_wa", "_fail"), ""),
    "C++ that does not compile": ("#include <nothing_of_that_name.h>\nint main() {}\n", ""),
    "C++ that crashes": ("#include <cstdlib>\nint main() { abort(); }\n", ""),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.cpp if "C++" in name or "testlib" in name else ()) for name in BROKEN]
)
def test_a_checker_that_does_not_work_leaves_its_row_unjudged(sandbox, name):
    source, said = BROKEN[name]
    scored = score({"checker": source}, "print(1, 1)")
    assert scored.verdict is Verdict.UNJUDGED, scored
    assert "the row's checker does not work" in scored.reason
    assert said in scored.reason


def test_an_output_that_breaks_a_sound_checker_is_refused(sandbox):
    assert score({"checker": FUNCTION}, "print('(' * 10)").verdict is Verdict.WRONG


API = r"""
#include "testlib.h"
using namespace std;
int main(int argc, char *argv[]) {
    setName("what %d tests", 20);
    registerTestlibCmd(argc, argv);
    ostringstream seen;
    switch (inf.readInt()) {
        case 0: while (!ouf.eof()) seen << "[" << ouf.readLine() << "]"; break;
        case 1: while (!ouf.seekEof()) { while (!ouf.seekEoln()) seen << ouf.readToken() << ";"; seen << "|"; } break;
        case 2: for (int n : ouf.readInts(3, -5, 9, "n")) seen << n << ","; seen << ouf.readLong() << "," << ouf.readUnsignedLong(); break;
        case 3: seen << ouf.readWord("[a-z]{1,3}|NO", "word") << ouf.readToken(pattern("[^a-y]+")); break;
        case 4: seen << ouf.readDouble(0, 10) << ";" << ouf.readStrictDouble(0, 10, 1, 2, "d"); break;
        case 5: { double a = ouf.readReal(), b = ouf.readReal(); seen << doubleCompare(a, b, 1e-6) << (doubleDelta(a, b) < 1e-6); break; }
        case 6: seen << join(ouf.readWords(2), "+") << upperCase(trim(" a ")) << englishEnding(13) << compress(string(80, 'x')).size() << split("a,,b", ',').size() << tokenize("a,,b", ',').size() << vtos(2.5) << format("%d%%", 3); break;
        case 7: ensuref(ouf.readInt() > 0, "not %d", 0); break;
        case 8: ouf.ensuref(ouf.readInt() > 0, "not %d", 0); ensure(ans.readToken() == "ok"); break;
        case 9: quitp(ouf.readDouble(), "points"); break;
        case 10: quitf(_pc(ouf.readInt()), "a part"); break;
        case 11: ans.quitf(_wa, "the jury is wrong"); break;
        case 12: return 0;
        case 13: ouf.readSpace(); seen << ouf.readString(); ouf.readEof(); break;
        default: expectedButFound<int>(_wa, 5, ouf.readInt(), "n");
    }
    if (seen.str() != ans.readLine()) quitf(_wa, "%s", seen.str().c_str());
    quitf(_ok, "%d of %d", 1, 1);
}
"""
OUTPUTS = [
    (0, "a b\r\n\nc", "[a b][][c]", 0), (1, "1 2\n\n3 \r\n", "1;2;|3;|", 0), (2, "-5 0 9 -9223372036854775808 18446744073709551615", "-5,0,9,-9223372036854775808,18446744073709551615", 0),
    *((2, text, "", 2) for text in ("+1 2 3 4 5", "01 2 3 4 5", "-0 2 3 4 5", "1 2 3 9223372036854775808 5", "1 2 3 4 -5", "1 2 3 4", "1e1 2 3 4 5", "")), (2, "10 2 3 4 5", "", 1),
    (3, "abc zz", "abczz", 0), (3, "NO z", "NOz", 0), (3, "abcd z", "", 1), (3, "abc a", "", 1), (4, "2.5e0 0.25", "2.5;0.25", 0), (4, "11 0.25", "", 1), (4, "nan 0.25", "", 2), (4, "0x1 0.25", "", 2), (4, "1 0.251", "", 2),
    (5, "1000000 1000000.5", "11", 0), (5, "1 1.1", "00", 0), (6, "a b", "a+bAth64322.53%", 0), (7, "1", "", 0), (7, "0", "", 3), (8, "1", "ok", 0), (8, "0", "ok", 1), (8, "1", "no", 3),
    (9, "0.5", "", 7), (9, "0.5 more", "", 2), (10, "50", "", 7), (11, "1", "", 3), (12, "1", "", 3), (13, " a b", "a b", 0), (13, "a", "", 2), (14, "5", "", 1), (7, "1 2", "", 2),
]  # fmt: skip
"""Case of `API`, output, answer, exit code: the original ends with the same, but for a part (its `_pc(50)` ends with 50)."""


@pytest.mark.long
@pytest.mark.cpp
def test_our_header_reads_and_ends_as_testlib_does(sandbox):
    jobs = [Checker.of(API).job(f"{case}\n", answer, output.encode(), "") for case, output, answer, _ in OUTPUTS]
    ends = [execution.describe() for execution in sandbox.run(jobs)]
    assert ends == [f"exit code {code}" for *_, code in OUTPUTS]


@pytest.mark.cpp
def test_a_header_of_the_users_replaces_ours(sandbox, tmp_path):
    header = tmp_path / "testlib.h"
    header.write_text("int main() { return 0; }\n")
    assert score({"checker": '// ours\n#include "testlib.h"\n'}, "print(1, 1)", testlib=str(header)).value == 1.0
    with pytest.raises(UsageError, match="cannot read testlib"):
        Code(testlib="/nowhere/testlib.h")


def test_no_submission_shares_a_box_with_a_checker():
    for source in (FUNCTION, SCRIPT, TESTLIB):
        job = Checker.of(source).job("7", "3 4", b"1 2", "")
        assert job.trusted
        assert job.files["solution_output.txt"] == b"1 2"


@pytest.mark.parametrize(
    ("rule", "actual", "expected", "right"),
    [
        ("caseless", "yes\nNo", "YES NO", True), ("caseless", "yes", "no", False), ("tokens", "yes", "YES", False),
        ("std::wcmp.cpp", "a  b\n", "a b", True), ("wcmp", "0.5000001", "0.5", False), ("rcmp6", "0.5000001", "0.5", True),
        ("rcmp9", "0.5000001", "0.5", False), ("nyesno", "Yes", "YES", True), ("sorted", "b\na", "a\nb", True), ("whitespace", "a\nb", "a b", True),
    ],
)  # fmt: skip
def test_named_policies(rule, actual, expected, right):
    assert (difference(TextRule.parse(rule), actual, expected) is None) is right


def test_every_other_name_stands_for_a_rule():
    assert all(TextRule.parse(name) for name in ALIASES)

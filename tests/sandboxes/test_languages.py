"""Programs in other languages than Python: the same isolation, limits and result rules, over every language and backend."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes import Execution, Job, Limits, open_sandbox
from sandboxes.agent import cleanup
from sandboxes.agent.command import STACK
from sandboxes.backends.docker_image import image_name
from sandboxes.compile import Compiler
from sandboxes.languages import LANGUAGES, language_name
from sandboxes.memory_check import SCAN_ALL, WORD, scan

SUM = {
    "c": '#include <stdio.h>\nint main() { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }',
    "cpp": "#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }",
    "cpp20": "#include <bits/stdc++.h>\nint main() { int a, b; std::cin >> a >> b; std::cout << std::ranges::max({a + b, 0}) << '\\n'; }",
    "java": "import java.util.*;\nclass Pair { static int add(int a, int b) { return a + b; } }\npublic class Sum {\n"
    "  public static void main(String[] x) { Scanner s = new Scanner(System.in); System.out.println(Pair.add(s.nextInt(), s.nextInt())); }\n}",
    "javascript": "const [a, b] = require('fs').readFileSync(0, 'utf8').split(/\\s+/).map(Number); console.log(a + b)",
    "typescript": "import * as fs from 'fs';\nconst [a, b]: number[] = fs.readFileSync(0, 'utf8').split(/\\s+/).map(Number);\nconsole.log(a + b)",
    "go": 'package main\nimport "fmt"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }',
    "rust": "use std::io::*;\nfn main() { let mut s = String::new(); stdin().read_to_string(&mut s).unwrap();\n"
    '  println!("{}", s.split_whitespace().take(2).map(|x| x.parse::<i64>().unwrap()).sum::<i64>()); }',
    "bash": "read a b; echo $((a + b))",
}
SPIN = {
    **dict.fromkeys(("c", "cpp", "cpp20"), "int main() { volatile int x = 1; while (x); }"),
    "java": "class Main { public static void main(String[] x) { while (true); } }",
    **dict.fromkeys(("javascript", "typescript"), "while (true);"),
    "go": "package main\nfunc main() { for {} }",
    "rust": "fn main() { loop {} }",
    "bash": "while :; do :; done",
}
FILL = {
    "c": "#include <stdlib.h>\n#include <string.h>\nint main() { while (1) { char *p = malloc(1 << 20); if (!p) abort(); memset(p, 1, 1 << 20); } }",
    **dict.fromkeys(
        ("cpp", "cpp20"), "#include <vector>\nint main() { std::vector<int> v; while (1) v.push_back(1); }"
    ),
    "java": "import java.util.*;\nclass Main { public static void main(String[] x) { List<byte[]> l = new ArrayList<>(); while (true) l.add(new byte[1 << 20]); } }",
    **dict.fromkeys(
        ("javascript", "typescript"), "const l: any[] = []; while (true) l.push(new Array(1 << 16).fill(1));"
    ),
    "go": "package main\nfunc main() { var l [][]byte; for { b := make([]byte, 1 << 20); for i := range b { b[i] = 1 }; l = append(l, b) } }",
    "rust": "fn main() { let mut v: Vec<u64> = Vec::new(); loop { v.push(1) } }",
    "bash": "x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done",
}
FILL["javascript"] = FILL["typescript"].replace(": any[]", "")
LEAVE = f"""# {WORD}
read line; echo "$line"; echo {WORD} > left.txt; mkdir -p a/b; ln -s /etc link; mkfifo pipe; echo {WORD} > /dev/shm/{WORD}
for fd in $(seq 3 255); do ( printf '{{"missing":["x"]}}\\n' >&$fd ) 2>/dev/null; done
trap '' TERM HUP INT; sleep 60 & disown
"""
LOOK = """
ls /proc/self/fd | tr '\\n' ' '; echo
for file in environ maps mem fd/0; do cat /proc/1/$file >/dev/null 2>&1 && echo "reads $file"; done
kill -9 1 2>/dev/null && echo killed
for fd in $(seq 3 400); do ( : >&$fd ) 2>/dev/null && echo "open $fd"; done
for top in / /usr /etc /opt /dev /var/tmp /run; do ( : > $top/probe ) 2>/dev/null && echo "writes $top"; done
ls -A /tmp /dev/shm
"""
SYSTEM_CALLS = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main() {
  static char buffer[4096] = "/proc/1/mem";
  void *executable = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long some[] = {0, 1, 2, 3, 9, 19, 200, 202, 300, -1, -2, 4096, 1L << 40, (long)buffer, (long)executable, getppid(), -getppid()};
  for (int child = 0; child < 12; child++) {
    if (fork() == 0) {
      srand(SEED * 100 + child);
      for (int n = 0; n < 2000; n++) {
        long argument[6], number = rand() % 460;
        for (int k = 0; k < 6; k++) argument[k] = some[rand() % (sizeof some / sizeof *some)];
        if (number != 60 && number != 231 && number != 34 && number != 35) /* exit, exit_group, pause, nanosleep */
          syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
      }
      _exit(0);
    }
  }
  while (wait(0) > 0) {}
}
"""
LIMITS = Limits(cpu_s=2.0, wall_s=20.0, memory_mb=256, output_bytes=1 << 20, file_bytes=8 << 20)


@pytest.fixture(
    scope="module",
    params=[pytest.param("docker", marks=pytest.mark.docker), pytest.param("local", marks=pytest.mark.slow)],
)
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    options = {"image": "full", "spares": 0} if request.param == "docker" else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sandboxes.warm_boxes.CORES", 1)  # one box does it all
        with open_sandbox(request.param, workers=1, **options) as opened:
            yield opened


@pytest.fixture(params=list(LANGUAGES))
def language(request, sandbox):
    missing = sandbox.run([Job(program=LANGUAGES[request.param].probe, language=request.param)])[0].lost
    if missing and sandbox.name != "docker":
        pytest.skip(missing)
    assert missing is None
    return request.param


@pytest.mark.skipif(not (shutil.which("bwrap") and shutil.which("gcc")), reason="needs bubblewrap and gcc")
def test_without_docker_the_machines_own_toolchains_are_used():
    with open_sandbox("local", workers=1) as opened:
        facts = opened.run([Job(program=SUM[name], stdin="1 2\n", language=name) for name in ("c", "bash")])
    assert [execution.stdout for execution in facts] == [b"3\n", b"3\n"]


def run(sandbox, program, language, **more):
    return sandbox.run([Job(program=program, language=language, **{"limits": LIMITS, **more})])[0]


def test_a_program_reads_stdin_and_its_tests_come_in_order(sandbox, language):
    jobs = [Job(program=SUM[language], stdin=f"40 {n}\n", language=language) for n in range(5)]
    facts = sandbox.run(jobs)
    assert [(execution.describe(), execution.stdout) for execution in facts] == [
        ("exit code 0", b"%d\n" % (40 + n)) for n in range(5)
    ]
    assert {execution.isolation for execution in facts} == {sandbox.isolation}


FORMS = {
    "a package": ("java", "package foo.bar;\nimport java.util.*;\npublic class Sum { public static void main(String... x) { Scanner s = new Scanner(System.in); System.out.println(s.nextInt() + s.nextInt()); } }"),
    "a package and a class beside": ("java", "package foo;\nimport java.util.*;\nclass A { static class B {} }\nclass Z { public static void main(String[] x) { Scanner s = new Scanner(System.in); System.out.println(s.nextInt() + s.nextInt()); } }"),
    **{f"the first class by name, {order}": ("java", "".join(f"class {name} {{ public static void main(String[] x) {{ System.out.println({42 if name == 'A' else 0}); }} }}\n" for name in names)) for order, names in {"above": "ABCDEFGHI", "below": "IHGFEDCBA"}.items()},
    "a module": ("javascript", "import fs from 'fs';\nconst [a, b] = fs.readFileSync(0, 'utf8').split(/\\s+/).map(Number); console.log(a + b)"),
    "a module that waits": ("javascript", "import {createInterface} from 'node:readline';\nfor await (const line of createInterface({input: process.stdin})) { const [a, b] = line.split(' ').map(Number); console.log(a + b) }"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_packages_and_modules_are_programs(sandbox, form):
    language, program = FORMS[form]
    execution = run(sandbox, program, language, stdin="40 2\n", limits=LIMITS.model_copy(update={"cpu_s": 10.0}))
    if execution.lost and sandbox.name != "docker":
        pytest.skip(execution.lost)
    assert (execution.describe(), execution.stdout) == ("exit code 0", b"42\n"), execution.stderr_text


def test_a_program_of_java_without_main_does_not_compile(sandbox):
    execution = run(sandbox, "class Sum { static int sum(int a, int b) { return a + b; } }", "java")
    if execution.lost and sandbox.name != "docker":
        pytest.skip(execution.lost)
    assert execution.compile_error == "error: no class has a main method"


def test_what_does_not_compile_is_the_programs_fault_and_says_why(sandbox, language):
    execution = run(sandbox, SUM[language] + "\n(((", language)
    assert execution.compile_error
    assert "\n" not in execution.compile_error
    assert "rror" in execution.compile_error or "EOF" in execution.compile_error
    assert not execution.finished


def test_limits_hold(sandbox, language):
    spun = run(sandbox, SPIN[language], language, limits=LIMITS.model_copy(update={"cpu_s": 0.5}))
    assert spun.limit == "cpu"
    filled = run(sandbox, FILL[language], language, limits=LIMITS.model_copy(update={"cpu_s": 10.0}))
    assert filled.limit == "memory", filled.describe()
    assert run(sandbox, SUM[language], language, stdin="1 2\n").stdout == b"3\n"


def test_nothing_of_a_program_is_in_anything_that_a_later_one_can_read(sandbox, language):
    comment = "# " if language == "bash" else "// "
    planted = Job(
        program=f"{SUM[language]}\n{comment}{WORD}",
        stdin="1 2\n" + WORD * 100,
        argv=(WORD,),
        files={f"{WORD}.txt": WORD},
        language=language,
    )
    leave = Job(program=LEAVE, stdin=WORD, language="bash", limits=LIMITS.model_copy(update={"wall_s": 2.0}))
    facts = sandbox.run([planted, leave, planted, scan(SCAN_ALL)], stop=lambda *_: False)
    assert [execution.lost for execution in facts] == [None] * 4
    assert facts[2].stdout == b"3\n"
    assert facts[3].stdout == b"seen: []\n", facts[3].stdout + facts[3].stderr


def test_a_program_holds_three_descriptors_and_reaches_nothing(sandbox):
    look = run(sandbox, LOOK, "bash", limits=LIMITS.model_copy(update={"cpu_s": 10.0}))
    lines = look.stdout_text.splitlines()
    assert lines[0].split() == ["0", "1", "2", "3"]  # `ls` itself opens the directory
    assert [line for line in lines[1:] if line.strip()] == ["/dev/shm:", "/tmp:", "main.sh"]


@pytest.mark.parametrize("seed", range(6))
def test_random_system_calls_harm_their_own_row_alone(sandbox, seed):
    """A compiled program has the kernel for itself: no interpreter stands between it and the agent."""
    before = sandbox.facts()["lost"]
    fuzzer = f"#define SEED {seed}\n{SYSTEM_CALLS}"
    control = Job(program="print(int(input()) + 1)", stdin="41\n")
    quick = Limits(cpu_s=0.5, wall_s=1.5, memory_mb=128, output_bytes=1 << 20, file_bytes=1 << 20)
    facts = sandbox.run(
        [Job(program=fuzzer, language="c", limits=quick, stdin="x" * 5000), control] * 2, stop=lambda *_: False
    )
    assert [execution.lost for execution in facts] == [None] * 4
    assert facts[0].compile_error is None
    assert (facts[1].stdout, facts[3].stdout) == (b"42\n", b"42\n")
    assert sandbox.facts()["lost"] == before


def test_files_go_in_and_come_back(sandbox):
    program = (
        "cat in/a.txt > out.txt; ln -s /etc/passwd link; mkfifo pipe; mkdir d; head -c 100 /dev/zero > d/zeros; echo $1"
    )
    fetch = ("out.txt", "link", "pipe", "d", "d/zeros", "missing", "link/passwd")
    execution = run(sandbox, program, "bash", files={"in/a.txt": "hello"}, fetch=fetch, argv=("there",))
    assert execution.files == {"out.txt": b"hello", "d/zeros": bytes(100)}
    assert execution.stdout == b"there\n"
    python = sandbox.run([Job(program="open('x', 'w').write('y' * 5)", fetch=("x", "y"))])[0]
    assert python.files == {"x": b"yyyyy"}


def test_headers_are_there_when_the_program_is_compiled(sandbox):
    program = '#include "lib.h"\n#include <stdio.h>\nint main() { printf("%d", N); }'
    for n in (1, 2):
        assert run(sandbox, program, "c", files={"lib.h": f"#define N {n}", "data.txt": "x"}).stdout_text == str(n)


def test_compiling_has_limits_of_its_own(sandbox, monkeypatch):
    assert run(sandbox, SUM["cpp"], "cpp", stdin="1 2").stdout == b"3\n"  # so the toolchain is known to work
    monkeypatch.setattr("sandboxes.compile.COMPILE_LIMITS", LIMITS.model_copy(update={"cpu_s": 1.0}))
    bomb = "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\nconstexpr long x = f(1L << 50); int main() {}"
    execution = run(sandbox, f"#pragma GCC optimize\n{bomb}".replace("f(1L << 50)", "f(1L << 18) + f(1L << 18)"), "cpp")
    assert execution.lost is None
    deep = "template<int a, int b> struct T { static const int v = T<a - 1, b>::v + T<a, b - 1>::v; };\n" + "".join(
        f"template<int n> struct T<{k}, n> {{ static const int v = 1; }};\n" for k in (0,)
    )
    deep += "template<int n> struct T<n, 0> { static const int v = 1; };\ntemplate<> struct T<0, 0> { static const int v = 1; };\nint main() { return T<800, 800>::v; }"
    slow = run(sandbox, deep, "cpp")
    assert slow.compile_error is not None
    assert slow.lost is None
    assert run(sandbox, SUM["c"], "c", stdin="1 2").stdout == b"3\n"


def test_a_source_is_compiled_once(sandbox, monkeypatch):
    compiled = []
    from sandboxes import compile as compiling

    original = compiling._compile
    monkeypatch.setattr(
        compiling, "_compile", lambda box, job, sources: compiled.append(1) or original(box, job, sources)
    )
    jobs = [Job(program=SUM["c"] + "// once", stdin=f"1 {n}", language="c") for n in range(5)]
    assert [execution.stdout for execution in sandbox.run(jobs)] == [b"%d\n" % (n + 1) for n in range(5)]
    sandbox.run(jobs[:1], stop=lambda *_: False)
    assert compiled == [1]


def test_a_crash_and_an_exit_code_are_facts(sandbox):
    assert run(sandbox, "int main() { volatile int *p = 0; return *p; }", "c").signal == 11
    assert run(sandbox, "exit 7", "bash").exit_code == 7
    assert run(sandbox, "head -c 9000000 /dev/zero > big", "bash").describe() in (
        "file limit",
        "exit code 1",
        "exit code 153",
    )
    talkative = run(
        sandbox, "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "bash"
    )
    assert talkative.limit == "output"
    assert len(talkative.stdout) <= LIMITS.output_bytes


def test_a_toolchain_that_is_not_there_or_broken_is_no_programs_fault(monkeypatch, sandbox):
    strange = {
        **LANGUAGES,
        "c": LANGUAGES["bash"].__class__(file="main.c", compile=("false",), needs=("false",), probe="x"),
    }
    monkeypatch.setattr("sandboxes.compile.LANGUAGES", strange)
    monkeypatch.setattr("sandboxes.connection.LANGUAGES", strange)
    sandbox.pool.compiler = Compiler()
    assert "no c program compiles here" in run(sandbox, SUM["c"], "c").lost
    strange["c"] = strange["c"].__class__(file="main.c", compile=("ghc",), needs=("ghc",), probe="x")
    assert "need ghc, not in this sandbox" in run(sandbox, SUM["c"], "c").lost
    sandbox.pool.compiler = Compiler()


@pytest.mark.docker
def test_the_python_image_leaves_other_languages_to_the_full_one(monkeypatch):
    with open_sandbox("docker", workers=1, spares=0) as small:
        assert (
            small.run([Job(program="print(1)"), Job(program=SUM["c"], stdin="1 2", language="c")])[1].stdout == b"3\n"
        )
    monkeypatch.setattr(
        "sandboxes.backends.docker_image.image_name", lambda image: image_name(image) + "-none" * (image == "full")
    )
    with open_sandbox("docker", workers=1, spares=0) as small:
        python, other = small.run([Job(program="print(1)")]) + small.run([Job(program=SUM["c"], language="c")])
    assert python.stdout == b"1\n"
    assert "run `rewardkit sandbox build full`" in other.lost


def test_a_job_in_another_language_reads_stdin():
    for wrong in ({"calls": ()}, {"driver": "check()"}, {"prelude": "import math"}):
        with pytest.raises(ValueError, match="reads stdin"):
            Job(program="", language="c", **wrong)
    with pytest.raises(ValueError, match="no language 'cobol'; choose one of: python, c, cpp"):
        Job(program="", language="cobol")
    assert {language_name(name) for name in LANGUAGES} == set(LANGUAGES)


def test_fetched_files_stay_inside(tmp_path):
    for name in ("../x", "/etc/passwd", ""):
        with pytest.raises(ValueError, match="stay inside"):
            Job(program="", fetch=(name,))
    wiper = cleanup.Wiper.make(str(tmp_path / "own"))
    (tmp_path / "secret").write_text("s")
    (tmp_path / "own/link").symlink_to(tmp_path / "secret")
    (tmp_path / "own/dir").symlink_to(tmp_path)
    (tmp_path / "own/file").write_text("four")
    assert [wiper.read(name, 4) for name in ("link", "dir/secret", "file")] == [None, None, b"four"]
    assert wiper.read("file", 3) is None


def test_compile_results_are_forgotten_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr("sandboxes.compile.KEPT_BYTES", 100)
    compiler = Compiler()
    for n in range(9):
        compiler._keep(("c", str(n), ()), bytes(30))
    assert len(compiler._kept) == 3
    assert compiler._bytes == 90
    compiler._keep(("c", "8", ()), Execution(compile_error="x"))
    assert len(compiler._kept) == 1


def test_every_language_is_documented():
    page = (Path(__file__).parents[2] / "docs/sandboxes.md").read_text(encoding="utf-8")
    assert [name for name in LANGUAGES if f"`{name}`" not in page] == []


@pytest.mark.parametrize("value", ["0", "3", "255", "256", "-1", "70_000", "True", "None", "'words'", "1.5"])
def test_a_python_program_exits_as_under_the_interpreter(sandbox, value):
    text = f"raise SystemExit({value})"
    usual = subprocess.run([sys.executable, "-c", text], capture_output=True, check=False)
    execution = run(sandbox, text, "python")
    assert (execution.exit_code, execution.stderr) == (usual.returncode, usual.stderr)


def test_a_program_of_another_language_has_the_stack_that_judges_give(sandbox):
    allowed, most = run(sandbox, "ulimit -Ss; ulimit -Hs", "bash").stdout_text.split()
    assert int(allowed) == (STACK >> 10 if most == "unlimited" else min(STACK >> 10, int(most)))

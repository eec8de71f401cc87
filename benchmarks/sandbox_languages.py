"""Tests/s of compiled programs in a Docker sandbox, beside a bare `docker exec` and the floor (starting the binary). In turns.

python benchmarks/sandbox_languages.py [--rounds 7] [--tests 200]
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable

from _common import load_average, spread, table

from sandboxes import Job
from sandboxes.backends.docker import DockerSandbox
from sandboxes.backends.docker_image import image_name

SUM = "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }"
OTHERS = {
    "c": '#include <stdio.h>\nint main() { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); }',
    "rust": "use std::io::*;\nfn main() { let mut s = String::new(); stdin().read_to_string(&mut s).unwrap();"
    ' println!("{}", s.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum::<i64>()); }',
    "go": 'package main\nimport "fmt"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }',
    "bash": "read a b; echo $((a + b))",
    "javascript": "const [a, b] = require('fs').readFileSync(0, 'utf8').split(' ').map(Number); console.log(a + b)",
    "typescript": "import * as fs from 'fs';\nconst [a, b]: number[] = fs.readFileSync(0, 'utf8').split(' ').map(Number); console.log(a + b)",
    "java": "class Main { public static void main(String[] x) { var s = new java.util.Scanner(System.in); System.out.println(s.nextInt() + s.nextInt()); } }",
    "python": "a, b = map(int, input().split()); print(a + b)",
}


def ours(sandbox: DockerSandbox, language: str, program: str, count: int) -> float:
    """Seconds a test, one after the other in one box, as with an early stop."""
    jobs = [Job(program=program, language=language, stdin=f"40 {n}\n") for n in range(count)]
    start = time.perf_counter()
    facts = sandbox.run(jobs, stop=lambda *_: False)
    seconds = (time.perf_counter() - start) / count
    assert [execution.stdout for execution in facts] == [b"%d\n" % (40 + n) for n in range(count)], facts[0]
    return seconds


def commands(line: list[str], count: int) -> float:
    """Seconds for each run of a command."""
    start = time.perf_counter()
    for n in range(count):
        done = subprocess.run(line, input=b"40 %d\n" % n, capture_output=True, check=True)
        assert done.stdout == b"%d\n" % (40 + n)
    return (time.perf_counter() - start) / count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tests", type=int, default=200)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, DockerSandbox(workers=1, image="full") as sandbox:
        binary = f"{folder}/main"
        subprocess.run(["g++", "-O2", "-static", "-o", binary, "-x", "c++", "-"], input=SUM.encode(), check=True)
        command = ["docker", "run", "-d", "--rm", "--network", "none", "--cpus", "1", "-v", f"{folder}:/in:ro"]
        box = subprocess.run(
            [*command, "--entrypoint", "sleep", image_name("full"), "3600"], capture_output=True, text=True, check=True
        ).stdout.strip()
        contenders: dict[str, Callable[[], float]] = {
            "docker, C++ test by test": lambda: ours(sandbox, "cpp", SUM, args.tests),
            "floor: start the binary on the host": lambda: commands([binary], args.tests),
            "`docker exec` of the binary per test": lambda: commands(
                ["docker", "exec", "-i", box, "/in/main"], max(args.tests // 10, 1)
            ),
            **{
                f"docker, {language}": lambda language=language, program=program: ours(
                    sandbox, language, program, args.tests // 4
                )
                for language, program in OTHERS.items()
            },
        }
        times: dict[str, list[float]] = {}
        try:
            compiles = {name: _compile_s(sandbox, name, program) for name, program in {"cpp": SUM, **OTHERS}.items()}
            for contender in contenders.values():
                contender()
            load = load_average()
            for _ in range(args.rounds):
                for name, contender in contenders.items():
                    times.setdefault(name, []).append(contender())
        finally:
            subprocess.run(["docker", "rm", "-f", box], capture_output=True, check=False)
    own = times["docker, C++ test by test"]
    rows = [
        [
            name,
            spread([value * 1000 for value in values]),
            f"{1 / statistics.median(values):.0f}",
            spread([a / b for a, b in zip(values, own, strict=True)]),
        ]
        for name, values in times.items()
    ]
    print(table(["", "ms a test", "tests/s", "times ours"], rows))
    print("compile, s:", ", ".join(f"{name} {seconds:.2f}" for name, seconds in compiles.items()))
    print(f"{args.rounds} rounds in turns of {args.tests} tests; load {load} -> {load_average()}")


def _compile_s(sandbox: DockerSandbox, language: str, program: str) -> float:
    mark = "# new" if language in ("bash", "python") else "// new"
    start = time.perf_counter()
    sandbox.run([Job(program=f"{program}\n{mark}", language=language, stdin="1 2\n")])
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

"""The languages of programs: how each is compiled and run."""

from dataclasses import dataclass, field

from sandboxes.agent.receive import Command

__all__ = ["ALIASES", "LANGUAGES", "OUT_OF_MEMORY", "Language", "language_name"]


@dataclass(frozen=True, slots=True)
class Language:
    """How programs of one language are compiled and run."""

    file: str
    """What the source is called."""
    compile: tuple[str, ...]
    """The command that compiles it, or that checks its syntax."""
    needs: tuple[str, ...]
    """The executables that it needs."""
    probe: str
    """The smallest program: if it does not compile, the toolchain is at fault."""
    binary: str = ""
    """The file that the compile step leaves; empty if the source itself is run."""
    run: tuple[str, ...] = ()
    """The command that runs it; empty if the binary is run by itself. `{memory_mb}` stands for the job's limit."""
    sources: tuple[str, ...] = ()
    """Suffixes of the job's files that the compile step reads."""
    environment: dict[str, str] = field(default_factory=dict[str, str])
    address_limit: bool = True
    """False for runtimes that reserve much more address space than they use: the sandbox bounds their memory, and the runtime itself."""
    threads: int = 0
    """Threads of the runtime, which the limit on processes does not count."""

    def to_compile(self) -> tuple[str, Command]:
        """The name of the source file and the command for it."""
        return self.file, (self.compile, self.environment, list(self.needs))

    def to_run(self, memory_mb: int) -> tuple[str, Command]:
        """The name of the file that is run, empty for a binary, and the command for it."""
        line = tuple(word.replace("{memory_mb}", str(memory_mb)) for word in self.run)
        return (self.binary or self.file) if line else "", (line, self.environment, [])


def _cpp(standard: str) -> Language:
    return Language(
        file="main.cpp",
        compile=("g++", f"-std={standard}", "-O2", "-o", "main", "main.cpp"),
        needs=("g++",),
        probe="#include <bits/stdc++.h>\nint main() {}",
        binary="main",
        sources=(".h", ".hpp", ".hh", ".inc"),
    )


_JAVA = """
file=$(sed -nE 's/^[[:space:]]*public[[:space:]]+((final|abstract|sealed|strictfp)[[:space:]]+)*(class|interface|enum|record)[[:space:]]+([A-Za-z_$][A-Za-z0-9_$]*).*/\\4/p' Main.java | head -n 1)
if [ -n "$file" ] && [ "$file" != Main ]; then mv Main.java "$file.java"; fi
javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData -proc:none -nowarn -encoding UTF-8 -d classes *.java || exit 1
cd classes
for name in "$file" Main Solution '*'; do
  for main in $(find . -name "$name.class" | sort); do
    if grep -qa '(\\[Ljava/lang/String;)V' "$main"; then break 2; fi
    main=
  done
done
if [ -z "$main" ]; then echo 'error: no class has a main method' >&2; exit 1; fi
main=$(echo "$main" | sed -e 's/^..//' -e 's/[.]class$//' -e 'y,/,.,')
jar -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:-UsePerfData --create --no-compress --file ../main.jar --main-class "$main" .
"""
"""The file is named after its public class; the main class is that one, or the first that has a `main`, in whatever package."""
_JAVASCRIPT = """
if node --check main.js 2> errors; then exit; fi
cp main.js main.mjs
if ! node --check main.mjs 2> /dev/null; then cat errors >&2; exit 1; fi
printf "import('data:text/javascript;base64,%s')" "$(base64 -w 0 main.mjs)" > main.js
"""
"""What is an ES module and no script is imported by one."""
_TYPESCRIPT = """
const ts = require('typescript'), fs = require('fs'), source = fs.readFileSync('main.ts', 'utf8');
const out = ts.transpileModule(source, {reportDiagnostics: true, fileName: 'main.ts',
  compilerOptions: {target: 'ES2022', module: 'CommonJS', esModuleInterop: true}});
for (const d of out.diagnostics) {
  const line = d.file.getLineAndCharacterOfPosition(d.start).line + 1;
  console.error(`main.ts:${line}: error: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`);
}
if (out.diagnostics.length) process.exit(1);
fs.writeFileSync('main.js', out.outputText);
"""
_NODE = ("node", "--stack-size=60000", "--max-old-space-size={memory_mb}", "main.js")
_NODE_PATH = {"NODE_PATH": "/usr/lib/nodejs:/usr/share/nodejs"}
LANGUAGES: dict[str, Language] = {
    "c": Language(
        file="main.c",
        compile=("gcc", "-std=gnu17", "-O2", "-o", "main", "main.c", "-lm"),
        needs=("gcc",),
        probe="#include <stdio.h>\nint main(void) { return 0; }",
        binary="main",
        sources=(".h", ".inc"),
    ),
    "cpp": _cpp("gnu++17"),
    "cpp20": _cpp("gnu++20"),
    "java": Language(
        file="Main.java",
        compile=("sh", "-c", _JAVA),
        needs=("javac", "jar", "java"),
        probe="class Main { public static void main(String[] a) {} }",
        binary="main.jar",
        run=(
            *("java", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:ActiveProcessorCount=1"),
            *("-Xss128m", "-Xmx{memory_mb}m", "-jar", "main.jar"),
        ),
        sources=(".java",),
        address_limit=False,
        threads=24,
    ),
    "javascript": Language(
        file="main.js",
        compile=("sh", "-c", _JAVASCRIPT),
        needs=("node",),
        probe="0",
        binary="main.js",
        run=_NODE,
        address_limit=False,
        threads=14,
    ),
    "typescript": Language(
        file="main.ts",
        compile=("node", "-e", _TYPESCRIPT),
        needs=("node",),
        probe="let x: number = 0",
        binary="main.js",
        run=_NODE,
        environment=_NODE_PATH,
        address_limit=False,
        threads=14,
    ),
    "go": Language(
        file="main.go",
        compile=("go", "build", "-p=1", "-o", "main", "main.go"),
        needs=("go",),
        probe="package main\nfunc main() {}",
        binary="main",
        environment={"GO111MODULE": "off", "CGO_ENABLED": "0", "GOMAXPROCS": "1"},
        address_limit=False,
        threads=10,
    ),
    "rust": Language(
        file="main.rs",
        compile=("rustc", "--edition=2021", "-O", "-C", "codegen-units=1", "-o", "main", "main.rs"),
        needs=("rustc", "gcc"),
        probe="fn main() {}",
        binary="main",
    ),
    "bash": Language(
        file="main.sh", compile=("bash", "-n", "main.sh"), needs=("bash",), probe=":", run=("bash", "main.sh")
    ),
}
"""Beside Python, which the agent runs itself. Go and Java spend some of a test's CPU time on their start."""
ALIASES: dict[str, str] = {
    **dict.fromkeys(("python", "python3", "py", "pypy3"), "python"),
    **dict.fromkeys(("c++", "cc", "cxx", "g++", "c++17", "cpp17", "c++14", "c++11", "cpp14", "cpp11"), "cpp"),
    "c++20": "cpp20",
    "c++2a": "cpp20",
    "cpp2a": "cpp20",
    "c11": "c",
    "c17": "c",
    "c99": "c",
    "gcc": "c",
    **dict.fromkeys(("js", "node", "nodejs", "node.js", "ecmascript"), "javascript"),
    "ts": "typescript",
    "golang": "go",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    **{name: name for name in LANGUAGES},
}
OUT_OF_MEMORY = (
    *(b"std::bad_alloc", b"java.lang.OutOfMemoryError", b"heap out of memory", b"memory allocation of"),
    b"runtime: out of memory",
)
"""How runtimes say on stderr that memory ran out: the program's own account, which can only harm itself."""


def language_name(name: str) -> str | None:
    """The name by which `Job.language` knows a language, from what a fence, a row or a client calls it; None for an unknown one.

    >>> language_name("C++17"), language_name("nodejs"), language_name("cobol")
    ('cpp', 'javascript', None)
    """
    return ALIASES.get(name.strip().lower())

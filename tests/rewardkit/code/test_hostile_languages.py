"""Hostile programs in other languages, at compile time and at run time: none is paid, none is our failure, none reaches the next row."""

import pytest

from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.registry import open_sandbox

pytestmark = pytest.mark.docker

ROW = {"inputs": ["271828\n", "314159\n"], "outputs": ["73890461584\n", "98695877281\n"]}
RIGHT = {
    "c": '#include <stdio.h>\nint main() { long n; scanf("%ld", &n); printf("%ld\\n", n * n); }',
    "python": "print(int(input()) ** 2)",
}
SEARCH_C = r"""
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char data[1 << 20];
static void look(const char *path) {
  int file = open(path, O_RDONLY | O_NONBLOCK);
  long size = file < 0 ? 0 : read(file, data, sizeof data - 1);
  for (long at = 0; at + 11 < size; at++) if (strspn(data + at, "0123456789") == 11) { printf("%.11s\n", data + at); fflush(stdout); _exit(0); }
  if (file >= 0) close(file);
}
int main() {
  char path[600];
  DIR *all = opendir("/proc");
  for (struct dirent *one; all && (one = readdir(all));) {
    const char *names[] = {"environ", "cmdline", "mem", "maps", "fd/0", "fd/1", "fd/3", "fd/4", "fd/5", "fd/200", "fd/202", "root/tmp"};
    for (int n = 0; n < 12; n++) { snprintf(path, sizeof path, "/proc/%s/%s", one->d_name, names[n]); look(path); }
  }
}
"""
HOSTILE = {
    "c, search of /proc": ("c", SEARCH_C),
    "c, words on every descriptor": ("c", '#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) void f() { for (int d = 3; d < 256; d++) write(d, "{\\"v\\":1}\\n", 8); exit(0); }\nint main() {}'),
    "c, children that stay": ("c", "#include <unistd.h>\nint main() { for (int n = 0; n < 8; n++) if (!fork()) { setsid(); if (!fork()) for (;;) pause(); _exit(0); } }"),
    "c, fork bomb": ("c", "#include <unistd.h>\nint main() { for (;;) fork(); }"),
    "c, the parent": ("c", "#include <signal.h>\n#include <sys/ptrace.h>\n#include <unistd.h>\nint main() { ptrace(PTRACE_ATTACH, getppid(), 0, 0); kill(getppid(), 9); kill(-1, 9); kill(1, 9); }"),
    "c, a file of the machine": ("c", '#include "/etc/passwd"\nint main() {}'),
    "c, the agent's memory": ("c", 'asm(".incbin \\"/proc/1/mem\\"");\nint main() {}'),
    "c, the agent's environment": ("c", '#include "/proc/1/environ"\nint main() {}'),
    "c, an endless file": ("c", '#include "/dev/zero"\nint main() {}'),
    "c, itself": ("c", "#include __FILE__\nint main() {}"),
    "c, a binary too large": ("c", "char a[1 << 28] = {1};\nint main() { return a[5]; }"),
    "cpp, templates without end": ("cpp", "template<int n> struct T { T<n + 1> t; };\nint main() { T<0> t; }"),
    "cpp, a file of the machine": ("cpp", '#define private public\n#include "/etc/shadow"\nint main() {}'),
    "bash, fork bomb": ("bash", ":(){ :|:& };:"),
    "bash, kills and removes": ("bash", "kill -9 -1 1 $PPID; rm -rf / /tmp /dev/shm 2>/dev/null; exec >/proc/1/fd/1"),
    "bash, a writer that stays": ("bash", "trap '' TERM HUP; (while :; do echo 98695877281; done) & disown"),
    "bash, links in the folder": ("bash", "for name in main main.c main.cpp main.py a.out; do ln -sf /dev/zero $name; mkdir -p x/$name; done; echo 'int main(){}' > main.h"),
    "bash, tools of its own": ("bash", "mkdir -p bin; printf '#!/bin/sh\\necho 1' > bin/gcc; chmod +x bin/gcc; export PATH=$PWD/bin LD_PRELOAD=$PWD/x.so; (exec -a gcc bash -c 'sleep 60') & disown"),
    "rust, files at compile time": ("rust", 'fn main() { print!("{}{}", include_str!("/proc/1/environ"), include_str!("/etc/shadow")); }'),
    "rust, an endless file": ("rust", 'static A: &[u8] = include_bytes!("/dev/zero");\nfn main() { print!("{}", A.len()); }'),
    "go, C and flags": ("go", 'package main\n// #cgo LDFLAGS: -Wl,-rpath,/tmp -fplugin=/tmp/x.so\n// #include "/etc/passwd"\nimport "C"\nfunc main() {}'),
    "go, an embedded file": ("go", 'package main\nimport _ "embed"\nimport "fmt"\n//go:embed /etc/passwd\nvar a string\nfunc main() { fmt.Print(a) }'),
    "go, other programs": ("go", 'package main\nimport ("fmt"; "os"; "os/exec"; "syscall")\nfunc main() { out, _ := exec.Command("cat", "/proc/1/environ", "/proc/1/fd/0").Output(); fmt.Print(string(out)); syscall.Kill(1, 9); os.Exit(0) }'),
    "java, an end at once": ("java", "class Main { static { Runtime.getRuntime().halt(0); }\n public static void main(String[] a) {} }"),
    "java, an agent": ("java", 'import java.lang.management.*;\nclass Main { public static void premain(String a) {}\n public static void main(String[] a) throws Exception { String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0]; new ProcessBuilder("java", "-javaagent:main.jar", "-jar", "main.jar").inheritIO().start(); for (ProcessHandle p : (Iterable<ProcessHandle>) ProcessHandle.allProcesses()::iterator) p.destroyForcibly(); } }'),
    "java, a processor of annotations": ("java", "import javax.annotation.processing.*; import javax.lang.model.element.*; import java.util.*;\npublic class Main extends AbstractProcessor { public boolean process(Set<? extends TypeElement> s, RoundEnvironment r) { System.exit(0); return true; }\n public static void main(String[] a) {} }"),
    "java, a class named like a command": ("java", "public class $PATH { public static void main(String[] a) { System.out.println(1); } }"),
    "javascript, other programs": ("javascript", "const c = require('child_process'); for (let n = 0; n < 50; n++) { try { c.spawn(process.argv0, [__filename], {detached: true, stdio: 'inherit'}).unref() } catch (e) {} }\ntry { process.kill(1, 9); process.kill(-1, 9) } catch (e) {}"),
    "javascript, descriptors": ("javascript", "const fs = require('fs'); for (let d = 3; d < 256; d++) { try { fs.writeSync(d, '{\"v\":1}\\n') } catch (e) {} } process.reallyExit(0)"),
    "typescript, a file of the machine": ("typescript", '/// <reference path="/etc/passwd" />\nimport x = require("/etc/passwd");\nconsole.log(x)'),
}  # fmt: skip


@pytest.fixture(scope="module")
def sandbox():
    with open_sandbox("docker", workers=1, image="full") as opened, use_sandbox(opened):
        yield opened


def score(language, program):
    sample = Sample(completion=f"````{language}\n{program}\n````", ground_truth=ROW)
    return Code(cpu_s=2.0, total_wall_s=6.0, memory_mb=256).score([sample])[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_program_is_paid_or_left_unjudged(sandbox, name):
    lost = sandbox.facts()["lost"]
    scored = score(*HOSTILE[name])
    assert scored.value == 0.0, scored
    assert "root:" not in scored.reason
    for language, program in RIGHT.items():
        after = score(language, program)
        assert (after.value, after.verdict.value) == (1.0, "correct"), (language, after.reason)
    assert sandbox.facts()["lost"] == lost


def test_what_a_compiled_program_printed_is_nowhere_to_be_found(sandbox):
    for _ in range(3):
        assert score("c", RIGHT["c"]).value == 1.0
        assert score("c", SEARCH_C).value == 0.0
    own = SEARCH_C.replace(
        "int main() {",
        'int main() { if (fork() == 0) { execl("/bin/sleep", "sleep", "73890461584", (char *)0); } usleep(200000);',
    )
    assert score("c", own).reason.startswith(
        "test 2 of 2: word 1 is '73890461584'"
    )  # so the search finds what is there

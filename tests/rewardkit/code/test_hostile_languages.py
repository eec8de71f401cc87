"""Hostile programs in other languages, at compile time and at run time: none is paid, none is our failure, none reaches the next row."""

import pytest

from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.backends.docker import DockerBox
from sandboxes.registry import open_sandbox

pytestmark = pytest.mark.docker

ROW = {"inputs": ["271828\n", "314159\n"], "outputs": ["73890461584\n", "98695877281\n"]}
RIGHT = {
    "c": '#include <stdio.h>\nint main() { long n; scanf("%ld", &n); printf("%ld\\n", n * n); }',
    "python": "print(int(input()) ** 2)",
}
HOSTILE = {
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
    "c, gifted pages": ("c", "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <string.h>\n#include <sys/mman.h>\n#include <sys/uio.h>\nint main() { char *p = mmap(0, 1 << 20, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); memset(p, '7', 1 << 20); struct iovec v = {p, 1 << 16}; while (vmsplice(1, &v, 1, SPLICE_F_GIFT) > 0) strcpy(p, \"73890461584\"); }"),
    "c, packets on stdout": ("c", '#define _GNU_SOURCE\n#include <fcntl.h>\n#include <unistd.h>\nint main() { fcntl(1, F_SETFL, O_DIRECT); for (int n = 0; n < 500000; n++) write(1, "7", 1); }'),
    "c, an interpreter of its own": ("c", '#include <stdio.h>\nconst char i[] __attribute__((section(".interp"))) = "/proc/self/exe";\nint main() { puts("1"); }'),
    "c, an array too large to start": ("c", "static char a[1ull << 40];\nint main() { a[5] = 1; }"),
    "c, an assembler bomb": ("c", 'asm(".rept 300000000\\n nop\\n.endr");\nint main() {}'),
    "c, a parent that the kernel keeps waiting": ("c", "#include <unistd.h>\nint main() { if (!vfork()) for (;;) pause(); }"),
    "c, short naps": ("c", "#include <unistd.h>\nint main() { for (;;) { for (volatile int i = 0; i < 20000; i++); usleep(900); } }"),
    "c, the last in line": ("c", "#define _GNU_SOURCE\n#include <sched.h>\n#include <unistd.h>\nint main() { struct sched_param p = {0}; sched_setscheduler(0, SCHED_IDLE, &p); nice(19); for (;;); }"),
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
    "java, a hook that never ends": ("java", "public class Main { public static void main(String[] a) { Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) try { Thread.sleep(1000); } catch (Exception e) {} })); System.out.println(1); } }"),
    "java, options in files": ("java", 'import java.nio.file.*;\npublic class Main { public static void main(String[] a) throws Exception { for (String n : new String[]{".hotspotrc", "JDK_JAVA_OPTIONS", "main.jar", "Main.java", "classes"}) try { Files.writeString(Path.of(n), "+PrintFlagsFinal"); } catch (Exception e) {} System.out.println(System.getenv()); } }'),
    "go, routines without end": ("go", "package main\nfunc main() { for i := 0; i < 1000000; i++ { go func() { for {} }() }; select {} }"),
    "javascript, other programs": ("javascript", "const c = require('child_process'); for (let n = 0; n < 50; n++) { try { c.spawn(process.argv0, [__filename], {detached: true, stdio: 'inherit'}).unref() } catch (e) {} }\ntry { process.kill(1, 9); process.kill(-1, 9) } catch (e) {}"),
    "javascript, descriptors": ("javascript", "const fs = require('fs'); for (let d = 3; d < 256; d++) { try { fs.writeSync(d, '{\"v\":1}\\n') } catch (e) {} } process.reallyExit(0)"),
    "typescript, a file of the machine": ("typescript", '/// <reference path="/etc/passwd" />\nimport x = require("/etc/passwd");\nconsole.log(x)'),
}  # fmt: skip


@pytest.fixture(scope="module")
def causes():
    """Of the deaths of boxes."""
    return []


@pytest.fixture(scope="module")
def sandbox(causes):
    cause_of_death = DockerBox.cause_of_death
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sandboxes.warm_boxes.CORES", 1)  # one box for all
        patch.setattr(DockerBox, "cause_of_death", lambda box: causes.append(cause := cause_of_death(box)) or cause)
        with open_sandbox("docker", workers=1, image="full") as opened, use_sandbox(opened):
            yield opened


def score(language, program, row=ROW, cpu_s=2.0):
    sample = Sample(completion=f"````{language}\n{program}\n````", ground_truth=row)
    return Code(cpu_s=cpu_s, total_wall_s=3 * cpu_s, memory_mb=256).score([sample])[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_program_is_paid_or_left_unjudged(sandbox, causes, name):
    lost, causes[:] = sandbox.facts()["lost"], []
    scored = score(*HOSTILE[name], cpu_s=2.0 if name.startswith(("java", "typescript")) else 0.6)
    assert scored.value == 0.0, scored
    assert "root:" not in scored.reason
    for language, program in RIGHT.items():
        after = score(language, program)
        assert (after.value, after.verdict.value) == (1.0, "correct"), (language, after.reason)
    # a process that gets no core to end in keeps its memory, and after a second the kernel ends the whole box
    assert causes == ["memory"] * (sandbox.facts()["lost"] - lost)
    assert "memory limit" in scored.reason or not causes


MARK = "Zq7xKeptHere"
"""Stands in the sources of `KEPT` and in what they print; no searching program has it in its own memory."""
KEPT = {
    "c": f'#include <stdio.h>\nint main() {{ long n; scanf("%ld", &n); printf("{MARK}%ld", n * n); }}',
    "cpp": f'#include <iostream>\nint main() {{ long long n; std::cin >> n; std::cerr << "{MARK}"; std::cout << "{MARK}" << n * n; }}',
    "java": f'class Main {{ public static void main(String[] a) {{ long n = new java.util.Scanner(System.in).nextLong(); System.out.println("{MARK}" + n * n); }} }}',
    "javascript": f"const n = parseInt(require('fs').readFileSync(0)); require('fs').writeFileSync('{MARK}', '{MARK}'); console.log('{MARK}' + n * n)",
    "typescript": f"const n: number = parseInt(require('fs').readFileSync(0)); console.log('{MARK}' + n * n)",
    "go": f'package main\nimport "fmt"\nfunc main() {{ var n int64; fmt.Scan(&n); fmt.Printf("{MARK}%d", n * n) }}',
    "rust": f'fn main() {{ let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap(); let n: u64 = s.trim().parse().unwrap(); println!("{MARK}{{}}", n * n); }}',
    "bash": f"read n; export A={MARK}; echo $A > /tmp/$A; echo $A > /dev/shm/b; (exec -a $A sleep 60) & echo $A$((n * n))",
    "python": f"import os\nn = int(input())\nopen('/tmp/{MARK}', 'w').write('{MARK}' * 999)\nos.memfd_create('{MARK}')\nprint(f'{MARK}{{n * n}}')",
}
LEFT = {"inputs": ROW["inputs"], "outputs": [MARK + square for square in ROW["outputs"]]}
SEARCH_C = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile char one = 1;
static char data[1 << 22];
static int mark(const char *text) {  /* without having it itself */
  const char *less = "Yp6wJdosGdqd";
  for (int at = 0; at < 12; at++) if (text[at] != less[at] + one) return 0;
  return 1;
}
static void search(const char *text, long size, const char *where) {
  for (long at = 0; at + 12 <= size; at++) if (mark(text + at)) { printf("found in %s", where); fflush(stdout); _exit(0); }
}
static void look(const char *path) {
  int file = open(path, O_RDONLY | O_NONBLOCK);
  long size = file < 0 ? 0 : pread(file, data, sizeof data, 0);
  if (file >= 0) close(file);
  search(data, size, path);
}
static int visit(const char *path, const struct stat *facts, int kind, struct FTW *at) {
  const char *skipped[] = {"/proc", "/sys", "/usr", "/etc", 0};
  for (int n = 0; skipped[n]; n++) if (!strcmp(path, skipped[n])) return FTW_SKIP_SUBTREE;
  search(path, strlen(path), path);
  if (kind == FTW_F) look(path);
  return FTW_CONTINUE;
}
static void memory(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int file = open("/proc/self/mem", O_RDONLY);
  unsigned long first, last;
  char line[600], mode[9];
  while (fgets(line, sizeof line, maps)) {
    sscanf(line, "%lx-%lx %8s", &first, &last, mode);
    for (; first < last && mode[1] == 'w'; first += sizeof data / 2) {
      if ((char *)first < data + sizeof data && data < (char *)last) continue;
      long size = pread(file, data, last - first < sizeof data ? last - first : sizeof data, first);
      search(data, size, "memory");
    }
  }
}
int main() {
  char path[600];
  HIDE
  DIR *all = opendir("/proc");
  for (struct dirent *one; all && (one = readdir(all));) {
    const char *names[] = {"environ", "cmdline", "comm", 0};
    for (int n = 0; names[n]; n++) { snprintf(path, sizeof path, "/proc/%s/%s", one->d_name, names[n]); look(path); }
    for (int n = 0; n < 256; n++) {
      snprintf(path, sizeof path, "/proc/%s/fd/%d", one->d_name, n);
      long size = readlink(path, data, sizeof data);
      search(data, size, path);
      if (n != 1 && n != 2) look(path);
    }
  }
  nftw("/", visit, 16, FTW_PHYS | FTW_ACTIONRETVAL);
  memory();
}
"""
SEARCH_PYTHON = """
import ctypes, re
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
mark = re.compile(b"[Z][q]7[x]K[e]p[t]H[e]r[e]")
memory = open("/proc/self/mem", "rb", buffering=0)
for line in open("/proc/self/maps"):
    first, last = (int(part, 16) for part in line.split()[0].split("-"))
    if line.split()[1].startswith("rw"):
        memory.seek(first)
        if mark.search(memory.read(last - first) or b''): print("found in memory")
"""
HIDDEN = {
    "file": 'less2mark(path); int file = creat("/dev/shm/x", 0600); write(file, path, 12);',
    "name of a file": 'strcpy(path, "/tmp/"); less2mark(path + 5); creat(path, 0600);',
    "process": r"""less2mark(path);
      int child = fork(), file;
      if (!child) { execl("/bin/sh", path, "-c", "sleep 60; :", (char *)0); _exit(1); }
      snprintf(path, sizeof path, "/proc/%d/cmdline", child);
      do { file = open(path, O_RDONLY); read(file, data, 12); close(file); } while (!mark(data));
    """,
    "memory": "less2mark(malloc(99));",
}
"""What the search finds when it is there, so that finding nothing says something."""
TO_MARK = 'static void less2mark(char *to) { for (int at = 0; at < 12; at++) to[at] = "Yp6wJdosGdqd"[at] + one; to[12] = 0; }\n'


@pytest.mark.parametrize("language", KEPT)
def test_nothing_of_a_program_is_found_by_the_next_ones(sandbox, language):
    kept = score(language, KEPT[language], LEFT)
    assert kept.value == 1.0, kept
    score(language, f"{MARK} ( {{", LEFT)  # most do not compile
    for other, search in {"c": SEARCH_C.replace("HIDE", ""), "python": SEARCH_PYTHON}.items():
        reason = score(other, search, LEFT).reason
        assert reason.startswith("test 1 of 2: 0 words"), (language, other, reason)


@pytest.mark.parametrize("place", HIDDEN)
def test_the_search_finds_what_is_there(sandbox, place):
    search = SEARCH_C.replace("HIDE", HIDDEN[place]).replace("int main()", TO_MARK + "int main()")
    assert "found" in score("c", search, LEFT).reason


WRITES_ITSELF = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main() {
  long n;
  scanf("%ld", &n);
  printf("%ld\n", n * n);
  fflush(stdout);
  dup2(open("/proc/self/exe", O_RDONLY), 9);  /* for a shell, since a file is busy only while it runs */
  execl("/bin/sh", "sh", "-c", "(printf X 1<>/proc/self/fd/9; : >/proc/self/fd/9) 2>/dev/null; exit 0", (char *)0);
}
"""


def test_a_program_cannot_change_itself_for_its_next_test(sandbox):
    assert score("c", WRITES_ITSELF).value == 1.0

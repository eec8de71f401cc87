"""C++ and Java: references of CodeContests problems and mutants of them, judged by `code` beside a plain compiler; for `code_table.py`.

Each difference is listed. References are ours, for eight problems of the shared CodeContests test set (their first 12 tests). The oracle is the compiler and the binary (or `java`) in
a plain container of the image `full`, and the words printed; it uses nothing of our judge. Mutants differ in one operator or number.
"""

from __future__ import annotations

import ast
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from code_agreement import read

from rewardkit import Sample
from rewardkit.code.shared import shared_sandbox, use_sandbox
from rewardkit.rewards.code import Code
from sandboxes.backends.docker_image import image_name

TESTS = 12
HEAD = {
    "cpp": "#include <bits/stdc++.h>\nusing namespace std;\ntypedef long long ll;\n",
    "java": "import java.util.*;\npublic class Main {\n  static Scanner in = new Scanner(System.in);\n",
}
PROBLEMS = {
    "Polycarp likes squares and cubes": {
        "cpp": "int main() { int t; cin >> t; while (t--) { ll n; cin >> n; set<ll> s; for (ll i = 1; i * i <= n; i++) { s.insert(i * i); if (i * i * i <= n) s.insert(i * i * i); } cout << s.size() << '\\n'; } }",
        "java": "public static void main(String[] a) { int t = in.nextInt(); while (t-- > 0) { long n = in.nextLong(); Set<Long> s = new HashSet<>(); for (long i = 1; i * i <= n; i++) { s.add(i * i); if (i * i * i <= n) s.add(i * i * i); } System.out.println(s.size()); } } }",
    },
    "A string is called square": {
        "cpp": 'int main() { int t; cin >> t; while (t--) { string s; cin >> s; int n = s.size(); bool ok = n % 2 == 0; for (int i = 0; i < n / 2; i++) ok = ok && s[i] == s[i + n / 2]; cout << (ok ? "YES" : "NO") << endl; } }',
        "java": 'public static void main(String[] a) { int t = in.nextInt(); while (t-- > 0) { String s = in.next(); int n = s.length(); boolean ok = n % 2 == 0 && s.substring(0, n / 2).equals(s.substring(n / 2)); System.out.println(ok ? "YES" : "NO"); } } }',
    },
    "Theofanis really likes sequences": {
        "cpp": "int main() { int t; cin >> t; while (t--) { ll n, k, p = 1, r = 0, m = 1000000007; cin >> n >> k; while (k > 0) { if (k % 2 == 1) r = (r + p) % m; p = p * n % m; k = k / 2; } cout << r << endl; } }",
        "java": "public static void main(String[] a) { int t = in.nextInt(); while (t-- > 0) { long n = in.nextLong(), k = in.nextLong(), p = 1, r = 0, m = 1000000007; while (k > 0) { if (k % 2 == 1) r = (r + p) % m; p = p * n % m; k = k / 2; } System.out.println(r); } } }",
    },
    "Mr. Chanek has an integer represented by a string s": {
        "cpp": "int go(string s, size_t i) { if (i == s.size()) return (s.size() == 1 || s[0] != '0') && stoi(s) % 25 == 0; if (s[i] != '_') return go(s, i + 1); int r = 0; for (char c = '0'; c <= '9'; c++) { if (i == 0 && c == '0' && s.size() > 1) continue; if (i + 1 == s.size() && c != '0' && c != '5') continue; s[i] = c; r = r + go(s, i + 1); } return r; }\nint main() { string s; cin >> s; int r = 0; if (s.find('X') == string::npos) r = go(s, 0); else for (char c = '0'; c <= '9'; c++) { string x = s; replace(x.begin(), x.end(), 'X', c); r = r + go(x, 0); } cout << r; }",
        "java": "static int go(char[] s, int i) { if (i == s.length) return (s.length == 1 || s[0] != '0') && Integer.parseInt(new String(s)) % 25 == 0 ? 1 : 0; if (s[i] != '_') return go(s, i + 1); int r = 0; for (char c = '0'; c <= '9'; c++) { if (i == 0 && c == '0' && s.length > 1) continue; if (i + 1 == s.length && c != '0' && c != '5') continue; char[] x = s.clone(); x[i] = c; r = r + go(x, i + 1); } return r; }\n  public static void main(String[] a) { String s = in.next(); int r = 0; if (!s.contains(\"X\")) r = go(s.toCharArray(), 0); else for (char c = '0'; c <= '9'; c++) r = r + go(s.replace('X', c).toCharArray(), 0); System.out.println(r); } }",
    },
    "You are given an array consisting of all integers from [l, r]": {
        "cpp": 'int main() { int t; scanf("%d", &t); vector<vector<int>> c(18, vector<int>(200001)); for (int b = 0; b < 18; b++) for (int i = 1; i <= 200000; i++) c[b][i] = c[b][i - 1] + ((i >> b) % 2 == 0); while (t--) { int l, r, m = 1000000; scanf("%d %d", &l, &r); for (int b = 0; b < 18; b++) m = min(m, c[b][r] - c[b][l - 1]); printf("%d\\n", m); } }',
        "java": "public static void main(String[] a) { int t = in.nextInt(); int[][] c = new int[18][200001]; for (int b = 0; b < 18; b++) for (int i = 1; i <= 200000; i++) c[b][i] = c[b][i - 1] + ((i >> b) % 2 == 0 ? 1 : 0); while (t-- > 0) { int l = in.nextInt(), r = in.nextInt(), m = 1000000; for (int b = 0; b < 18; b++) m = Math.min(m, c[b][r] - c[b][l - 1]); System.out.println(m); } } }",
    },
    "Luntik came out for a morning stroll": {
        "cpp": "int main() { int t; cin >> t; while (t--) { int n; cin >> n; ll zeros = 1, ones = 0; for (int i = 0; i < n; i++) { ll x; cin >> x; if (x == 0) zeros = zeros * 2; if (x == 1) ones = ones + 1; } cout << zeros * ones << endl; } }",
        "java": "public static void main(String[] a) { int t = in.nextInt(); while (t-- > 0) { int n = in.nextInt(); long zeros = 1, ones = 0; for (int i = 0; i < n; i++) { long x = in.nextLong(); if (x == 0) zeros = zeros * 2; if (x == 1) ones = ones + 1; } System.out.println(zeros * ones); } } }",
    },
    "This is an easier version of the problem with smaller constraints.\n\nKorney": {
        "cpp": 'int main() { int n; cin >> n; vector<int> last(512, 1000); last[0] = 0; while (n--) { int a; cin >> a; for (int x = 0; x < 512; x++) if (last[x] < a + (x == 0 && last[x] == 0)) last[x ^ a] = min(last[x ^ a], a); } vector<int> r; for (int x = 0; x < 512; x++) if (last[x] < 1000) r.push_back(x); cout << r.size() << "\\n"; for (int x : r) cout << x << " "; }',
        "java": 'public static void main(String[] s) { int n = in.nextInt(); int[] last = new int[512]; Arrays.fill(last, 1000); last[0] = 0; while (n-- > 0) { int a = in.nextInt(); for (int x = 0; x < 512; x++) if (last[x] < a) last[x ^ a] = Math.min(last[x ^ a], a); } int k = 0; StringBuilder r = new StringBuilder(); for (int x = 0; x < 512; x++) if (last[x] < 1000) { k = k + 1; r.append(x).append(" "); } System.out.println(k + "\\n" + r); } }',
    },
    "You are given an array of n positive integers a_1, a_2, …, a_n. Your task is to calculate the number of arrays": {
        "cpp": "int main() { ll n, m = 998244353; cin >> n; vector<ll> a(n), f(n + 1); f[0] = 1; for (ll &x : a) cin >> x; for (int i = 1; i <= n; i++) { ll low = a[i - 1], s = 1; for (int j = i - 1; j >= 0; j--) { low = min(low, a[j]); f[i] = (f[i] + s * (low % m) % m * f[j] % m + m) % m; s = 0 - s; } } cout << f[n]; }",
        "java": "public static void main(String[] z) { int n = in.nextInt(); long m = 998244353; long[] a = new long[n], f = new long[n + 1]; f[0] = 1; for (int i = 0; i < n; i++) a[i] = in.nextLong(); for (int i = 1; i <= n; i++) { long low = a[i - 1], s = 1; for (int j = i - 1; j >= 0; j--) { low = Math.min(low, a[j]); f[i] = (f[i] + s * (low % m) % m * f[j] % m + m) % m; s = 0 - s; } } System.out.println(f[n]); } }",
    },
}  # fmt: skip
"""Words that a problem begins with, and references. They print what the published solutions print on all tests used."""
SWAPS = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}  # fmt: skip
COMMANDS = {"cpp": ("main.cpp", "g++ -O1 -o main main.cpp", "./main"), "java": ("Main.java", "javac Main.java", "java Main")}  # fmt: skip


def rows(data: Path) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Problems that have references here, with their tests."""
    for row in read(data / "code_contests" / "code_contests_test.jsonl.gz"):
        key = next((key for key in PROBLEMS if row["problem"].strip().startswith(key)), None)
        if key:
            tests = ast.literal_eval(row["tests"]) if isinstance(row["tests"], str) else row["tests"]
            yield key, {name: list(tests[name][:TESTS]) for name in ("inputs", "outputs")}


def mutants(source: str, count: int, rng: random.Random) -> Iterator[str]:
    """Sources that differ in one operator between blanks, or in one number."""
    places = list(re.finditer(r"(?<= )(?:[-+*/%]|[<>=!]=|[<>]|&&|\|\|)(?= )|\b\d+\b", source))
    for place in rng.sample(places, min(count, len(places))):
        yield source[: place.start()] + (SWAPS.get(place[0]) or str(int(place[0]) + 1)) + source[place.end() :]


class Plain:
    """A plain container with the toolchains, and a folder that both sides see."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        command = ["docker", "run", "-d", "--rm", "--network", "none", "-v", f"{folder}:/work", "-w", "/work", "--user", "0"]  # fmt: skip
        self.box = subprocess.run(
            [*command, "--entrypoint", "sleep", image_name("full"), "7200"], capture_output=True, text=True, check=True
        ).stdout.strip()

    def accepts(self, language: str, source: str, tests: dict[str, list[str]]) -> bool:
        name, build, run = COMMANDS[language]
        (self.folder / name).write_text(source)
        if self._run(f"rm -f main *.class; {build}") is None:
            return False
        for given, wanted in zip(tests["inputs"], tests["outputs"], strict=True):
            printed = self._run(f"timeout 10 {run}", given)
            if printed is None or printed.split() != wanted.split():
                return False
        return True

    def _run(self, line: str, given: str = "") -> str | None:
        done = subprocess.run(["docker", "exec", "-i", self.box, "sh", "-c", line], input=given, capture_output=True, text=True, check=False)  # fmt: skip
        return done.stdout if done.returncode == 0 else None

    def close(self) -> None:
        subprocess.run(["docker", "rm", "-f", self.box], capture_output=True, check=False)


def lines(languages: list[str], data: Path, each: int) -> Iterator[list[object]]:
    """The table's line of each language."""
    problems = dict(rows(data))
    with tempfile.TemporaryDirectory() as folder, use_sandbox(shared_sandbox('docker(image="full")')):
        plain = Plain(folder)
        try:
            for language in languages:
                yield counts(language, problems, each, plain)
        finally:
            plain.close()


def counts(language: str, problems: dict[str, dict[str, list[str]]], each: int, plain: Plain) -> list[object]:
    """The line of one language."""
    rng = random.Random(20261123)
    reward = Code(cpu_s=10.0, language=language)

    def judged(cases: list[tuple[str, str]]) -> list[Any]:
        made = [Sample(completion=f"```{language}\n{source}\n```", ground_truth=problems[key]) for key, source in cases]
        return reward.score(made)

    references = [(key, HEAD[language] + PROBLEMS[key][language]) for key in problems]
    start = time.perf_counter()
    accepted = judged(references)
    tests_s = sum(len(tests["inputs"]) for tests in problems.values()) / (time.perf_counter() - start)
    for (key, source), score in zip(references, accepted, strict=True):
        if score.value != 1.0 or not plain.accepts(language, source, problems[key]):
            print(f"{language} reference of {key[:40]!r}: {score.verdict.value}: {score.reason[:300]}", flush=True)
    changed = [(key, text) for key, source in references for text in mutants(source, -(-each // len(references)), rng)]
    count: Counter[str] = Counter()
    for (key, source), score in zip(changed, judged(changed), strict=True):
        right = plain.accepts(language, source, problems[key])
        said = "unjudged" if score.value is None else "accepted" if score.value == 1.0 else "refused"
        count[f"{said} {'right' if right else 'wrong'}"] += 1
        if (said == "accepted") != right:
            print(f"{language} {key[:40]!r}: ours {said}, plain {right}: {score.reason[:200]}\n{source}", flush=True)
    right = sum(score.value == 1.0 for score in accepted)
    unjudged = sum(score.value is None for score in accepted) + count["unjudged right"] + count["unjudged wrong"]
    wrongly = (count["accepted wrong"], count["refused right"])
    return [f"stdin, {language}", "code_contests", len(references), right, len(references) - right, unjudged, count.total(), *wrongly, f"{tests_s:,.0f}"]  # fmt: skip

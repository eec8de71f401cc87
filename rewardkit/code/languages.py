"""Programming languages by the names that rows and fences give them."""

from __future__ import annotations

_NAMES = {
    "python": "py py3 python3 python2 pypy pypy3 ipython pycon sage",
    "c": "c11 c17 gnu-c",
    "cpp": "c++ cpp11 cpp14 cpp17 cpp20 c++11 c++14 c++17 c++20 c++23 cxx cc gcc g++",
    "java": "java8 java11 java17 java21",
    "javascript": "js node nodejs javascript-node mjs",
    "typescript": "ts",
    "go": "golang",
    "rust": "rs",
    "bash": "sh shell zsh",
    "csharp": "c# cs mono",
    "kotlin": "kt",
    "ruby": "rb",
    "php": "",
    "swift": "",
    "scala": "",
    "perl": "pl",
    "haskell": "hs",
    "lua": "",
    "r": "rscript",
    "julia": "jl",
    "ocaml": "ml",
    "pascal": "delphi",
    "sql": "sqlite mysql postgresql",
    "d": "",
    "dart": "",
    "elixir": "",
    "racket": "",
    "verilog": "systemverilog",
}
_BY_NAME = {alias: name for name, aliases in _NAMES.items() for alias in (name, *aliases.split())}


def language_of(name: object) -> str | None:
    """The language that a name stands for; None for anything else, `en` and `English` for instance.

    >>> language_of("C++17"), language_of("python3"), language_of("en")
    ('cpp', 'python', None)
    """
    return _BY_NAME.get(name.strip().lower()) if isinstance(name, str) else None

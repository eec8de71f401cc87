"""Programming languages by the names that rows and fences give them."""

from __future__ import annotations

from sandboxes.languages import language_name

_OTHERS = {
    "csharp": "c# cs mono", "kotlin": "kt", "ruby": "rb", "php": "", "swift": "", "scala": "", "perl": "pl", "haskell": "hs", "lua": "",
    "r": "rscript", "julia": "jl", "ocaml": "ml", "pascal": "delphi", "sql": "sqlite mysql postgresql", "d": "", "dart": "",
    "elixir": "", "racket": "", "verilog": "systemverilog", "ada": "adb", "clojure": "clj", "fsharp": "f# fs", "matlab": "octave",
    "fortran": "f90", "erlang": "erl", "zig": "", "nim": "", "groovy": "", "cobol": "", "prolog": "", "scheme": "", "vb": "visualbasic vb.net",
}  # fmt: skip
"""Languages that rows and fences name and no sandbox here runs."""
_BY_NAME = {
    **{alias: name for name, aliases in _OTHERS.items() for alias in (name, *aliases.split())},
    **dict.fromkeys(["py3", "python2", "ipython", "pycon", "sage"], "python"),
}


def language_of(name: object) -> str | None:
    """The language that a name stands for; None for anything else, `en` and `English` for instance.

    >>> language_of("C++17"), language_of("python3"), language_of("Ruby"), language_of("en")
    ('cpp', 'python', 'ruby', None)
    """
    return language_name(name) or _BY_NAME.get(name.strip().lower()) if isinstance(name, str) else None


def same_language(one: str, other: str) -> bool:
    """True for equal languages, standards left aside."""
    return one.removesuffix("20") == other.removesuffix("20")

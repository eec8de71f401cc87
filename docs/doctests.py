"""Examples in docstrings (`>>> ...`) as blocks of code on the site (an extension of griffe)."""

import re

from griffe import Extension, Object

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:(?!>>>)\S.*\n?)*)+", re.MULTILINE)


class Doctests(Extension):
    """Put a fence around each run of `>>>` lines and what they print."""

    def on_object(self, *, obj: Object, **_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Change one docstring."""
        if obj.docstring is not None and "\n>>> " in obj.docstring.value:
            obj.docstring.value = _EXAMPLE.sub(
                lambda found: f"\n```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )

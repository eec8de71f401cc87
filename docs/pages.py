"""What the site has beyond the files of docs/: pages made from the code, and pages of the repository's root (a hook of mkdocs)."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = {
    "benchmarks.md": "benchmarks/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
"""Pages of the site that are files elsewhere in the repository."""
_PIPES = re.compile(r"(?<=[ |(,])`([^`\n]*\\\|[^`\n]*)`")
"""Code with a bar in the cell of a table, which GitHub and this site read in different ways."""
_LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?(?=\))")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made here."""
    from mkdocs.structure.files import File

    made = {name: (ROOT / path).read_text(encoding="utf-8") for name, path in PAGES.items()}
    for report in sorted((ROOT / "benchmarks" / "results").glob("*.md")):
        made[f"results/{report.name}"] = report.read_text(encoding="utf-8")
        PAGES[f"results/{report.name}"] = f"benchmarks/results/{report.name}"
    made["reference/http.md"] = http_api()
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Point links at the page of the site if there is one, else at the file in the repository."""
    source = PAGES.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    here = (ROOT / source).parent
    depth = page.file.src_uri.count("/")
    pages = {path: name for name, path in PAGES.items()}

    def target(match: re.Match[str]) -> str:
        path = (here / match[1]).resolve()
        if not path.exists() or not path.is_relative_to(ROOT):
            return match[0]  # mkdocs reports it, or it is a page made here
        name = path.relative_to(ROOT).as_posix()
        anchor = match[2] or ""
        if name in pages:
            return "../" * depth + pages[name] + anchor
        if name.startswith("docs/"):
            return "../" * depth + name.removeprefix("docs/") + anchor
        return f"{config['repo_url']}/blob/main/{name}{anchor}"

    def code(match: re.Match[str]) -> str:
        return f"<code>{html.escape(match[1].replace(chr(92) + '|', '|')).replace('|', '&#124;')}</code>"

    markdown = _PIPES.sub(code, _LINK.sub(target, markdown))
    return re.sub(re.escape(f"{config['repo_url']}/blob/main/docs/") + r"(?=[\w-]+\.md)", "../" * depth, markdown)


def on_post_page(output: str, **_: Any) -> str:
    """Drop the theme's requests to GitHub for stars and releases."""
    return output.replace(' data-md-component="source"', "")


def http_api() -> str:
    """Each request of `rewardkit serve -r math`, with its body, its answer and its errors, from the server's own OpenAPI document."""
    from rewardkit.serve.app import routes_of
    from rewardkit.serve.openapi import openapi
    from rewardkit.serve.service import Service
    from rewardkit.serve.settings import Settings

    schema = openapi(routes_of(Service(Settings(rewards=("math",), sandbox="auto"))), has_tokens=False)
    parts = [
        (
            "# HTTP API\n\nWhat `rewardkit serve` answers, from its own OpenAPI document (`/openapi.json` on a running server). "
            "How to run it: [Serve over HTTP](../serve.md).\n"
        )
    ]
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parts.append(
                f"## {method.upper()} {path}\n\n{operation.get('description') or operation.get('summary', '')}\n"
            )
            body = next(iter(operation.get("requestBody", {}).get("content", {}).values()), {}).get("schema")
            if body:
                parts.append(_fields(body, schema))
            parts.append(
                "| status | meaning |\n|--:|---|\n"
                + "".join(
                    f"| {status} | {_cell(answer['description'].replace('Successful Response', 'done'))} |\n"
                    for status, answer in sorted(operation["responses"].items())
                )
            )
    return "\n".join(parts)


def _fields(body: dict[str, Any], schema: dict[str, Any]) -> str:
    while "$ref" in body:
        body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    required = set(body.get("required", ()))
    rows = [
        f"| `{name}` | {_type(field)} | {'yes' if name in required else ''} | {_cell(field.get('description', ''))} |\n"
        for name, field in body.get("properties", {}).items()
    ]
    return "| field | type | required | meaning |\n|---|---|---|---|\n" + "".join(rows) if rows else ""


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"])
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

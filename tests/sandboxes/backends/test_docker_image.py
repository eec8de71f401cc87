"""How images are made and refused, without a daemon."""

import pytest

from sandboxes import ImageMissing, ImageOutdated
from sandboxes.backends.docker_image import (
    LABEL_AGENT,
    agent_dockerfile,
    agent_files,
    agent_hash,
    check,
    slim_dockerfile,
)


class DockerApi:
    def __init__(self, labels):
        self.labels = labels

    def image_labels(self, image):
        return self.labels


def test_a_missing_image_says_how_to_build_it():
    with pytest.raises(ImageMissing, match="run `rewardkit sandbox build`"):
        check(DockerApi(None))


@pytest.mark.parametrize("labels", [{}, {LABEL_AGENT: "0123456789abcdef"}])
def test_an_image_of_another_agent_is_refused(labels):
    with pytest.raises(ImageOutdated, match="run `rewardkit sandbox build`"):
        check(DockerApi(labels))


def test_an_image_of_this_agent_is_taken():
    assert check(DockerApi({LABEL_AGENT: agent_hash()})) == agent_hash()


def test_the_agent_needs_nothing_but_itself_and_the_standard_library():
    import ast
    import sys

    for name, source in agent_files().items():
        for node in ast.walk(ast.parse(source)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module]
            for module in modules:
                assert module.partition(".")[0] in sys.stdlib_module_names, (name, module)


def test_the_layers_carry_label_and_bytecode():
    text = agent_dockerfile("base:1")
    assert text.startswith("FROM base:1\n")
    assert f"{LABEL_AGENT}={agent_hash()}" in text
    assert "compileall" in text
    assert "numpy sortedcontainers" in slim_dockerfile("python")

"""The files of deploy/ fit their schemas, name metrics and options that the server has, and fit each other."""

from __future__ import annotations

import json
import re
import signal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from live import TOKEN, Server

yaml = pytest.importorskip("yaml")
DEPLOY = Path(__file__).parents[2] / "deploy"
KUBERNETES = "1.33"
OF_PROMETHEUS = {"job", "instance", "namespace", "pod", "le"}
"""Labels that Prometheus adds."""


def documents(path: Path) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one]


MANIFESTS = [
    (path.name, one)
    for path in sorted(DEPLOY.glob("kubernetes/*.yaml"))
    for one in documents(path)
    if one["kind"] != "Kustomization"
]
DASHBOARD = json.loads((DEPLOY / "grafana" / "rewardkit.json").read_text(encoding="utf-8"))


def find(kind: str, name: str) -> dict[str, Any]:
    (one,) = [one for _, one in MANIFESTS if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return one


def adapter_rules() -> list[dict[str, Any]]:
    return yaml.safe_load(find("ConfigMap", "prometheus-adapter")["data"]["config.yaml"])["rules"]


def queries() -> list[tuple[str, str]]:
    """All PromQL in deploy/, with where it stands; what Grafana and the adapter fill in is filled in."""
    found = [
        (f"dashboard: {panel['title']}", target["expr"].replace("$__rate_interval", "5m").replace("$job", ".*"))
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    ]
    (alerts,) = documents(DEPLOY / "prometheus" / "alerts.yaml")
    found += [(f"alert: {rule['alert']}", rule["expr"]) for group in alerts["groups"] for rule in group["rules"]]
    for rule in adapter_rules():
        found.append(("adapter: series", rule["seriesQuery"]))
        filled = rule["metricsQuery"].replace("<<.LabelMatchers>>", 'pod="a"').replace("<<.GroupBy>>", "pod")
        found.append(("adapter: query", filled))
    return found


@pytest.fixture(scope="module")
def names() -> dict[str, set[str]]:
    """Each series that a live /metrics gives, and its labels."""
    pytest.importorskip("msgspec")
    from rewardkit.serve.metrics import Metrics

    server = Server("-r", "exact", "--workers", "1", env={"REWARDKIT_TOKEN": TOKEN})
    page = server.client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).text
    server.stop(signal.SIGKILL)
    kinds = dict(re.findall(r"^# TYPE (rewardkit_\w+) (\w+)$", page, re.MULTILINE))
    labels = {
        name: set(metric._labelnames)
        for metric in vars(Metrics(("exact",))).values()
        for name in getattr(metric, "describe", list)() and [metric._name, f"{metric._name}_total"]
    }
    parts = {name: ("_bucket", "_sum", "_count") if kind == "histogram" else ("",) for name, kind in kinds.items()}
    return {name + part: labels[name] for name, of_kind in parts.items() if name in labels for part in of_kind}


@pytest.mark.long
@pytest.mark.parametrize(("where", "query"), queries(), ids=[where for where, _ in queries()])
def test_each_query_names_metrics_and_labels_that_the_server_gives(
    names: dict[str, set[str]], where: str, query: str
) -> None:
    used = set(re.findall(r"\brewardkit_\w+", query))
    assert used <= names.keys()
    assert used or query.startswith("up{")
    matched = re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', query)
    grouped = [label.strip() for inner in re.findall(r"\bby\s*\(([^)]*)\)", query) for label in inner.split(",")]
    assert {*matched, *grouped} <= OF_PROMETHEUS.union(*(names[name] for name in used))


@pytest.mark.parametrize(("where", "query"), queries(), ids=[where for where, _ in queries()])
def test_each_query_is_promql(where: str, query: str) -> None:
    pytest.importorskip("promql_parser").parse(query)


@pytest.mark.parametrize("place", range(len(MANIFESTS)), ids=[f"{file}: {one['kind']}" for file, one in MANIFESTS])
def test_each_manifest_fits_the_schema_of_kubernetes(place: int) -> None:
    pytest.importorskip("kubernetes_validate").validate(MANIFESTS[place][1], KUBERNETES, strict=True)


def test_the_page_for_operators_names_each_metric_and_each_alert(names: dict[str, set[str]]) -> None:
    page = (DEPLOY.parent / "docs" / "operations.md").read_text(encoding="utf-8")
    given = {re.sub("_(bucket|sum|count)$", "", name) for name in names}
    assert set(re.findall(r"`(rewardkit_\w+)`", page)) == given
    (alerts,) = documents(DEPLOY / "prometheus" / "alerts.yaml")
    assert set(re.findall(r"`(Rewardkit\w+)`", page)) == {
        rule["alert"] for group in alerts["groups"] for rule in group["rules"]
    }


def commands() -> dict[str, list[str]]:
    """The arguments of `rewardkit serve` in each container."""
    pods = {f"{one['kind']} {one['metadata']['name']}": one["spec"]["template"] for _, one in MANIFESTS if "template" in one.get("spec", {})}  # fmt: skip
    found = {name: pod["spec"]["containers"][0]["args"] for name, pod in pods.items()}
    compose = {path.name: documents(path)[0]["services"]["server"] for path in DEPLOY.glob("compose*.yaml")}
    return found | {name: server["command"] for name, server in compose.items()}


@pytest.mark.parametrize("name", commands())
def test_each_container_gives_options_that_the_command_has(name: str) -> None:
    from rewardkit.cli.serve import serve

    given = ["4" if arg == "$(CPUS)" else re.sub(r"\$\{\w+:-(.*)\}", r"\1", arg) for arg in commands()[name]]
    with serve.make_context("serve", given) as context:
        assert context.params["host"] == "127.0.0.1" or context.params["token_file"] is not None
        assert context.params["drain_s"] <= 30


@pytest.mark.parametrize(("kind", "name"), [("Deployment", "rewardkit"), ("DaemonSet", "rewardkit-code")])
def test_service_policy_and_pods_mean_each_other(kind: str, name: str) -> None:
    spec = find(kind, name)["spec"]
    labels = spec["template"]["metadata"]["labels"]
    (container,) = spec["template"]["spec"]["containers"]
    assert spec["selector"]["matchLabels"] == labels
    assert find("Service", name)["spec"]["selector"] == labels
    assert find("NetworkPolicy", name)["spec"]["podSelector"]["matchLabels"] == labels
    assert [port["name"] for port in container["ports"]] == ["http"]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    drain_s = float(container["args"][container["args"].index("--drain") + 1])
    assert spec["template"]["spec"]["terminationGracePeriodSeconds"] > drain_s + 10 + container["lifecycle"]["preStop"]["sleep"]["seconds"]  # fmt: skip


def test_the_autoscaler_asks_for_what_the_adapter_gives() -> None:
    spec = find("HorizontalPodAutoscaler", "rewardkit")["spec"]
    assert find(spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"])
    assert {one["pods"]["metric"]["name"] for one in spec["metrics"]} == {one["name"]["matches"] for one in adapter_rules()}  # fmt: skip


def test_kustomize_lists_files_that_are_there_and_the_image_that_they_name() -> None:
    (one,) = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    assert all((DEPLOY / "kubernetes" / name).is_file() for name in one["resources"])
    images = {find(*which)["spec"]["template"]["spec"]["containers"][0]["image"] for which in (("Deployment", "rewardkit"), ("DaemonSet", "rewardkit-code"))}  # fmt: skip
    assert images == {image["name"] for image in one["images"]}


def test_the_panels_of_the_dashboard_have_a_place_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for one, other in combinations([panel["gridPos"] for panel in panels], 2):
        apart = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert apart or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}

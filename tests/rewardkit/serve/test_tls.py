"""HTTPS, and callers who must show a certificate."""

from __future__ import annotations

import signal
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from live import SAME, Server, wait_for

import rewardkit

Start = Callable[..., Server]


def openssl(*args: object) -> None:
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True)


def issue(folder: Path, name: str, authority: Path) -> tuple[str, str]:
    """A certificate for 127.0.0.1 and its key, by an authority, which is made where there is none."""
    folder.mkdir(exist_ok=True)
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2)
    if not authority.exists():
        openssl(
            *new,
            "-subj",
            "/CN=authority",
            "-addext",
            "keyUsage=critical,keyCertSign",
            "-out",
            authority,
            "-keyout",
            authority.with_suffix(".key"),
        )
    cert, key, request = folder / f"{name}.pem", folder / f"{name}.key", folder / f"{name}.csr"
    extensions = folder / "extensions"
    extensions.write_text("subjectAltName=IP:127.0.0.1\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-out", request, "-keyout", key)  # fmt: skip
    signed_by = ("-CA", authority, "-CAkey", authority.with_suffix(".key"), "-CAcreateserial")
    openssl("x509", "-req", "-in", request, "-out", cert, *signed_by, "-days", 2, "-extfile", extensions)
    return str(cert), str(key)


@pytest.mark.long
def test_only_callers_with_a_certificate_come_in_and_ours_is_replaced_without_a_restart(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca, clients_ca = tmp_path / "ca.pem", tmp_path / "clients.pem"
    cert, key = issue(tmp_path, "server", ca)
    shown = issue(tmp_path, "client", clients_ca)
    trust = ssl.create_default_context(cafile=str(ca))
    trust.load_cert_chain(*shown)
    tls = ("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", str(clients_ca))
    server = start("-r", SAME, "--workers", "1", *tls, verify=trust)
    assert server.url.startswith("https://")
    assert server.score("yes").json()["scores"][0]["value"] == 1.0
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/healthz", verify=ssl.create_default_context(cafile=str(ca)))
    stranger = ssl.create_default_context(cafile=str(ca))
    stranger.load_cert_chain(*issue(tmp_path, "stranger", tmp_path / "nobody.pem"))
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{server.url}/healthz", verify=stranger)

    for name, value in zip(("CA", "CERT", "KEY"), (str(ca), *shown), strict=True):
        monkeypatch.setenv(f"REWARDKIT_TLS_{name}", value)
    (score,) = rewardkit.remote(server.url).score([rewardkit.Sample(completion="yes", ground_truth="yes")])
    assert score.value == 1.0, score.reason

    before = serial(server, trust)
    issue(tmp_path, "server", ca)  # the same files
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: serial(server, trust) != before, lambda: server.log)
    Path(cert).write_text("torn")
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: "stay as they were" in server.log)
    assert serial(server, trust) != before


def serial(server: Server, trust: ssl.SSLContext) -> str:
    """The serial number of the certificate that a new connection is shown."""
    with httpx.Client(verify=trust) as client, client.stream("GET", f"{server.url}/healthz") as answer:
        return answer.extensions["network_stream"].get_extra_info("ssl_object").getpeercert()["serialNumber"]


def test_a_key_that_is_not_the_certificates_is_one_line(cli: Callable[..., object], tmp_path: Path) -> None:
    cert, _ = issue(tmp_path, "one", tmp_path / "ca.pem")
    _, key = issue(tmp_path, "two", tmp_path / "ca.pem")
    outcome = cli("serve", "-r", "exact", "--tls-cert", cert, "--tls-key", key)
    assert outcome.code == 2
    assert "KEY_VALUES_MISMATCH" in outcome.err
    absent = str(tmp_path / "absent.pem")
    outcome = cli("serve", "-r", "exact", "--tls-cert", cert, "--tls-key", cert, "--tls-client-ca", absent)
    assert (outcome.code, absent in outcome.err) == (2, True)
    assert cli("serve", "-r", "exact", "--tls-cert", cert).code == 2

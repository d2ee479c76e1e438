"""Runs the client in another language against the built programs.

    python run.py --programs FOLDER       for example .build/debug

Starts the programs on free ports, runs one user through all flows, then the examples over HTTP and
gRPC, compares openapi.json with the answers, has an access token verified by libraries of others,
and sends every hostile frame to every port. Ends with 1 and the mismatches, a line each.

    --swift-client FILE    also runs the built example of swift-client, against the same programs
    --compile              also runs the examples in Go and Kotlin
"""

import argparse
import subprocess
import sys

import examples
import hostile_frames
import openapi
import verifiers
from cluster import SERVICES, Cluster
from flow import Flow, Mismatch
from postern_client import CallFailed


# The most memory that the attacks, eight at once, may cost a program, in MiB.
SIEGE_MEMORY_MAX = 16


def besiege(cluster):
    """Sends every hostile frame to every port; returns the failures, a line each."""
    processes, before = cluster.processes(), cluster.memory_peaks()
    wrong = hostile_frames.run(cluster.endpoints, list(SERVICES))
    if cluster.processes() != processes:
        return wrong + ["a program ended under hostile frames and was restarted"]
    for name, peak in cluster.memory_peaks().items():
        growth = peak - before[name]
        print(f"  {name}: {growth:.0f} MiB more under hostile frames")
        if growth > SIEGE_MEMORY_MAX:
            wrong.append(f"{name} took {growth:.0f} MiB more under hostile frames")
    return wrong


def run_swift_client(example, endpoints):
    """Runs the example, a package outside of ours; returns what is wrong, a line each."""
    run = subprocess.run(
        [example, endpoints.addresses["gateway"], str(endpoints.key_file)],
        capture_output=True, text=True, timeout=60)
    print(run.stdout, end="")
    wanted = ['methods: ["password"]', "error: auth/invalid-credential", "verified: acc_"]
    wrong = [f"swift-client did not print: {line}" for line in wanted if line not in run.stdout]
    if run.returncode != 0:
        wrong.append(f"swift-client ended with {run.returncode}: {run.stderr}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--swift-client")
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    files = {"POSTERN_APPS_FILE": examples.APPS_FILE, "POSTERN_LIMITS_FILE": examples.LIMITS_FILE}
    with Cluster(arguments.programs, files, examples.SETTINGS) as cluster:
        flow = Flow(cluster.endpoints, cluster.endpoints.inbox())
        try:
            flow.run()
        except (Mismatch, CallFailed) as error:
            sys.exit(f"interop: {error}")
        wrong = examples.run(cluster, arguments.compile)
        wrong += openapi.run(cluster.endpoints.web, examples.APP)
        # A verifier by URL accepts it until it expires, although its session has ended.
        wrong += verifiers.run(
            cluster.endpoints.web + "/.well-known/jwks.json", "postern", "postern",
            flow.session.access_token)
        if arguments.swift_client:
            wrong += run_swift_client(arguments.swift_client, cluster.endpoints)
        wrong += besiege(cluster)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()

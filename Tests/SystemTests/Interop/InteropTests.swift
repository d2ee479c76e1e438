import Foundation
import Testing

extension SystemTests {
    /// The client in Python, written from the wire protocol alone; the examples over HTTP and gRPC;
    /// verifiers of access tokens by others. `docker/test.sh` installs what they need, in
    /// `.build/venv`. The client in Swift, a package outside of ours, runs in `docker/soak.sh`.
    @Suite("A client in another language")
    struct Interop {
        private static let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        private static let python = "\(checkout)/.build/venv/bin/python"
        private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

        @Test(
            "W-05: it signs up, verifies, signs in, refreshes, replays, signs out, and attacks",
            .enabled(if: hasPython, "docker/test.sh makes the Python environment"))
        func client() async throws {
            let run = try await ProgramRun.run(
                path: Self.python,
                ["\(Self.checkout)/Tests/Interop/run.py", "--programs", BuiltPrograms.folder],
                limit: .seconds(300))
            #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        }

        @Test(
            "over HTTP, grpcio, connectrpc and buf curl run one flow by each protocol",
            .enabled(if: hasPython, "docker/test.sh makes the Python environment"))
        func webClients() async throws { try await web("flow") }

        @Test(
            "raw bytes and frames cost the web service little, and no attack reaches the gateway",
            .enabled(if: hasPython, "docker/test.sh makes the Python environment"))
        func webAttacks() async throws { try await web("abuse") }

        @Test(
            "few addresses that hold all they can of the web service do not delay another client",
            .enabled(if: hasPython, "docker/test.sh makes the Python environment"))
        func webShares() async throws { try await web("shares") }

        /// Runs a part of `web_run.py`.
        private func web(_ part: String) async throws {
            let run = try await ProgramRun.run(
                path: Self.python,
                [
                    "\(Self.checkout)/Tests/Interop/web_run.py", "--programs",
                    BuiltPrograms.folder, part,
                ],
                limit: .seconds(300))
            #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        }
    }
}

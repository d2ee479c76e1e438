import Foundation
import Testing

extension SystemTests {
    /// The client in Python, written from the wire protocol alone. `docker/test.sh` makes its
    /// environment in `.build/venv`.
    @Suite("A client in another language")
    struct Interop {
        private static let checkout = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        private static let python = "\(checkout)/.build/venv/bin/python"
        private static let hasPython = FileManager.default.isExecutableFile(atPath: python)

        @Test(
            "it signs up, verifies, signs in, refreshes, replays, signs out, and attacks",
            .enabled(if: hasPython, "docker/test.sh makes the Python environment"))
        func client() async throws {
            let run = try await ProgramRun.run(
                path: Self.python,
                ["\(Self.checkout)/Tests/Interop/run.py", "--programs", BuiltPrograms.folder],
                limit: .seconds(300))
            #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
        }
    }
}

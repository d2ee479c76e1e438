import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// The test cannot set the machine's clock, so it changes the stores' clock marks: they say
    /// that the services started with a clock that was wrong by five hours, in this boot.
    @Suite(
        "Clock: a step that the operator accepts",
        .enabled(if: CrowdProcess.isPossible && TestStore.runs("*Clock*")))
    struct SteppedClock {
        /// The limiter's store may have no mark yet.
        private static let stores = ["identity", "session", "notification"]
        private static let moving = """
            import sqlite3, sys
            for path in sys.argv[2:]:
                store = sqlite3.connect(path)
                store.execute(
                    "UPDATE clock_mark SET at_ms = at_ms + ?1, boot_at_ms = boot_at_ms + ?1",
                    [int(sys.argv[1])])
                store.commit()
                store.close()
            """
        /// Five hours and half a minute, so that rounding does not give less.
        private static let step: Int64 = 18_030_000

        private func withMovedTime(
            by milliseconds: Int64, _ test: (Cluster) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            try await Cluster.with(folder) { _ in }
            let paths = Self.stores.map { folder.file("data/data/\($0).sqlite") }
            let run = try await ProgramRun.run(
                path: "/usr/bin/env", ["python3", "-c", Self.moving, "\(milliseconds)"] + paths,
                limit: .seconds(20))
            #expect(run.exitCode == 0, "\(run.errors)")
            try await Cluster.with(folder, test)
        }

        /// Whether the time in a response is that far ahead of the machine's clock, within two
        /// minutes.
        private func isAhead(_ milliseconds: String, byMinutes minutes: Double) -> Bool {
            let ahead = (Double(milliseconds) ?? 0) / 1_000 - Date().timeIntervalSince1970
            return abs(ahead / 60 - minutes) < 2
        }

        private struct Stamped: Decodable {
            struct Session: Decodable {
                let sessionId: String
                let accessToken: String
                let refreshToken: String
                let answeredAtMs: String
                let accessExpiresAtMs: String
            }
            let session: Session
        }

        private struct ServerTime: Decodable {
            let answeredAtMs: String
        }

        @Test("B15: a step forward is accepted: tokens then carry the right time, without a reboot")
        func forward() async throws {
            try await withMovedTime(by: -Self.step) { cluster in
                let early = try await cluster.signUp(Person(1)).read(Stamped.self).session
                #expect(isAhead(early.answeredAtMs, byMinutes: -300.5))
                // Devices sign proofs with this time, so it is the session service's.
                let state = try await cluster.auth(
                    "CheckAuthState", [:],
                    in: Session(
                        sessionId: early.sessionId, accessToken: early.accessToken,
                        refreshToken: early.refreshToken)
                ).read(ServerTime.self)
                #expect(isAhead(state.answeredAtMs, byMinutes: -300.5))

                let run = try await cluster.tool(["clock", "accept"])
                #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
                let lines = run.output.split(separator: "\n")
                #expect(lines.count { $0.contains("  accepted: its time went on by 5 h") } == 3)
                let later = try await cluster.signIn(Person(1)).read(Stamped.self).session
                #expect(isAhead(later.answeredAtMs, byMinutes: 0))
                // Ten minutes, plus or minus five percent.
                #expect(isAhead(later.accessExpiresAtMs, byMinutes: 10))
            }
        }

        @Test(
            "B15: a clock that is behind is not accepted, and the tool reports it by its exit code")
        func back() async throws {
            try await withMovedTime(by: Self.step) { cluster in
                let run = try await cluster.tool(["clock", "accept"])
                #expect(run.exitCode == 1)
                let lines = run.output.split(separator: "\n")
                #expect(
                    lines.count {
                        $0.contains("not accepted: the machine's clock is 5 h behind")
                    } == 3, "\(run.output)")
            }
        }
    }
}

import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-06: the limits file is reloaded while the program runs", .timeLimit(.minutes(1)))
struct LimitsFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fixture(_ text: String) async throws -> LimitsFixture {
        let path = try folder.write(text, to: "limits.yaml")
        return try await LimitsFixture(flags: ["--limits-file=\(path)"])
    }

    /// Watches the file besides the service, from its present content on.
    private func follow(_ fixture: LimitsFixture) -> LimitsFile {
        let path = folder.file("limits.yaml")
        return LimitsFile(
            path: path, current: SettingsDocument(path: path),
            into: fixture.service.limits.policies, logger: fixture.service.logger)
    }

    @Test("R-06: a changed number takes effect within five seconds, and no count is lost")
    func changed() async throws {
        let fixture = try await fixture("failed-sign-in-by-account-count: 3\n")
        for _ in 0..<3 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        #expect(
            try await fixture.consume(.failedSignInByAccount, "ada@example.org").decision.limited)
        let worker = Task { try await fixture.service.run() }
        await fixture.time.sleepers(4)
        _ = try folder.write("failed-sign-in-by-account-count: 4\n", to: "limits.yaml")
        for _ in 0..<2 {
            fixture.time.advance(by: .seconds(2))
            await fixture.time.sleepers(4)
        }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 0)
        try await fixture.consume(.failedSignInByAccount, "ada@example.org")
        _ = try folder.write("failed-sign-in-by-account-count: 2\n", to: "limits.yaml")
        for _ in 0..<2 {
            fixture.time.advance(by: .seconds(2))
            await fixture.time.sleepers(4)
        }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").limited)
        worker.cancel()
        _ = await worker.result
        #expect(fixture.log.lines.filter { $0.contains("limits.file.reloaded") }.count == 2)
    }

    @Test("R-06: a file with errors changes nothing and is reported once")
    func invalid() async throws {
        let fixture = try await fixture("failed-sign-in-by-account-count: 3\n")
        let file = follow(fixture)
        _ = try folder.write(
            "failed-sign-in-by-account-count: 0\nsign-up-by-address-count: 0\n", to: "limits.yaml")
        for _ in 0..<3 { file.look() }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 2)
        let logged = fixture.log.lines.filter { $0.contains("limits.file.reload.failed") }
        #expect(logged.count == 1)
        #expect(
            logged.first?.contains("line 1") == true && logged.first?.contains("line 2") == true)
        _ = try folder.write("failed-sign-in-by-account-count: 5\n", to: "limits.yaml")
        for _ in 0..<2 { file.look() }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 4)
    }

    @Test("R-06: a file read while it is being written removes no limit")
    func torn() async throws {
        let whole = "failed-sign-in-by-account-count: 3\nsign-up-by-address-count: 1\n"
        let fixture = try await fixture(whole)
        let file = follow(fixture)
        for part in ["failed-sign-in-by-account-count: 3\n", whole, "", whole, whole] {
            _ = try folder.write(part, to: "limits.yaml")
            file.look()
            #expect(try fixture.peek(.signUpByAddress, "192.0.2.7").remaining == 0)
        }
        _ = try folder.write("sign-up-by-address-count: 2\n", to: "limits.yaml")
        for left in [0, 1] as [UInt32] {
            file.look()
            #expect(try fixture.peek(.signUpByAddress, "192.0.2.7").remaining == left)
        }
    }

    @Test("R-06: a limit in shadow mode is counted and rejects nothing")
    func shadow() async throws {
        let fixture = try await fixture("failed-sign-in-by-account-shadow: true\n")
        for _ in 0..<20 {
            let (decision, id) = try await fixture.consume(
                .failedSignInByAccount, "ada@example.org")
            #expect(!decision.limited)
            #expect(!id.isEmpty)
        }
        let batch = [
            ("failed-sign-in-by-account", "ada@example.org"), ("sign-up-by-address", "192.0.2.7"),
        ]
        for left in [2, 1, 0] as [UInt32] {
            let (decision, _) = try await fixture.consume(batch)
            #expect(decision.remaining == left)
            #expect(decision.limit == "sign-up-by-address")
        }
        #expect(try await fixture.consume(batch).decision.limit == "sign-up-by-address")
        let file = follow(fixture)
        _ = try folder.write("failed-sign-in-by-account-shadow: false\n", to: "limits.yaml")
        for _ in 0..<2 { file.look() }
        #expect(
            try await fixture.consume(.failedSignInByAccount, "ada@example.org").decision.limited)
    }
}

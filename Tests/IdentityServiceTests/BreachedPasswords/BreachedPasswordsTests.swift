import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-02: leaked passwords are refused, and what is not known is accepted")
struct BreachedPasswordsTests {
    /// Answers each look-up alike.
    private struct Source: BreachedPasswordSource {
        let isLocal = true
        let answer: Result<Int, BreachFailure>

        func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure> { answer }
    }

    /// Never answers.
    private struct SilentSource: BreachedPasswordSource {
        let isLocal = false

        func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure> {
            // Returns when the task is cancelled.
            await WakeSignal().wait()
            return .failure(.skipped("cancelled"))
        }
    }

    private static let password: Password? = Password(entered: "Leaked7Horse")

    let time = ManualTime()
    let metrics = MetricsRegistry()
    let log = CapturedLog()

    private func passwords(
        in source: any BreachedPasswordSource, countMin: Int = 1
    ) -> BreachedPasswords {
        BreachedPasswords(
            in: source, countMin: countMin, time: time, logger: log.logger(time: time),
            metrics: metrics)
    }

    private func isRefused(by passwords: BreachedPasswords) async throws -> Bool {
        let password = try #require(Self.password)
        do {
            try await passwords.refuse(ifLeaked: password, field: "new_password")
            return false
        } catch let error as ServiceError {
            #expect(error == .weakPassword([.breached], field: "new_password"))
            return true
        }
    }

    private func counts() -> [Int] {
        ["found", "not_found", "failed", "skipped"].map { metrics.breachChecks($0) }
    }

    @Test(
        "I-02: a password is refused from the set number of leaks on",
        arguments: [(0, 1, false), (1, 1, true), (4, 5, false), (5, 5, true), (0, 0, false)])
    func threshold(count: Int, countMin: Int, refused: Bool) async throws {
        let passwords = passwords(in: Source(answer: .success(count)), countMin: countMin)
        #expect(try await isRefused(by: passwords) == refused)
        #expect(counts() == (refused ? [1, 0, 0, 0] : [0, 1, 0, 0]))
        #expect(log.lines.isEmpty)
    }

    @Test(
        "I-02: a password that cannot be looked up is accepted, counted, and logged once a minute",
        arguments: [
            (.failed("timed-out"), [0, 0, 3, 0]), (.skipped("breaker-open"), [0, 0, 0, 3]),
        ] as [(BreachFailure, [Int])])
    func failsOpen(failure: BreachFailure, expected: [Int]) async throws {
        let passwords = passwords(in: Source(answer: .failure(failure)))
        for lines in [1, 1, 2] {
            #expect(try await isRefused(by: passwords) == false)
            #expect(log.lines.count == lines)
            time.advance(by: .seconds(30))
        }
        #expect(counts() == expected)
        let line = try #require(log.lines.first)
        #expect(line.contains("identity.breached_passwords.unchecked"))
        #expect(line.contains("timed-out") || line.contains("breaker-open"))
        #expect(!line.contains("Leaked7Horse"))
    }

    @Test("I-02: a source that never answers holds a password for 1.1 s")
    func silent() async throws {
        let passwords = passwords(in: SilentSource())
        async let refused = isRefused(by: passwords)
        await time.sleepers()
        time.advance(by: BreachedPasswords.waitMax)
        let isRefused = try await refused
        #expect(!isRefused)
        #expect(counts() == [0, 0, 1, 0])
    }

    @Test("X-06: a look-up whose caller has gone ends at once and is not counted")
    func gone() async throws {
        let passwords = passwords(in: SilentSource())
        let password = try #require(Self.password)
        let task = Task { try await passwords.refuse(ifLeaked: password) }
        await time.sleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(counts() == [0, 0, 0, 0] && log.lines.isEmpty)
    }
}

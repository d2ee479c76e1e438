import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("X-02: the time of failed sign-ins, with a real clock", .timeLimit(.minutes(5)))
struct FailedSignInTimeTests {
    /// bcrypt at cost 9 takes some 30 ms, Argon2 here 1 ms: clearly apart without the floor.
    private static let bcrypt = "$2b$09$abcdefghijklmnopqrstuuZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ"

    @Test("unknown accounts and all password schemes take at least the floor, interleaved")
    func interleaved() async throws {
        let fixture = try IdentityFixture()
        // Handlers over the fixture's store, with the machine's clock.
        let (time, logger) = (SystemTime(), fixture.log.logger(time: fixture.time))
        let service = try IdentityAssembly(
            settings: fixture.settings, data: fixture.dataSettings, life: fixture.lifeSettings,
            store: fixture.store, keys: fixture.keys, peers: fixture.peers, time: time,
            randomness: fixture.randomness, logger: logger, metrics: MetricsRegistry())
        let (accounts, imports) = (service.core.accounts, service.life.imports)
        _ = try await fixture.register("own@example.org")
        var (old, bare) = (
            ImportFixture.record("1"), ImportFixture.record("2", email: "b@example.org")
        )
        old.passwordHash = Self.bcrypt
        bare.passwordHash = ""
        _ = try await imports.importAccounts(
            .init(source: "s", accounts: [old, bare]), fixture.context(application: "tool"))
        let emails = [
            "nobody@example.org", "own@example.org", "ada@example.org", "b@example.org",
        ]
        var samples = [String: [Double]]()
        let rounds = SoakRounds.count(ordinarily: 8)
        for _ in 0..<rounds {
            for email in emails {
                let begun = SystemTime().uptime()
                let error = try await refusal {
                    try await accounts.verifyPassword(
                        .init(signIn: .init(email: email, password: "Wrong7Horse")),
                        CallContext(deadline: begun + .seconds(30)))
                }
                #expect(error == ServiceError(.invalidCredential))
                let took = SystemTime().uptime() - begun
                samples[email, default: []].append(Double(took / .microseconds(1)))
            }
        }
        let responseTimeFloor = service.core.responseTimeFloor
        let floor = Double(try await responseTimeFloor.floor() / .microseconds(1))
        let medians = emails.map { email in
            let sorted = (samples[email] ?? []).sorted()
            return sorted[sorted.count / 2]
        }
        if SoakRounds.isLong {
            print("failed sign-ins: floor \(floor) µs, medians \(medians), rounds \(rounds)")
        }
        // All wait for the floor. How late timers fire on a busy machine is not tested.
        #expect(medians.allSatisfy { $0 >= floor })
        let quickest = samples.values.flatMap { $0 }.min() ?? 0
        #expect(quickest >= floor, "no attempt returns before the floor")
    }
}

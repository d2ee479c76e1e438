import Messages
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite(
    "F-01: two calls about one passkey, with their statements interleaved",
    .enabled(if: TestStore.runs("*InterleavingsTests")), .timeLimit(.minutes(1)))
struct PasskeyInterleavingsTests {
    private typealias Call = @Sendable () async throws -> Void

    /// Holds the backend of the person's store.
    private final class Held: Sendable {
        private let held = Mutex<Interleavings?>(nil)

        func wrap(_ inner: any StoreBackend) -> any StoreBackend {
            let interleavings = Interleavings(inner)
            held.withLock { $0 = interleavings }
            return interleavings
        }

        var interleavings: Interleavings? { held.withLock { $0 } }
    }

    @Test("a sign-in, and the removal of its passkey")
    func removal() async throws {
        let held = Held()
        let person = try await PasskeyPerson(backend: held.wrap)
        let id = try await person.add().passkeyId
        let ceremony = TestCeremony(challenge: try await person.signInChallenge())
        try await explore(
            held, { _ = try await person.signIn(ceremony) },
            { _ = try await person.remove(id) })
        #expect(try await person.identity.count("passkeys") == 0)
    }

    @Test("two sign-ins by one signature")
    func replay() async throws {
        let held = Held()
        let person = try await PasskeyPerson(backend: held.wrap)
        try await person.add()
        let ceremony = TestCeremony(challenge: try await person.signInChallenge())
        let signIn: Call = { _ = try await person.signIn(ceremony) }
        try await explore(held, signIn, signIn)
        #expect(try await person.identity.audited("sign-in.succeeded") == 1)
    }

    @Test("two additions at the last place")
    func lastPlace() async throws {
        let held = Held()
        let person = try await PasskeyPerson(backend: held.wrap)
        for _ in 1..<PasskeyRow.countMax {
            try await person.add(try TestPasskey(randomness: person.identity.randomness))
        }
        let first = TestCeremony(challenge: try await person.beginAdd().challenge)
        let second = TestCeremony(challenge: try await person.beginAdd().challenge)
        let other = try TestPasskey(randomness: person.identity.randomness)
        try await explore(
            held, { _ = try await person.add(first) },
            { _ = try await person.add(second, of: other) })
        #expect(try await person.identity.count("passkeys") == Int64(PasskeyRow.countMax))
    }

    /// Runs both, and requires that each interleaving leaves what a serial order leaves.
    private func explore(_ held: Held, _ first: @escaping Call, _ second: @escaping Call)
        async throws
    {
        let interleavings = try #require(held.interleavings)
        let report = try await interleavings.explore(first, second) { transaction in
            try transaction.numbers([
                "passkeys": "count(*) FROM passkeys",
                "used nonces": "count(*) FROM used_nonces",
                "sign-ins": "count(*) FROM audit WHERE kind = 'sign-in.succeeded'",
                "messages": "count(*) FROM outbox",
                "audit records": "count(*) FROM audit",
            ])
        }
        #expect(report.wrong.isEmpty)
        #expect(report.interleavings > 0)
    }
}

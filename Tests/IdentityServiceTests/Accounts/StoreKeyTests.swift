import Cryptography
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("B17: the check of the master key against identity's store", .timeLimit(.minutes(1)))
struct IdentityStoreKeyTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func opened(master: UInt8) async throws -> [Bool] {
        let keys = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: master, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: fixture.randomness)
        return try await fixture.store.read { try keys.openOldest(in: $0, limit: 3) }
    }

    @Test("B17: the oldest accounts open with the right key and with no other")
    func accounts() async throws {
        #expect(try await opened(master: 7) == [])
        for number in 0..<4 {
            _ = try await fixture.register("p\(number)@example.org")
            fixture.time.advance(by: .seconds(1))
        }
        #expect(try await opened(master: 7) == [true, true, true])
        #expect(try await opened(master: 8) == [false, false, false])
        // The newest account is not checked.
        try await fixture.change(
            """
            UPDATE account_keys SET sealed_key = zeroblob(64) WHERE account =
                (SELECT account FROM accounts ORDER BY created_at_ms DESC LIMIT 1)
            """)
        #expect(try await opened(master: 7) == [true, true, true])
    }
}

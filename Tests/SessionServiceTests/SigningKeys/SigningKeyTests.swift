import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("S-01: signing keys are stored encrypted and published")
struct SigningKeyTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private func jwks() throws -> String {
        try fixture.service.sessions.getKeySet(GatewayV1.GetKeySetRequest(), fixture.context()).jwks
    }

    @Test("S-01: the key is made only at the first start and named by its thumbprint")
    func madeOnce() async throws {
        let tokens = try await fixture.open()
        let before = try jwks()
        try await fixture.restart()
        #expect(try jwks() == before)
        #expect(fixture.validate(tokens.accessToken).valid)
        #expect(try await fixture.audited(.signingKeyMade) == 1)
        let names = try JSONWebKeySet(json: before.utf8).identifiers
        #expect(names.count == 1)
        #expect(names.allSatisfy { $0.utf8.count == 43 })
    }

    @Test("another master key does not decrypt the store")
    func otherMaster() async throws {
        let other = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        await #expect(throws: SessionKeyError.signingKeyDoesNotOpen) {
            try await fixture.restart(master: other)
        }
    }

    @Test("B17: the oldest refresh token keys open only with their own master key")
    func storeKey() async throws {
        func opened(_ master: SecretBytes) async throws -> [Bool] {
            let keys = try SessionKeys(
                master: master, signInProofs: fixture.proofKey, randomness: fixture.randomness)
            return try await fixture.store.read { try keys.openOldest(in: $0, limit: 8) }
        }
        #expect(try await opened(fixture.master) == [true])
        let other = SecretBytes(copying: [UInt8](repeating: 9, count: 32))
        #expect(try await opened(other) == [false])
    }

    @Test("an encrypted key moved to another row, or beside another public key, is rejected")
    func moved() async throws {
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute("UPDATE signing_key SET x = y, y = x")
        }
        await #expect(throws: (any Error).self) { try await fixture.restart() }
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute("UPDATE signing_key SET x = y, y = x, id = id + 1")
        }
        await #expect(throws: SessionKeyError.signingKeyDoesNotOpen) { try await fixture.restart() }
    }

    @Test("tokens of a passive key verify; a current one of a retired key is nobody's")
    func states() async throws {
        let tokens = try await fixture.open()
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute(
                "UPDATE signing_key SET state = 2, private_number = NULL")
        }
        try await fixture.restart()
        #expect(fixture.validate(tokens.accessToken).valid)
        #expect(try JSONWebKeySet(json: jwks().utf8).identifiers.count == 2)
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute("UPDATE signing_key SET state = 3 WHERE state = 2")
        }
        try await fixture.restart()
        #expect(!fixture.validate(tokens.accessToken).valid)
        await expectRefused(.invalidAccessToken) {
            try await fixture.service.devices.listSessions(
                .init(), fixture.context(bearing: tokens.accessToken))
        }
        await expectRefused(.invalidAccessToken) {
            try await fixture.signOut(.accessToken(tokens.accessToken))
        }
        #expect(try await !fixture.inspect(tokens.accessToken).known)
        #expect(try JSONWebKeySet(json: jwks().utf8).identifiers.count == 1)
    }

    @Test("keys of a wrong length are rejected")
    func keyLengths() {
        let short = SecretBytes(copying: [UInt8](repeating: 1, count: 31))
        #expect(throws: CryptographyError.self) {
            try SessionKeys(
                master: short, signInProofs: fixture.proofKey, randomness: fixture.randomness)
        }
        #expect(throws: CryptographyError.self) {
            try SessionKeys(
                master: fixture.master, signInProofs: short, randomness: fixture.randomness)
        }
    }
}

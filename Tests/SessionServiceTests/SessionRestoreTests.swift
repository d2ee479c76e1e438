import Contracts
import Cryptography
import Glibc
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("Erasure: a restored backup revives no ended session")
struct SessionRestoreTests {
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture()
    }

    private var epoch: UInt64 { fixture.service.background.revocations.epoch }

    private func backUp() async throws -> String {
        let path = fixture.folder.file("backup.sqlite")
        try await fixture.store.backup(to: path)
        return path
    }

    /// Replaces the store with the backup and restarts the service.
    private func restore(_ backup: String) async throws {
        fixture.store.close()
        try fixture.store.replace(by: backup)
        try await fixture.restart()
    }

    @Test("a session that ended after the backup stays ended; others must sign in again")
    func ended() async throws {
        let signedOut = try await fixture.open()
        let other = try await fixture.open(try fixture.account(43))
        let backup = try await backUp()
        _ = try await fixture.signOut(.accessToken(signedOut.accessToken))
        fixture.time.advance(by: .seconds(5))
        try await restore(backup)
        for tokens in [signedOut, other] {
            #expect(!fixture.validate(tokens.accessToken).valid)
            await expectRefused(.sessionEnded) { try await fixture.refresh(tokens.refreshToken) }
            #expect(try await !fixture.inspect(tokens.accessToken).known)
        }
        let reason = EndReason.security.rawValue
        #expect(
            try await fixture.number(
                "SELECT count(*) FROM session WHERE end_reason = ?", [.integer(reason)]) == 2)
        #expect(try await fixture.audited(.backupRestored) == 1)
        let new = try await fixture.open()
        #expect(fixture.validate(new.accessToken).valid)
        _ = try await fixture.refresh(new.refreshToken)
    }

    @Test(
        "S-01: after a restore no old signing key, revoked or not, and no issued token is valid",
        arguments: [true, false])
    func signingKeys(isRevoked: Bool) async throws {
        let known = try await fixture.open()
        let former = try published()
        let backup = try await backUp()
        fixture.time.advance(by: .seconds(3 * 3_600))
        if isRevoked {
            for key in former {
                try await fixture.service.background.signingKeys.revoke(key, by: "tool")
            }
        }
        let ended = try await fixture.refresh(known.refreshToken)
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        let unknown = try await fixture.open(try fixture.account(43))
        let lost = try published()
        try await restore(backup)
        #expect(try published().count == 1)
        #expect(Set(try published()).isDisjoint(with: former + lost))
        for token in [known, ended, unknown].map(\.accessToken) {
            #expect(!fixture.validate(token).valid)
            #expect(try await !fixture.inspect(token).known)
        }
        #expect(try await fixture.audited(.signingKeyRevoked) == former.count)
        let signer = try published()
        try await fixture.restart()
        #expect(try published() == signer, "revoked once")
    }

    /// The keys that are published to verifiers.
    private func published() throws -> [String] {
        let set = try fixture.service.sessions.getKeySet(
            GatewayV1.GetKeySetRequest(), fixture.context())
        return try JSONWebKeySet(json: set.jwks.utf8).identifiers
    }

    @Test("a restore is handled once: sessions opened after it survive restarts")
    func once() async throws {
        let before = epoch
        let backup = try await backUp()
        try await restore(backup)
        let restored = epoch
        #expect(restored != before)
        let new = try await fixture.open()
        try await fixture.restart()
        #expect(epoch == restored)
        #expect(fixture.validate(new.accessToken).valid)
        #expect(try await fixture.audited(.backupRestored) == 1)
    }

    @Test("a start without a restore keeps the epoch and every session")
    func ordinary() async throws {
        let (before, tokens) = (epoch, try await fixture.open())
        _ = try await backUp()
        try await fixture.restart()
        #expect(epoch == before && before != 0)
        #expect(fixture.validate(tokens.accessToken).valid)
    }

    @Test("S-06: a subscriber of the lost store starts over, although its position is reused")
    func follower() async throws {
        let backup = try await backUp()
        let lost = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(lost.accessToken))
        try await fixture.service.background.revocations.fill()
        let place = try await firstItem(SessionV1.WatchRevocationsRequest())
        #expect(place.position == 1)
        try await restore(backup)
        let ended = try await fixture.open()
        _ = try await fixture.signOut(.accessToken(ended.accessToken))
        try await fixture.service.background.revocations.fill()
        let next = try await firstItem(
            SessionV1.WatchRevocationsRequest(position: place.position, epoch: place.epoch))
        #expect(next.reset && next.position == 1 && next.epoch == epoch)
        #expect(next.ends.map(\.sessionId) == [ended.sessionId])
    }

    @Test("S-06: sessions that a restore ends reach a subscriber, each once")
    func endedByRestore() async throws {
        let tokens = [try await fixture.open(), try await fixture.open(try fixture.account(43))]
        let backup = try await backUp()
        try await restore(backup)
        let item = try await firstItem(SessionV1.WatchRevocationsRequest())
        #expect(Set(item.ends.map(\.sessionId)) == Set(tokens.map(\.sessionId)))
        #expect(item.ends.map(\.position) == [1, 2] && item.position == 2)
    }

    private func firstItem(
        _ request: SessionV1.WatchRevocationsRequest
    ) async throws -> SessionV1.WatchRevocationsItem {
        let items = fixture.service.ends.watchRevocations(request, fixture.context())
            .makeAsyncIterator()
        return try #require(try await items.next())
    }
}

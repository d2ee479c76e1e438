import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

/// Identity's clocks differ by minutes here: times say the opposite of what happened.
@Suite("S-02, S-06: what is from before a reset is decided by the session generation")
struct SessionGenerationTests {
    let fixture: SessionFixture
    let account: AccountID
    private let minutes: Duration = .seconds(300)

    init() async throws {
        fixture = try await SessionFixture()
        account = try fixture.account()
    }

    private var now: Timestamp { fixture.time.now() }

    @Test("a proof from before a reset opens no session, however late its clock says it is")
    func proof() async throws {
        _ = try await fixture.endAccount(account, before: now - minutes, generation: 2)
        for late in [Duration.zero, .seconds(60)] {
            let old = fixture.proof(account, provedAt: now + late, generation: 1)
            await expectRefused(.invalidSignInProof) { try await fixture.create(old) }
        }
        try await fixture.restart()
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(fixture.proof(account, generation: 1))
        }
        _ = try await fixture.create(fixture.proof(account, generation: 2))
        _ = try await fixture.create(fixture.proof(try fixture.account(43), generation: 1))
    }

    @Test("a proof from after a reset opens a session, however early its clock says it is")
    func laterProof() async throws {
        _ = try await fixture.endAccount(account, before: now + minutes, generation: 2)
        let early = fixture.proof(account, provedAt: now - .seconds(30), generation: 2)
        _ = try await fixture.create(early)
        let stale = fixture.proof(account, provedAt: now - .milliseconds(30_001), generation: 2)
        await expectRefused(.invalidSignInProof) { try await fixture.create(stale) }
    }

    @Test("a proof from before a reset reauthenticates no session")
    func reauthentication() async throws {
        let tokens = try await fixture.create(fixture.proof(account, generation: 2))
        _ = try await fixture.endAccount(account, before: now - minutes, generation: 2)
        await expectRefused(.invalidSignInProof) {
            try await fixture.reauthenticate(
                tokens.accessToken, fixture.proof(account, generation: 1))
        }
        _ = try await fixture.reauthenticate(
            tokens.accessToken, fixture.proof(account, generation: 2))
    }

    @Test("a reset ends the sessions of earlier generations, whatever their clocks say")
    func sessions() async throws {
        let old = try await fixture.create(
            fixture.proof(account, provedAt: now + .seconds(60), generation: 1))
        let new = try await fixture.create(
            fixture.proof(account, provedAt: now - .seconds(30), generation: 2))
        #expect(try await fixture.endAccount(account, before: now, generation: 2) == 1)
        #expect(!fixture.validate(old.accessToken).valid)
        #expect(fixture.validate(new.accessToken).valid)
    }

    @Test("ends that arrive out of order do not undo a later one")
    func outOfOrder() async throws {
        _ = try await fixture.endAccount(account, before: now - minutes, generation: 3)
        _ = try await fixture.endAccount(account, before: now, generation: 2)
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(fixture.proof(account, generation: 2))
        }
        _ = try await fixture.create(fixture.proof(account, generation: 3))
    }

    @Test("times are compared for proofs, sessions and ends without a generation")
    func withoutGeneration() async throws {
        let opened = try await fixture.open(account)
        fixture.time.advance(by: .seconds(10))
        #expect(try await fixture.endAccount(account, before: now, generation: 2) == 1)
        #expect(!fixture.validate(opened.accessToken).valid)
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(fixture.proof(account, provedAt: now - .milliseconds(1)))
        }
        _ = try await fixture.create(fixture.proof(account))
        fixture.time.advance(by: .seconds(10))
        #expect(
            try await fixture.endAccount(account, before: now, reason: .providerRevoked) == 1)
        await expectRefused(.invalidSignInProof) {
            try await fixture.create(
                fixture.proof(account, provedAt: now - .milliseconds(1), generation: 2))
        }
        _ = try await fixture.create(fixture.proof(account, generation: 2))
    }

    @Test("a gateway cannot remove, raise or add the generation of a proof")
    func forged() async throws {
        for (real, claimed) in [(1, 0), (1, 2), (0, 2)] as [(Int64, Int64)] {
            var proof = fixture.proof(account, generation: real)
            proof.sessionGeneration = claimed
            await expectRefused(.invalidSignInProof) { try await fixture.create(proof) }
        }
        await expectRefused(.invalidArgument) {
            try await fixture.endAccount(account, before: now, generation: -1)
        }
    }

    @Test("identity gets the generation of a session")
    func listed() async throws {
        for generation in [Int64(0), 7] {
            let tokens = try await fixture.create(fixture.proof(account, generation: generation))
            let answer = try await fixture.service.devices.listProofs(
                .init(accessToken: tokens.accessToken), fixture.context())
            #expect(answer.sessionGeneration == generation)
        }
    }

    @Test("a much later proof of a lower generation is one of a restored identity store")
    func restoredIdentity() {
        let end = AccountEnd(before: now, generation: 2)
        let bound = now + AccountEnd.clocksDifferMax
        #expect(end.covers(provedAt: bound - .milliseconds(1), generation: 1))
        #expect(!end.covers(provedAt: bound, generation: 1))
    }

    @Test("an end that an earlier version stored still refuses proofs from before it")
    func earlierStore() async throws {
        let folder = try TemporaryFolder()
        func open(_ steps: Int) throws -> Store {
            try TestStore.open(
                SessionTables.storeName, Array(SessionTables.migrations.prefix(steps)),
                in: folder.path, time: fixture.time)
        }
        let former = try open(6)
        try await former.writeUnchecked { transaction in
            _ = try transaction.execute(
                "INSERT INTO account_end (account, before_ms, reason) VALUES (42, 1000, 6)")
        }
        former.close()
        let store = try open(SessionTables.migrations.count)
        defer {
            store.close()
            withExtendedLifetime(folder) {}
        }
        let account = account
        let end = try #require(try await store.writeUnchecked { try $0.accountEnd(of: account) })
        #expect(end.covers(provedAt: Timestamp(milliseconds: 999), generation: 1))
        #expect(!end.covers(provedAt: Timestamp(milliseconds: 1_000), generation: 1))
    }
}

import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-04: a session that ends during its call changes nothing", .timeLimit(.minutes(1)))
struct SessionsEndTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private let ada = GatewayV1.ProviderToken.token("g1", email: "ada@example.org")
    private let own = GatewayV1.ProviderToken.token("stranger", by: "apple")

    /// A stranger's account with Ada's address, and its session.
    private func squat() async throws -> (account: String, session: String) {
        let account = try #require(
            try await fixture.register(password: "Stranger7Password").account
        ).accountId
        return (account, fixture.devices.open(account))
    }

    /// Links a token, and runs `meanwhile` while the token is checked.
    private func link(
        _ token: GatewayV1.ProviderToken, in session: String,
        meanwhile: @escaping @Sendable () async throws -> Void
    ) async throws {
        let tokens = InterruptedTokens(meanwhile: meanwhile)
        _ = try await IdentitiesHandler(of: fixture.service, tokens: tokens).linkProvider(
            .init(token: token, device: IdentityFixture.device), fixture.relayed(session))
    }

    @Test("X-04: an end covers every session proved before its time, except the spared one")
    func rule() throws {
        let account = try #require(AccountID(key: 1))
        func ends(
            _ provedAt: Int64, _ session: String, spared: String?, generation: Int64 = 0
        ) -> Bool {
            SessionsEnd(
                end: AccountEnd(before: Timestamp(milliseconds: 1_000), generation: 2),
                spared: spared
            ).ends(
                SessionOwner(
                    account: account, session: session,
                    provedAt: Timestamp(milliseconds: provedAt), generation: generation))
        }
        #expect(ends(999, "ses_a", spared: nil))
        #expect(!ends(1_000, "ses_a", spared: nil))
        #expect(!ends(0, "ses_a", spared: "ses_a"))
        #expect(ends(0, "ses_b", spared: "ses_a"))
        #expect(ends(0, "", spared: nil))
        // Another instance's clock is ahead, or behind.
        #expect(ends(2_000, "ses_a", spared: nil, generation: 1))
        #expect(!ends(0, "ses_a", spared: nil, generation: 2))
        #expect(!ends(2_000, "ses_a", spared: "ses_a", generation: 1))
    }

    @Test("X-04: trojan identifier: a takeover during the token check refuses the link")
    func takeoverWhileLinking() async throws {
        let stranger = try await squat()
        let (fixture, ada) = (fixture, ada)
        let error = try await refusal {
            try await link(own, in: stranger.session) { _ = try await fixture.signIn(by: ada) }
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("identities") == 1)
        let outcome = "auth/session-ended"
        #expect(try await fixture.audited("identity.linking-refused", outcome: outcome) == 1)
        let next = try await fixture.signIn(by: own)
        #expect(next.account?.accountId != stranger.account)
    }

    @Test("X-04: a session ended by a takeover changes nothing before session is notified")
    func notRelayed() async throws {
        let stranger = try await squat()
        _ = try await fixture.signIn(by: ada)
        #expect(fixture.sessions.ended.isEmpty)
        // A second proof by a device key does not make the old session any newer.
        fixture.time.advance(by: .seconds(1))
        fixture.devices.proveAgain(stranger.session, amr: ["hwk", "user"])
        for code in [
            try await refusal { try await fixture.link(own, in: stranger.session) }.code,
            try await refusal { try await fixture.unlink("google", in: stranger.session) }.code,
            try await refusal {
                try await fixture.requestChange("stranger@example.org", stranger.session)
            }.code,
        ] { #expect(code == .sessionEnded) }
        #expect(try await fixture.count("identities") == 1)
        #expect(try await fixture.count("email_changes") == 0)
    }

    @Test("X-04: a reset while the stranger's token is checked refuses the link")
    func resetWhileLinking() async throws {
        let stranger = try await squat()
        let error = try await refusal {
            try await link(own, in: stranger.session) { _ = try await fixture.resetPassword() }
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("X-04: a takeover after the session look-up refuses the removal of a method")
    func takeoverWhileRemoving() async throws {
        let stranger = try await squat()
        _ = try await fixture.link(own, in: stranger.session)
        let (fixture, ada) = (fixture, ada)
        fixture.devices.onceAsked { _ = try await fixture.signIn(by: ada) }
        let error = try await refusal {
            try await fixture.unlink("google", in: stranger.session)
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("identities") == 1)
    }

    @Test("G-12: an ended session cannot request a change of address")
    func emailChange() async throws {
        let stranger = try await squat()
        let (fixture, ada) = (fixture, ada)
        fixture.devices.onceAsked { _ = try await fixture.signIn(by: ada) }
        let error = try await refusal {
            try await fixture.requestChange("stranger@example.org", stranger.session)
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("email_changes") == 0)
    }

    @Test("G-12: an ended session cannot confirm a change; the password still can")
    func emailConfirmation() async throws {
        let account = try await fixture.registerProved().accountId
        let session = fixture.devices.open(account)
        _ = try await fixture.requestChange("new@example.org", session)
        try await fixture.relay()
        let (fixture, key) = (fixture, try #require(AccountID(text: account)))
        let outbox = fixture.outbox
        fixture.devices.onceAsked {
            try await fixture.store.writeUnchecked { transaction in
                try transaction.endSessions(of: key, provedUntil: transaction.at, outbox)
            }
        }
        let token = try fixture.changeToken()
        let code = try await fixture.refusedChange(token, access: session)
        #expect(code == .sessionEnded)
        let changed = try await fixture.confirmChange(token, password: "Correct7Horse")
        #expect(changed.email == "new@example.org")
    }

    @Test("G-07: an ended guest session cannot be upgraded")
    func endedGuest() async throws {
        let guest = try await fixture.guest()
        let account = try #require(AccountID(text: guest.account))
        let outbox = fixture.outbox
        try await fixture.store.writeUnchecked { transaction in
            try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        }
        let error = try await refusal { try await fixture.signIn(by: own, guest: guest.token) }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("G-14: the calling session stays valid after a removal, and so do sessions opened later")
    func goesOn() async throws {
        let account = try await fixture.registerProved().accountId
        let session = fixture.devices.open(account)
        let other = fixture.devices.open(account)
        _ = try await fixture.link(ada, in: session)
        _ = try await fixture.unlink("google", in: session)
        _ = try await fixture.link(own, in: session)
        let error = try await refusal { try await fixture.unlink("apple", in: other) }
        #expect(error.code == .sessionEnded)
        fixture.time.advance(by: .milliseconds(1))
        let after = fixture.devices.open(account)
        #expect(try await fixture.unlink("apple", in: after).methods == ["password"])
    }

    @Test("G-24: an end written out of order does not undo a later one")
    func late() async throws {
        let stranger = try await squat()
        let account = try #require(AccountID(text: stranger.account))
        let outbox = fixture.outbox
        try await fixture.store.writeUnchecked { transaction in
            try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
            try transaction.endSessions(
                of: account, provedUntil: transaction.at - .seconds(5), except: "ses_x", outbox)
        }
        #expect(
            try await refusal { try await fixture.link(own, in: stranger.session) }.code
                == .sessionEnded)
        #expect(try await fixture.count("accounts", where: "session_spared IS NOT NULL") == 0)
    }
}

/// `WrittenTokens` that runs a closure during each check.
private struct InterruptedTokens: ProviderTokens {
    let meanwhile: @Sendable () async throws -> Void

    func nonce(forProvider name: String) throws -> GatewayV1.IssueNonceResponse {
        try WrittenTokens().nonce(forProvider: name)
    }

    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity {
        try await meanwhile()
        return try await WrittenTokens().identity(provedBy: token)
    }
}

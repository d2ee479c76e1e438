import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("G-27: a guest signs in with a password to an existing account", .timeLimit(.minutes(1)))
struct GuestPasswordSignInTests {
    let fixture: IdentityFixture
    /// The account signed in to.
    let ada: GatewayV1.Account

    init() async throws {
        fixture = try IdentityFixture(guestData: .ask)
        ada = try await fixture.registerProved()
    }

    private func signIn(
        _ guest: String?, password: String = "Correct7Horse", key: String? = nil
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: .init(text: password),
                    device: IdentityFixture.device)), fixture.relayed(guest, key))
    }

    @Test("G-16, G-27: the answer has the guest and a choice token; the guest stays as it is")
    func collision() async throws {
        let guest = try await fixture.guestWithDocument()
        let answer = try await signIn(guest.token)
        #expect(answer.account?.accountId == ada.accountId)
        let collision = try #require(answer.collision)
        #expect(collision.guest?.accountId == guest.account && collision.guest?.isGuest == true)
        let choice = try #require(
            CollisionChoice(token: collision.choiceToken, fixture.keys, at: fixture.time.now()))
        #expect(choice.guest.text == guest.account && choice.account.text == ada.accountId)
        #expect(choice.expiresAt.milliseconds == collision.expiresAtMs)
        try await fixture.relay()
        #expect(fixture.sessions.ended.isEmpty)
    }

    @Test("X-02: the answer to a wrong password is the same with a guest's session and without")
    func wrongPassword() async throws {
        let guest = try await fixture.guest()
        var errors: [ServiceError] = []
        for token in [nil, guest.token] {
            let (hashes, audits) = (fixture.hashes, try await fixture.count("audit"))
            errors.append(try await refusal { try await signIn(token, password: "Wrong7Horse") })
            #expect(fixture.hashes == hashes + 1)
            #expect(try await fixture.count("audit") == audits + 1)
        }
        #expect(errors[0] == errors[1] && errors[0].code == .invalidCredential)
    }

    @Test("X-02: a session that cannot be used is refused before the password is compared")
    func ended() async throws {
        let guest = try await fixture.guest()
        fixture.devices.end(guest.token)
        let hashes = fixture.hashes
        for (password, key) in [
            ("Correct7Horse", nil), ("Wrong7Horse", "k"), ("Correct7Horse", "l"),
        ] {
            let error = try await refusal {
                try await signIn(guest.token, password: password, key: key)
            }
            #expect(error.code == .sessionEnded)
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("X-04: a guest's session that identity has ended gets no choice")
    func endedHere() async throws {
        let guest = try await fixture.guest()
        let account = try #require(AccountID(text: guest.account))
        let outbox = fixture.outbox
        try await fixture.store.writeUnchecked { transaction in
            try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        }
        #expect(try await refusal { try await signIn(guest.token) }.code == .sessionEnded)
    }

    @Test("G-27: the session of a full account is ignored")
    func account() async throws {
        let eve = try await fixture.registerProved("eve@example.org")
        let answer = try await signIn(fixture.devices.open(eve.accountId))
        #expect(answer.account?.accountId == ada.accountId && answer.collision == nil)
    }

    @Test("G-25: a repeat gets the first choice, also after the guest's session has ended")
    func again() async throws {
        let guest = try await fixture.guestWithDocument()
        let first = try await signIn(guest.token, key: "k")
        fixture.time.advance(by: .seconds(5))
        fixture.devices.end(guest.token)
        let second = try await signIn(guest.token, key: "k")
        #expect(first.collision != nil && second.collision == first.collision)
        #expect(second.account == first.account && second.history == first.history)
        let wrong = try await refusal {
            try await signIn(guest.token, password: "Wrong7Horse", key: "k")
        }
        #expect(wrong.code == .invalidCredential)
    }

    @Test("G-25: a key in the name of another guest, or of none, is another request")
    func otherGuest() async throws {
        let (guest, other) = (try await fixture.guest(), try await fixture.guest())
        _ = try await signIn(guest.token, key: "k")
        for token in [other.token, nil] {
            #expect(
                try await refusal { try await signIn(token, key: "k") }.code
                    == .idempotencyKeyReused)
        }
    }
}

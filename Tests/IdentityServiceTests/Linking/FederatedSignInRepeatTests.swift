import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-25: repeated provider sign-ins", .timeLimit(.minutes(1)))
struct FederatedSignInRepeatTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private let ada = GatewayV1.ProviderToken.token("g1", email: "ada@example.org", nonce: "n1")

    /// Compares two answers without their proofs, which differ by nonce and time.
    private func same(
        _ first: IdentityV1.AdmissionResponse, _ second: IdentityV1.AdmissionResponse
    ) -> Bool {
        var (first, second) = (first, second)
        first.proof = nil
        second.proof = nil
        return first == second
    }

    @Test("G-25: a repeat gets the first answer, writes nothing and may use the same nonce")
    func again() async throws {
        let first = try await fixture.signIn(by: ada, key: "k")
        fixture.time.advance(by: .seconds(5))
        let second = try await fixture.signIn(by: ada, key: "k")
        #expect(same(first, second) && second.isNewUser)
        #expect(fixture.keys.proofs.isGenuine(try #require(second.proof)))
        #expect(try await fixture.audited("sign-in.succeeded") == 1)
        let other = try await refusal { try await fixture.signIn(by: ada, key: "other") }
        #expect(other.code == .invalidNonce)
    }

    @Test("G-25: after a crash between commit and answer a restarted process gives the same answer")
    func afterCrash() async throws {
        _ = try await fixture.register("ada@example.org", password: "Stranger7Password")
        let first = try await fixture.signIn(by: ada, key: "k")
        #expect(first.removedMethods == ["password"])
        fixture.store.close()
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        let second = try await next.signIn(by: ada, key: "k")
        #expect(same(first, second))
        // The outbox effects are still delivered, once.
        try await next.relay()
        #expect(next.sessions.ended.count == 1)
        #expect(next.notifications.mails.filter { $0.template == "address-claimed" }.count == 1)
        let proof = try #require(second.proof)
        #expect(proof.provedAtMs >= (next.sessions.ended.first?.beforeMs ?? .max))
    }

    @Test("G-25: a stored sign-in has the field numbers that builds before have written")
    func stored() throws {
        let (ada, guest) = ("acc_0000000000007", "acc_0000000000008")
        // The account's id (1) and last sign-in (6).
        var bytes: [UInt8] = [0x0a, 21, 0x0a, 17]
        bytes += Array(ada.utf8)
        bytes += [0x30, 8]
        // The collision (7): its guest (1), the guest's id (1).
        bytes += [0x3a, 21, 0x0a, 19, 0x0a, 17]
        bytes += Array(guest.utf8)
        let record = try FederatedSignInRecord(bytes)
        #expect(record.account.text == ada)
        #expect(record.lastSignInAt == Timestamp(milliseconds: 8))
        #expect(record.message.collision?.guest?.accountId == guest)
        #expect(record.bytes == bytes)
    }

    @Test("G-25: a key that was used with another identity is refused")
    func otherIdentity() async throws {
        _ = try await fixture.signIn(by: ada, key: "k")
        let error = try await refusal {
            try await fixture.signIn(by: .token("g2", nonce: "n2"), key: "k")
        }
        #expect(error.code == .idempotencyKeyReused)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-25: a repeat after the identity was unlinked is refused")
    func takenAway() async throws {
        let account = try await fixture.registerProved()
        _ = try await fixture.signIn(by: ada, key: "k")
        _ = try await fixture.unlink("google", in: fixture.devices.open(account.accountId))
        let error = try await refusal { try await fixture.signIn(by: ada, key: "k") }
        #expect(error.code == .idempotencyKeyReused)
        try await fixture.change("UPDATE accounts SET status = 2")
        let guest = try await refusal { try await fixture.signIn(by: ada, key: "k") }
        #expect(guest.code == .idempotencyKeyReused)
    }

    @Test("G-25: a repeat after the account was disabled is refused")
    func stopped() async throws {
        _ = try await fixture.signIn(by: ada, key: "k")
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(
            try await refusal { try await fixture.signIn(by: ada, key: "k") }.code
                == .accountDisabled
        )
    }

    @Test("G-25: the repeat of an upgrade succeeds although the guest's session has ended")
    func upgrade() async throws {
        let guest = try await fixture.guest()
        let first = try await fixture.signIn(by: ada, guest: guest.token, key: "k")
        #expect(first.isUpgraded)
        fixture.devices.end(guest.token)
        let second = try await fixture.signIn(by: ada, guest: guest.token, key: "k")
        #expect(same(first, second))
        let without = try await refusal { try await fixture.signIn(by: ada, guest: guest.token) }
        #expect(without.code == .sessionEnded)
    }

    @Test("G-25: a key in the name of another guest, or of none, is another request")
    func otherGuest() async throws {
        let (guest, other) = (try await fixture.guest(), try await fixture.guest())
        _ = try await fixture.signIn(by: ada, guest: guest.token, key: "k")
        for token in [other.token, nil] {
            let error = try await refusal {
                try await fixture.signIn(by: ada, guest: token, key: "k")
            }
            #expect(error.code == .idempotencyKeyReused)
        }
        #expect(try await fixture.count("identities") == 1)
    }

    @Test("G-25: the repeat of a collision returns the same choice")
    func collision() async throws {
        _ = try await fixture.signIn(by: .token("g1", email: "ada@example.org"))
        let guest = try await fixture.guestWithDocument()
        let first = try await fixture.signIn(by: ada, guest: guest.token, key: "k")
        let second = try await fixture.signIn(by: ada, guest: guest.token, key: "k")
        #expect(first.collision != nil && same(first, second))
    }

    @Test("G-07: a repeat does not enter a guest's account after its sessions were ended")
    func endedGuest() async throws {
        let first = try await fixture.signInAsGuest(key: "k")
        let guest = try #require(AccountID(text: first.accountId))
        let outbox = fixture.accounts.outbox
        try await fixture.store.write(about: [.account(guest)]) {
            try $0.endSessions(of: guest, provedUntil: $0.at, outbox)
        }
        let error = try await refusal { try await fixture.signInAsGuest(key: "k") }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: a repeat returns the same guest until the guest is upgraded")
    func guest() async throws {
        let first = try await fixture.signInAsGuest(key: "k")
        #expect(try await fixture.signInAsGuest(key: "k") == first)
        _ = try await fixture.signIn(by: ada, guest: fixture.devices.open(first.accountId))
        let error = try await refusal { try await fixture.signInAsGuest(key: "k") }
        #expect(error.code == .idempotencyKeyReused)
        let other = try await fixture.signInAsGuest(key: "other")
        #expect(other.accountId != first.accountId)
    }
}

import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-04: takeover of an account by the owner of its unproved address", .timeLimit(.minutes(1)))
struct TakeoverTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private let ada = GatewayV1.ProviderToken.token("g1", email: "ada@example.org")

    /// A stranger's account with Ada's address.
    private func squat() async throws -> GatewayV1.Account {
        try #require(
            try await fixture.register("ADA@example.org", password: "Stranger7Password").account)
    }

    @Test("X-04: classic-federated merge: the stranger's password stops working")
    func password() async throws {
        let stranger = try await squat()
        let answer = try await fixture.signIn(by: ada)
        #expect(answer.account?.accountId == stranger.accountId)
        #expect(answer.removedMethods == ["password"])
        #expect(answer.isLinked && !answer.isNewUser)
        #expect(answer.account?.methods == ["google"] && answer.account?.emailVerified == true)
        let error = try await refusal {
            try await fixture.signIn(password: "Stranger7Password")
        }
        #expect(error.code == .invalidCredential)
        #expect(try await fixture.count("passwords") == 0)
    }

    @Test("X-04: unexpired session: all sessions end, and the owner's own proof stays valid")
    func sessions() async throws {
        let stranger = try await squat()
        let proof = try #require(try await fixture.signIn(by: ada).proof)
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(fixture.sessions.ended.count == 1 && end.accountId == stranger.accountId)
        #expect(end.exceptSessionId.isEmpty && end.beforeMs > fixture.time.now().milliseconds)
        #expect(proof.provedAtMs >= end.beforeMs)
        #expect(fixture.pushDevices.revoked == [stranger.accountId])
    }

    @Test("X-04: trojan identifier: the stranger's identities are removed from the account")
    func trojan() async throws {
        let stranger = try await squat()
        let session = fixture.devices.open(stranger.accountId)
        let own = GatewayV1.ProviderToken.token(
            "stranger", email: "stranger@example.org", by: "apple")
        _ = try await fixture.link(own, in: session)
        let answer = try await fixture.signIn(by: ada)
        #expect(answer.removedMethods == ["password", "apple"])
        let next = try await fixture.signIn(by: own)
        #expect(next.isNewUser && next.account?.accountId != stranger.accountId)
    }

    @Test("X-04: trojan identifier: a reset by link removes the stranger's identities")
    func trojanBeforeReset() async throws {
        let stranger = try await squat()
        let session = fixture.devices.open(stranger.accountId)
        let own = GatewayV1.ProviderToken.token("stranger", by: "apple")
        _ = try await fixture.link(own, in: session)
        let reset = try await fixture.resetPassword()
        #expect(reset.account?.methods == ["password"])
        #expect(try await fixture.signIn(by: own).account?.accountId != stranger.accountId)
        try await fixture.relay()
        #expect(fixture.templates.contains("address-claimed"))
        #expect(fixture.pushDevices.revoked == [stranger.accountId])
    }

    @Test("X-04: trojan identifier: a new password at verification removes the identities")
    func trojanBeforeConfirmation() async throws {
        let stranger = try await squat()
        let own = GatewayV1.ProviderToken.token("stranger", by: "apple")
        _ = try await fixture.link(own, in: fixture.devices.open(stranger.accountId))
        try await fixture.relay()
        let confirmed = try await fixture.accounts.confirmEmail(
            .init(
                token: try fixture.latestToken(), password: "Owner8Password",
                device: IdentityFixture.device), fixture.context())
        #expect(confirmed.forgetDevices && confirmed.account?.methods == ["password"])
        #expect(try await fixture.signIn(by: own).account?.accountId != stranger.accountId)
    }

    @Test("X-04: the stranger's export is cancelled, by a provider's sign-in and by a reset")
    func export() async throws {
        let stranger = try await squat()
        let session = fixture.devices.open(stranger.accountId)
        _ = try await fixture.prepareExport(session)
        try await fixture.resetPassword()
        #expect(try await fixture.count("exports") == 0)
        #expect(try await fixture.audited("export.cancelled") == 1)

        let other = GatewayV1.ProviderToken.token("g2", email: "eve@example.org")
        let second = try #require(
            try await fixture.register("eve@example.org", password: "Stranger7Password").account)
        try await fixture.orderExport(fixture.devices.open(second.accountId))
        #expect(try await fixture.signIn(by: other).account?.accountId == second.accountId)
        #expect(try await fixture.count("exports") == 0)
    }

    @Test("X-04: a reset of an account with a proved address keeps its identities")
    func provedKeeps() async throws {
        _ = try await fixture.registerProved()
        _ = try await fixture.signIn(by: ada)
        let reset = try await fixture.resetPassword()
        #expect(reset.account?.methods == ["password", "google"])
    }

    @Test("X-04: links that were already mailed are void: they neither confirm nor set a password")
    func links() async throws {
        _ = try await squat()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        let (verify, reset) = (
            try fixture.latestToken(), try fixture.latestToken("reset-password")
        )
        _ = try await fixture.signIn(by: ada)
        let confirmed = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: verify, password: "Stranger7Password"), fixture.context())
        }
        let set = try await refusal {
            try await fixture.credentials.resetPassword(
                .init(token: reset, password: "Stranger8Password"), fixture.context())
        }
        #expect(confirmed.code == .invalidLink && set.code == .invalidLink)
        #expect(try await fixture.count("links") == 0)
    }

    @Test("X-04: a parallel sign-in with the old password does not survive the takeover")
    func racedByPassword() async throws {
        _ = try await squat()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                // Before the takeover the password is right, after it is wrong. Both results are
                // correct.
                group.addTask { _ = try? await fixture.signIn(password: "Stranger7Password") }
            }
            group.addTask { _ = try? await fixture.signIn(by: ada) }
        }
        let error = try await refusal { try await fixture.signIn(password: "Stranger7Password") }
        #expect(error.code == .invalidCredential)
    }

    @Test("X-04: the owner is mailed what was removed, and the address gets the owner's spelling")
    func told() async throws {
        _ = try await squat()
        #expect(try await fixture.signIn(by: ada).account?.email == "ada@example.org")
        try await fixture.relay()
        // Mails are delivered in parallel, so the expected one is found by its template.
        let mail = try #require(
            fixture.notifications.mails.first { $0.template == "address-claimed" })
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.variables.first { $0.name == "methods" }?.value == "password")
        for kind in ["account.taken-over", "account.email-verified", "identity.linked"] {
            #expect(try await fixture.audited(kind) == 1, "\(kind)")
        }
    }

    @Test("X-04: an account that awaits verification is taken over and becomes active")
    func pending() async throws {
        let stranger = try await squat()
        try await fixture.change("UPDATE accounts SET status = 3")
        let account = try await fixture.account(by: ada)
        #expect(account.accountId == stranger.accountId && account.status == .active)
    }

    @Test("X-04: a takeover happens once; later identities are linked")
    func once() async throws {
        _ = try await squat()
        _ = try await fixture.signIn(by: ada)
        let second = try await fixture.signIn(
            by: .token("a1", email: "ada@example.org", by: "apple"))
        #expect(second.isLinked && second.removedMethods.isEmpty)
        #expect(second.account?.methods == ["apple", "google"])
        #expect(try await fixture.audited("account.taken-over") == 1)
    }
}

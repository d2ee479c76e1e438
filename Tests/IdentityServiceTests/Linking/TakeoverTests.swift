import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-04: takeover of an account by the owner of its unproved address", .timeLimit(.minutes(1)))
struct TakeoverTests {
    let house: IdentityFixture

    init() throws { house = try IdentityFixture() }

    private let ada = IdentityV1.ProviderToken.token("g1", email: "ada@example.org")

    /// A stranger's account with Ada's address.
    private func squat() async throws -> IdentityV1.Account {
        try #require(
            try await house.register("ADA@example.org", password: "Stranger7Password").account)
    }

    @Test("X-04: classic-federated merge: the stranger's password stops working")
    func password() async throws {
        let stranger = try await squat()
        let answer = try await house.signIn(by: ada)
        #expect(answer.account?.accountId == stranger.accountId)
        #expect(answer.removedMethods == ["password"])
        #expect(answer.isLinked && !answer.isNewUser)
        #expect(answer.account?.methods == ["google"] && answer.account?.emailVerified == true)
        let error = try await refusal {
            try await house.signIn(password: "Stranger7Password")
        }
        #expect(error.code == .invalidCredential)
        #expect(try await house.count("passwords") == 0)
    }

    @Test("X-04: unexpired session: all sessions end, and the owner's own proof stays valid")
    func sessions() async throws {
        let stranger = try await squat()
        let proof = try #require(try await house.signIn(by: ada).proof)
        try await house.relay()
        let end = try #require(house.sessions.ended.first)
        #expect(house.sessions.ended.count == 1 && end.accountId == stranger.accountId)
        #expect(end.exceptSessionId.isEmpty && end.beforeMs > house.time.now().milliseconds)
        #expect(proof.provedAtMs >= end.beforeMs)
        #expect(house.pushDevices.revoked == [stranger.accountId])
    }

    @Test("X-04: trojan identifier: the stranger's identities are removed from the account")
    func trojan() async throws {
        let stranger = try await squat()
        let session = house.devices.open(stranger.accountId)
        let own = IdentityV1.ProviderToken.token(
            "stranger", email: "stranger@example.org", by: "apple")
        _ = try await house.link(own, in: session)
        let answer = try await house.signIn(by: ada)
        #expect(answer.removedMethods == ["password", "apple"])
        let next = try await house.signIn(by: own)
        #expect(next.isNewUser && next.account?.accountId != stranger.accountId)
    }

    @Test("X-04: trojan identifier: a reset by link removes the stranger's identities")
    func trojanBeforeReset() async throws {
        let stranger = try await squat()
        let session = house.devices.open(stranger.accountId)
        let own = IdentityV1.ProviderToken.token("stranger", by: "apple")
        _ = try await house.link(own, in: session)
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "ada@example.org", origin: IdentityFixture.origin), house.context())
        try await house.relay()
        let reset = try await house.credentials.resetPassword(
            .init(
                token: try house.latestToken("reset-password"), password: "Owner8Password",
                origin: IdentityFixture.origin), house.context())
        #expect(reset.account?.methods == ["password"])
        #expect(try await house.signIn(by: own).account?.accountId != stranger.accountId)
        try await house.relay()
        #expect(house.templates.contains("address-claimed"))
        #expect(house.pushDevices.revoked == [stranger.accountId])
    }

    @Test("X-04: trojan identifier: a new password at verification removes the identities")
    func trojanBeforeConfirmation() async throws {
        let stranger = try await squat()
        let own = IdentityV1.ProviderToken.token("stranger", by: "apple")
        _ = try await house.link(own, in: house.devices.open(stranger.accountId))
        try await house.relay()
        let confirmed = try await house.accounts.confirmEmail(
            .init(
                token: try house.latestToken(), password: "Owner8Password",
                origin: IdentityFixture.origin), house.context())
        #expect(confirmed.passwordReplaced && confirmed.account?.methods == ["password"])
        #expect(try await house.signIn(by: own).account?.accountId != stranger.accountId)
    }

    @Test("X-04: a reset of an account with a proved address keeps its identities")
    func provedKeeps() async throws {
        _ = try await house.registerProved()
        _ = try await house.signIn(by: ada)
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "ada@example.org", origin: IdentityFixture.origin), house.context())
        try await house.relay()
        let reset = try await house.credentials.resetPassword(
            .init(
                token: try house.latestToken("reset-password"), password: "Owner8Password",
                origin: IdentityFixture.origin), house.context())
        #expect(reset.account?.methods == ["password", "google"])
    }

    @Test("X-04: links that were already mailed are void: they neither confirm nor set a password")
    func links() async throws {
        _ = try await squat()
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "ada@example.org", origin: IdentityFixture.origin), house.context())
        try await house.relay()
        let (verify, reset) = (
            try house.latestToken(), try house.latestToken("reset-password")
        )
        _ = try await house.signIn(by: ada)
        let confirmed = try await refusal {
            try await house.accounts.confirmEmail(
                .init(token: verify, password: "Stranger7Password"), house.context())
        }
        let set = try await refusal {
            try await house.credentials.resetPassword(
                .init(token: reset, password: "Stranger8Password"), house.context())
        }
        #expect(confirmed.code == .invalidLink && set.code == .invalidLink)
        #expect(try await house.count("links") == 0)
    }

    @Test("X-04: a parallel sign-in with the old password does not survive the takeover")
    func racedByPassword() async throws {
        _ = try await squat()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                // Before the takeover the password is right, after it is wrong. Both results are
                // correct.
                group.addTask { _ = try? await house.signIn(password: "Stranger7Password") }
            }
            group.addTask { _ = try? await house.signIn(by: ada) }
        }
        let error = try await refusal { try await house.signIn(password: "Stranger7Password") }
        #expect(error.code == .invalidCredential)
    }

    @Test("X-04: the owner is mailed what was removed, and the address gets the owner's spelling")
    func told() async throws {
        _ = try await squat()
        #expect(try await house.signIn(by: ada).account?.email == "ada@example.org")
        try await house.relay()
        // Mails are delivered in parallel, so the expected one is found by its template.
        let mail = try #require(
            house.notifications.mails.first { $0.template == "address-claimed" })
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.variables.first { $0.name == "methods" }?.value == "password")
        for kind in ["account.taken-over", "account.email-verified", "identity.linked"] {
            #expect(try await house.audited(kind) == 1, "\(kind)")
        }
    }

    @Test("X-04: an account that awaits verification is taken over and becomes active")
    func pending() async throws {
        let stranger = try await squat()
        try await house.change("UPDATE accounts SET status = 3")
        let account = try await house.account(by: ada)
        #expect(account.accountId == stranger.accountId && account.status == .active)
    }

    @Test("X-04: a takeover happens once; later identities are linked")
    func once() async throws {
        _ = try await squat()
        _ = try await house.signIn(by: ada)
        let second = try await house.signIn(
            by: .token("a1", email: "ada@example.org", by: "apple"))
        #expect(second.isLinked && second.removedMethods.isEmpty)
        #expect(second.account?.methods == ["apple", "google"])
        #expect(try await house.audited("account.taken-over") == 1)
    }
}

import Contracts
import Messages
import PersonalData
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-16, G-27: a guest signs in to an account that exists", .timeLimit(.minutes(1)))
struct CollisionTests {
    private static let email = "ada@example.org"

    /// A guest that has saved something.
    private func guest(_ fixture: ProviderFixture) async throws -> GatewayV1.SignInAsGuestResponse {
        let guest = try await fixture.guest()
        _ = try await fixture.gateway.write(
            #"{"theme":"dark"}"#,
            in: fixture.gateway.context().bearing(guest.session?.accessToken))
        return guest
    }

    private func signIn(
        _ fixture: ProviderFixture, with guest: GatewayV1.SignInAsGuestResponse
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        try await fixture.signIn(
            by: try await fixture.googleToken(of: "117", email: Self.email),
            accessToken: guest.session?.accessToken ?? "")
    }

    @Test("D4 9.4: the user is asked, and both sessions go on; the choice can be redeemed")
    func asked() async throws {
        try await ProviderFixture.with(guestData: .ask) { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            let guest = try await guest(fixture)
            let answer = try await signIn(fixture, with: guest)
            #expect(!answer.isUpgraded && answer.account?.accountId == ada.account?.accountId)
            let collision = try #require(answer.collision)
            #expect(collision.guest?.accountId == guest.account?.accountId)
            #expect(collision.guest?.isGuest == true && !collision.choiceToken.isEmpty)
            #expect(collision.expiresAtMs > gateway.time.now().milliseconds)
            #expect(collision.choice == .unspecified && collision.migration == nil)
            #expect(try await fixture.isSignedIn(guest.session))
            #expect(try await fixture.isSignedIn(answer.session))

            let context = gateway.context().bearing(answer.session?.accessToken)
            let page = try await gateway.guests.compareGuest(
                .init(choiceToken: collision.choiceToken, withJson: true), context)
            #expect(page.documents.map { $0.guest?.json } == [#"{"theme":"dark"}"#])
            #expect(page.documents.first?.account == nil && page.documents.first?.newer == .guest)
            let chosen = try await gateway.guests.chooseGuestData(
                .init(choiceToken: collision.choiceToken, choice: .merge), context)
            #expect(chosen.migration?.state == .waiting && chosen.migration?.documents == 1)
            try await gateway.inner.settle()
            let done = try await gateway.guests.getMigration(.init(), context).migration
            #expect(done?.state == .succeeded && done?.done == 1 && done?.choice == .merge)
            #expect(done?.migrationId == chosen.migration?.migrationId)
            #expect(try await gateway.read(in: context).json == #"{"theme":"dark"}"#)
            let states = try await gateway.guests.watchMigration(.init(), context).all()
            #expect(states.map { $0.migration?.state } == [.succeeded])
        }
    }

    @Test("D3 2.4: by default the guest is discarded, and the answer says so")
    func discarded() async throws {
        try await ProviderFixture.with { fixture in
            _ = try await fixture.signIn(
                by: try await fixture.googleToken(of: "117", email: Self.email))
            let answer = try await signIn(fixture, with: try await guest(fixture))
            let collision = try #require(answer.collision)
            #expect(collision.choice == .discard && collision.choiceToken.isEmpty)
            #expect(collision.migration?.state == .succeeded)
            // Without documents there is nothing to tell.
            let empty = try await fixture.guest(in: fixture.gateway.context(address: "192.0.2.9"))
            #expect(try await signIn(fixture, with: empty).collision == nil)
        }
    }

    @Test("G-27: with a password the choice is offered too, also in a repeat")
    func byPassword() async throws {
        try await ProviderFixture.with(guestData: .ask) { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.provedAccount()
            let guest = try await guest(fixture)
            let request = GatewayV1.SignInWithPasswordRequest(
                email: Self.email, password: .init(text: "Correct7Horse"),
                device: GatewayFixture.device("d1"))
            let context = gateway.context("k").bearing(guest.session?.accessToken)
            let answer = try await gateway.auth.signInWithPassword(request, context)
            #expect(answer.account?.accountId == ada.account.accountId)
            let collision = try #require(answer.collision)
            #expect(collision.guest?.accountId == guest.account?.accountId)
            #expect(collision.guest?.isGuest == true && !collision.choiceToken.isEmpty)
            #expect(try await fixture.isSignedIn(guest.session))
            gateway.time.advance(by: .seconds(1))
            _ = try await gateway.signOut(.accessToken(guest.session?.accessToken ?? ""))
            let again = try await gateway.auth.signInWithPassword(request, context)
            #expect(again.collision == collision && again.account == answer.account)
            #expect(again.session?.refreshToken == answer.session?.refreshToken)
            let error = try await refusal {
                try await gateway.auth.signInWithPassword(
                    request, gateway.context("l").bearing(guest.session?.accessToken))
            }
            #expect(error.code == .sessionEnded)
        }
    }

    @Test("G-27: with a reset of the password the choice is offered too, also in a repeat")
    func byReset() async throws {
        try await ProviderFixture.with(guestData: .ask) { fixture in
            let gateway = fixture.gateway
            let ada = try await fixture.provedAccount()
            let guest = try await guest(fixture)
            _ = try await gateway.passwords.requestPasswordReset(
                .init(email: Self.email, device: GatewayFixture.device("d1")), gateway.context())
            let request = GatewayV1.ResetPasswordRequest(
                token: try await gateway.inner.linkToken(page: "reset-password"),
                password: .init(text: "Another7Horse"), device: GatewayFixture.device("d1"))
            let context = gateway.context("k").bearing(guest.session?.accessToken)
            let answer = try await gateway.passwords.resetPassword(request, context)
            #expect(answer.account?.accountId == ada.account.accountId)
            let collision = try #require(answer.collision)
            #expect(collision.guest?.accountId == guest.account?.accountId)
            #expect(!collision.choiceToken.isEmpty)
            #expect(try await fixture.isSignedIn(guest.session))
            gateway.time.advance(by: .seconds(1))
            let again = try await gateway.passwords.resetPassword(request, context)
            #expect(again.collision == collision && again.account == answer.account)
            #expect(again.session?.refreshToken == answer.session?.refreshToken)
        }
    }
}

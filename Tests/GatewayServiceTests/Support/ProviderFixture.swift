import Contracts
import Messages
import ProviderIssuer
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService
@testable import PersonalData

/// A `GatewayFixture` with stand-ins for Google and Apple. Identity fetches their keys over HTTP.
final class ProviderFixture: Sendable {
    let google: ProviderIssuer
    let apple: ProviderIssuer
    let gateway: GatewayFixture

    private init(
        _ enumeration: IdentitySettings.EnumerationMode, rules: String?,
        guestData: GuestDataMode, consent: ConsentSettings, gate: SignInGate
    ) async throws {
        let time = ManualTime()
        google = try await ProviderIssuer(time: time)
        apple = try await ProviderIssuer(time: time)
        let settings = google.environment(for: "google").merging(
            apple.environment(for: "apple")
        ) { first, _ in first }
        gateway = try await GatewayFixture(
            providers: settings.map { "--\(Self.flag($0.key))=\($0.value)" },
            enumeration: enumeration, rules: rules, consent: consent, guestDataMode: guestData,
            gate: gate, time: time)
    }

    /// Converts "POSTERN_GOOGLE_ISSUER" to the name of a flag.
    private static func flag(_ name: String) -> String {
        name.lowercased().split(separator: "_").dropFirst().joined(separator: "-")
    }

    /// Runs `test` and closes the providers afterwards.
    static func with(
        enumeration: IdentitySettings.EnumerationMode = .friendly, rules: String? = nil,
        guestData: GuestDataMode = .discard,
        consent: ConsentSettings = ConsentSettings(), gate: SignInGate = .standard,
        _ test: (ProviderFixture) async throws -> Void
    ) async throws {
        let fixture = try await ProviderFixture(
            enumeration, rules: rules, guestData: guestData, consent: consent, gate: gate)
        var failure: (any Error)?
        do { try await test(fixture) } catch { failure = error }
        await fixture.google.close()
        await fixture.apple.close()
        if let failure { throw failure }
    }

    // MARK: Provider dialogs

    /// The token that Google's dialog returns for a new nonce of ours.
    func googleToken(
        of subject: String, email: String? = nil, isVerified: Bool = true
    ) async throws -> GatewayV1.ProviderToken {
        let nonce = try await nonce("google")
        let token = try google.token(
            .google(
                of: subject, email: email, isVerified: isVerified, nonce: nonce.providerNonce))
        return .init(provider: "google", idToken: token, nonce: nonce.nonce)
    }

    /// The token that Apple's dialog returns for a new nonce of ours.
    func appleToken(
        of subject: String, email: String? = nil, isPrivate: Bool = false, name: String = ""
    ) async throws -> GatewayV1.ProviderToken {
        let nonce = try await nonce("apple")
        let token = try apple.token(
            .apple(of: subject, email: email, isPrivate: isPrivate, nonce: nonce.providerNonce))
        return .init(
            provider: "apple", idToken: token, nonce: nonce.nonce, displayName: name)
    }

    private func nonce(_ provider: String) async throws -> GatewayV1.IssueNonceResponse {
        try await gateway.providers.issueNonce(.init(provider: provider), gateway.context())
    }

    // MARK: Calls

    func signIn(
        by token: GatewayV1.ProviderToken, device: String = "d1", accessToken: String? = nil,
        in context: CallContext? = nil
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        try await gateway.providers.signInWithProvider(
            .init(
                token: token, device: GatewayFixture.device(device)),
            (context ?? gateway.context()).bearing(accessToken))
    }

    func guest(
        in context: CallContext? = nil
    ) async throws -> GatewayV1.SignInAsGuestResponse {
        try await gateway.guests.signInAsGuest(
            .init(device: GatewayFixture.device("d1")), context ?? gateway.context())
    }

    func link(
        _ token: GatewayV1.ProviderToken, to session: GatewayV1.Session?,
        in context: CallContext? = nil
    ) async throws -> [String] {
        try await gateway.methods.linkProvider(
            .init(
                token: token,
                device: GatewayFixture.device("d1")),
            (context ?? gateway.context()).bearing(session?.accessToken)
        ).account?.methods ?? []
    }

    func unlink(
        _ method: String, from session: GatewayV1.Session?, in context: CallContext? = nil
    ) async throws -> [String] {
        try await gateway.methods.unlinkMethod(
            .init(
                method: method,
                device: GatewayFixture.device("d1")),
            (context ?? gateway.context()).bearing(session?.accessToken)
        ).account?.methods ?? []
    }

    /// Whether a session is live after all pending work has been done.
    func isSignedIn(_ session: GatewayV1.Session?) async throws -> Bool {
        try await gateway.inner.settle()
        return try await gateway.check(session?.accessToken ?? "").authenticated
    }

    /// Signs up a user and verifies the address at once.
    func provedAccount(_ email: String = "ada@example.org") async throws -> SignedIn {
        let signedUp = try await gateway.signUp(email)
        _ = try await gateway.verify(
            try await gateway.inner.linkToken(to: email),
            accessToken: signedUp.session.accessToken)
        return signedUp
    }
}

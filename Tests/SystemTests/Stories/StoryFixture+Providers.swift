import Contracts
import Messages
import ProviderIssuer
import RPC
import TestSupport

extension StoryFixture {
    /// The token that Google's dialog gives an app for a nonce.
    func googleToken(
        of subject: String, email: String? = nil, isVerified: Bool = true, for person: Person
    ) async throws -> GatewayV1.ProviderToken {
        let nonce = try await backend.providers.issueNonce(
            .init(provider: "google"), backend.context(person))
        let token = try google.token(
            .google(
                of: subject, email: email, isVerified: isVerified, nonce: nonce.providerNonce))
        return .init(provider: "google", idToken: token, nonce: nonce.nonce)
    }

    /// The token that Apple's dialog gives an app for a nonce. Apple sends a name only the first
    /// time.
    func appleToken(
        of subject: String, email: String? = nil, isPrivate: Bool = false, name: String = "",
        for person: Person
    ) async throws -> GatewayV1.ProviderToken {
        let nonce = try await backend.providers.issueNonce(
            .init(provider: "apple"), backend.context(person))
        let token = try apple.token(
            .apple(
                of: subject, email: email, isPrivate: isPrivate, nonce: nonce.providerNonce))
        return .init(
            provider: "apple", idToken: token, nonce: nonce.nonce, displayName: name)
    }

    /// Signs a person in with a provider's token.
    func signIn(
        _ person: Person, by token: GatewayV1.ProviderToken, accessToken: String? = nil,
        key: String? = nil
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        try await backend.providers.signInWithProvider(
            .init(token: token, device: person.gatewayDevice),
            backend.context(person, key: key).bearing(accessToken))
    }

    /// A guest on a person's device.
    func guest(_ person: Person) async throws -> GatewayV1.SignInAsGuestResponse {
        try await backend.guests.signInAsGuest(
            .init(device: person.gatewayDevice), backend.context(person))
    }

    /// Signs a person up with email and password.
    func signUp(
        _ person: Person, password: String = Person.password, accessToken: String? = nil,
        key: String? = nil
    ) async throws -> GatewayV1.SignUpWithPasswordResponse {
        try await backend.auth.signUpWithPassword(
            .init(
                email: person.email, password: .init(text: password), device: person.gatewayDevice,
                displayName: "Ada"), backend.context(person, key: key).bearing(accessToken))
    }

    /// Signs a person in with email and password.
    func signIn(
        _ person: Person, _ password: String = Person.password
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        try await backend.auth.signInWithPassword(
            .init(
                email: person.email, password: .init(text: password), device: person.gatewayDevice),
            backend.context(person))
    }

    /// Sets a new password through a mailed link.
    /// - Parameters:
    ///   - person: The person whose email the link is sent to.
    ///   - owner: The person whose device and client address the calls have.
    func resetPassword(
        of person: Person, to password: String, by owner: Person
    ) async throws {
        _ = try await backend.passwords.requestPasswordReset(
            .init(email: person.email), backend.context(owner))
        let token = try await linkToken(to: person.email, page: "reset-password")
        _ = try await backend.passwords.resetPassword(
            .init(token: token, password: .init(text: password), device: owner.gatewayDevice),
            backend.context(owner))
    }

    /// The state of an access token.
    func state(
        _ session: GatewayV1.Session?, of person: Person
    ) async throws -> GatewayV1.CheckAuthStateResponse {
        try await backend.auth.checkAuthState(
            .init(), backend.context(person).bearing(session?.accessToken))
    }
}

import Addresses
import Contracts
import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// An identity service that receives Google's security events, and a stand-in for Google on loopback
/// that signs them.
final class GoogleEventFixture: Sendable {
    static let subject = "117"

    let identity: IdentityFixture
    let google: ProviderIssuer
    let events: ProviderEventsHandler

    init(
        identity: IdentityFixture? = nil, google: ProviderIssuer? = nil,
        _ algorithm: SignatureAlgorithm = .rs256
    ) async throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        if let google {
            self.google = google
        } else {
            self.google = try await ProviderIssuer(time: identity.time, algorithm: algorithm)
        }
        let logger = identity.log.logger(time: identity.time)
        let providers = try Providers(
            settings: ProvidersSettings(
                providers: [
                    try ProviderFixture.provider("google", self.google, algorithms: [algorithm])
                ],
                allowsPrivate: true),
            keys: identity.keys, time: identity.time, randomness: identity.randomness,
            logger: logger)
        events = ProviderEventsHandler(
            settings: identity.settings, store: identity.store, writer: identity.writer,
            time: identity.time, logger: logger, providers: providers)
    }

    /// Runs `body` with a new fixture, and closes the fixture.
    static func with(
        _ algorithm: SignatureAlgorithm = .rs256, _ body: (GoogleEventFixture) async throws -> Void
    ) async throws {
        let fixture = try await GoogleEventFixture(algorithm)
        do {
            try await body(fixture)
        } catch {
            await fixture.google.close()
            throw error
        }
        await fixture.google.close()
    }

    /// An account with a proved address and a password, linked to Google, a minute ago.
    func linked() async throws -> AccountID {
        _ = try await identity.register("ada@example.org")
        try await identity.change("UPDATE email_addresses SET proved_at_ms = 1")
        let account = try await signIn()
        try await identity.relay()
        identity.time.advance(by: .seconds(60))
        return account
    }

    /// Signs in with Google.
    @discardableResult
    func signIn() async throws -> AccountID {
        var proved = ProvedIdentity(
            method: .provider("google"), issuer: google.issuer, subject: Self.subject)
        proved.email = ProvedIdentity.Email(
            address: try .required("ada@example.org"), isVerified: true, isRelay: false)
        let answer = try await identity.signIn(proved, on: IdentityFixture.device)
        return try #require(AccountID(text: answer.account?.accountId ?? ""))
    }

    /// A signed event. `changes` replace claims of a valid one.
    func event(
        _ type: String, of subject: String? = subject, id: String = "jti-1",
        _ changes: [(String, JSONValue)] = [], key: IssuerKey? = nil
    ) throws -> String {
        try google.event(
            IssuedClaims.googleEvent(type, of: subject, issuer: google.issuer, id: id)
                .with(changes), key: key)
    }

    /// Sends an event to the service.
    func receive(_ payload: String) async throws {
        let answer = try await events.receiveProviderNotice(
            .init(provider: "google", payload: payload), identity.relayed(nil))
        #expect(answer == GatewayV1.ReceiveProviderNoticeResponse())
    }

    /// The sign-in methods of an account.
    func methods(_ account: AccountID) async throws -> [String] {
        try await identity.store.read { try $0.account(account)?.methods.map(\.name) } ?? []
    }

    /// The number of audit events of a kind.
    func count(_ kind: AuditKind) async throws -> Int64 {
        try await identity.count("audit", where: "kind = '\(kind.rawValue)'")
    }
}

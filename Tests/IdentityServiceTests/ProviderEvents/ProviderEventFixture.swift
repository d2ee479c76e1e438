import Addresses
import Contracts
import JSON
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// An identity service that receives notices, and a stand-in for Apple on loopback that signs them.
final class ProviderEventFixture: Sendable {
    static let subject = "001234.0a1b2c.0123"
    static let relay = "x7k2@privaterelay.appleid.com"

    let identity: IdentityFixture
    let apple: ProviderIssuer
    let events: ProviderEventsHandler

    init(identity: IdentityFixture? = nil, apple: ProviderIssuer? = nil) async throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        if let apple {
            self.apple = apple
        } else {
            self.apple = try await ProviderIssuer(time: identity.time)
        }
        let providers = try Providers(
            settings: ProvidersSettings(
                providers: [try ProviderFixture.provider("apple", self.apple, isApple: true)],
                allowsPrivate: true),
            keys: identity.keys, time: identity.time, randomness: identity.randomness,
            logger: identity.log.logger(time: identity.time))
        events = ProviderEventsHandler(
            settings: identity.settings, store: identity.store, writer: identity.writer,
            time: identity.time, logger: identity.log.logger(time: identity.time),
            providers: providers)
    }

    /// Runs `body` with a new fixture, and closes the fixture.
    static func with(_ body: (ProviderEventFixture) async throws -> Void) async throws {
        let fixture = try await ProviderEventFixture()
        do {
            try await body(fixture)
        } catch {
            await fixture.apple.close()
            throw error
        }
        await fixture.apple.close()
    }

    // MARK: accounts

    /// Signs in with Apple. The first call creates an account.
    @discardableResult
    func signIn(
        _ subject: String = subject, email: String = relay, isRelay: Bool = true
    ) async throws -> AccountID {
        var proved = ProvedIdentity(
            method: .provider("apple"), issuer: apple.issuer, subject: subject)
        proved.email = ProvedIdentity.Email(
            address: try .required(email), isVerified: true, isRelay: isRelay)
        let answer = try await identity.signIn(proved, on: IdentityFixture.device)
        return try #require(AccountID(text: answer.account?.accountId ?? ""))
    }

    /// An account with a proved address and a password, linked to Apple.
    func linked() async throws -> AccountID {
        _ = try await identity.register("ada@example.org")
        try await identity.change("UPDATE email_addresses SET proved_at_ms = 1")
        return try await signIn(email: "ada@example.org", isRelay: false)
    }

    /// The sign-in methods of an account.
    func methods(_ account: AccountID) async throws -> [String] {
        try await identity.store.read { try $0.account(account)?.methods.map(\.name) } ?? []
    }

    // MARK: notices

    /// A signed notice. `changes` replace claims of a valid one.
    func notice(
        _ type: String, of subject: String = subject, id: String = "jti-1", at: Timestamp? = nil,
        _ changes: [(String, JSONValue)] = [], key: IssuerKey? = nil
    ) throws -> String {
        let events: JSONObject = [
            "type": .string(type), "sub": .string(subject),
            "event_time": .integer((at ?? identity.time.now()).milliseconds),
            "email": .string(Self.relay), "is_private_email": .string("true"),
        ]
        let claims = IssuedClaims([
            ("jti", .string(id)), ("events", .string(JSONWriter.text(events))),
        ]).with(changes)
        return try apple.token(claims, key: key)
    }

    /// Sends a notice to the service.
    func receive(_ payload: String) async throws {
        let answer = try await events.receiveProviderNotice(
            .init(provider: "apple", payload: payload), identity.relayed(nil))
        #expect(answer == GatewayV1.ReceiveProviderNoticeResponse())
    }

    /// The number of queued outbox messages of a topic.
    func waiting(_ topic: OutboxTopic) async throws -> Int64 {
        try await identity.count("outbox", where: "topic = '\(topic.rawValue)'")
    }

    /// The number of audit events of a kind.
    func count(_ kind: AuditKind) async throws -> Int64 {
        try await identity.count("audit", where: "kind = '\(kind.rawValue)'")
    }
}

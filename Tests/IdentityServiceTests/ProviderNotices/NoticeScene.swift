import Cryptography
import EmailAddresses
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// An identity service that takes on notices, and a stand-in of Apple on loopback that signs them.
final class NoticeScene: Sendable {
    static let subject = "001234.0a1b2c.0123"
    static let relay = "x7k2@privaterelay.appleid.com"

    let house: IdentityHouse
    let apple: ProviderIssuer
    let events: ProviderEvents

    init(house: IdentityHouse? = nil, apple: ProviderIssuer? = nil) async throws {
        let house = try house ?? IdentityHouse()
        self.house = house
        if let apple {
            self.apple = apple
        } else {
            self.apple = try await ProviderIssuer(time: house.time)
        }
        let providers = try Providers(
            settings: ProvidersSettings(
                providers: [try ProviderScene.provider("apple", self.apple, isApple: true)],
                allowsPrivate: true),
            keys: house.keys, time: house.time, randomness: house.randomness,
            logger: house.log.logger(time: house.time))
        events = ProviderEvents(of: house.service, providers: providers)
    }

    /// Runs `body` in a scene and takes that down.
    static func with(_ body: (NoticeScene) async throws -> Void) async throws {
        let scene = try await NoticeScene()
        do {
            try await body(scene)
        } catch {
            await scene.apple.close()
            throw error
        }
        await scene.apple.close()
    }

    // MARK: whom notices are about

    /// Signs in by Apple, which makes an account the first time.
    @discardableResult
    func signIn(
        _ subject: String = subject, email: String = relay, isRelay: Bool = true
    ) async throws -> AccountID {
        var proved = ProvedIdentity(
            method: "apple", issuer: apple.issuer, subject: subject, amr: ["fed"])
        proved.email = ProvidedEmail(
            address: try .required(email), isVerified: true, isRelay: isRelay)
        let parts = house.service.parts
        let call = try FederatedSignInCall(
            from: IdentityHouse.origin, language: "", guest: nil, call: nil, parts)
        let answer = try await FederatedSignIn(parts: parts).admit(proved, call)
        return try #require(AccountID(text: answer.account?.accountId ?? ""))
    }

    /// An account with a proved address and a password, linked to Apple.
    func linked() async throws -> AccountID {
        _ = try await house.register("ada@example.org")
        try await house.change("UPDATE email_addresses SET proved_at_ms = 1")
        return try await signIn(email: "ada@example.org", isRelay: false)
    }

    /// By what an account can be signed in to.
    func methods(_ account: AccountID) async throws -> [String] {
        try await house.store.read { try $0.account(account)?.methods } ?? []
    }

    // MARK: notices

    /// A notice of Apple's; `changes` are other claims than a good one has.
    func notice(
        _ type: String, of subject: String = subject, id: String = "jti-1", at: Timestamp? = nil,
        _ changes: [(String, JSONValue)] = [], key: IssuerKey? = nil
    ) throws -> String {
        let events: JSONObject = [
            "type": .string(type), "sub": .string(subject),
            "event_time": .integer((at ?? house.time.now()).milliseconds),
            "email": .string(Self.relay), "is_private_email": .string("true"),
        ]
        let claims = IssuedClaims([
            ("jti", .string(id)), ("events", .string(JSONWriter.text(events))),
        ]).with(changes)
        return try apple.token(claims, key: key)
    }

    /// Hands a notice in.
    func receive(_ payload: String) async throws {
        let answer = try await events.receive(
            .init(provider: "apple", payload: payload), house.context())
        #expect(answer == IdentityV1.ReceiveResponse())
    }

    /// What waits in the outbox for a topic.
    func waiting(_ topic: OutboxTopic) async throws -> Int64 {
        try await house.count("outbox", where: "topic = '\(topic.rawValue)'")
    }

    /// How often an event is in the trail.
    func count(_ kind: AuditKind) async throws -> Int64 {
        try await house.count("audit", where: "kind = '\(kind.rawValue)'")
    }
}

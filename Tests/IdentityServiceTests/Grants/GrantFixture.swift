import Contracts
import Cryptography
import HTTPSink
import JSON
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Grants over a real store and real HTTP. A stand-in for the two endpoints of Apple or Google gives
/// scripted answers, and the real outbox relay delivers the calls.
final class GrantFixture: Sendable {
    static let client = "com.example.app"
    static let subject = "001234.0a1b2c.0123"
    private static let turnsPerSecond = 5_000

    let identity: IdentityFixture
    let sink: HTTPSink
    let key: SigningKey
    let provider: BuiltInProvider
    let endpoints: GrantEndpoints
    let grants: Grants
    let delivery: GrantDelivery
    private let relay: OutboxRelay
    private let outbound: OutboundClient

    /// - Parameters:
    ///   - provider: the provider in whose place the sink is.
    ///   - hasKey: whether the operator has configured credentials there.
    ///   - redirects: the redirect URIs of web dialogs.
    ///   - timeout: the timeout of a request.
    init(
        identity: IdentityFixture? = nil, provider: BuiltInProvider = .apple, hasKey: Bool = true,
        redirects: GrantRedirects = .none, timeout: Duration = .seconds(5),
        answer: @escaping @Sendable (HTTPSink.Request) -> HTTPSink.Answer
    ) async throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        sink = try await HTTPSink(answer: answer)
        key = try SigningKey.generate()
        outbound = try OutboundClient(limits: .init(transfersMax: 64, connectionsMax: 64))
        self.provider = provider
        let logger = identity.log.logger(time: identity.time)
        let endpoint: any GrantEndpoint
        switch provider {
        case .apple:
            let url = try #require(HTTPURL(sink.url(""), allowsPlain: true))
            endpoint = AppleEndpoint(
                key: AppleKey(key: key, keyID: "KEYID12345", team: "TEAMID1234", url: url),
                redirects: redirects, client: outbound, trustFile: nil, timeout: timeout,
                time: identity.time, logger: logger)
        case .google:
            var settings = GoogleSettings()
            settings.secrets = try #require(
                GoogleSecrets("\(Self.client)=\(IssuerCodes.googleSecret)".utf8))
            settings.redirects = redirects
            settings.tokenURL = try #require(HTTPURL(sink.url("/token"), allowsPlain: true))
            settings.revokeURL = try #require(HTTPURL(sink.url("/revoke"), allowsPlain: true))
            endpoint = GoogleEndpoint(
                settings: settings, client: outbound, trustFile: nil, timeout: timeout,
                time: identity.time, logger: logger)
        }
        endpoints = hasKey ? GrantEndpoints([provider: endpoint]) : .none
        grants = Grants(writer: identity.writer)
        delivery = GrantDelivery(
            store: identity.store, writer: identity.writer, time: identity.time, logger: logger,
            endpoints: endpoints)
        let deliveries = OutboxDelivery(
            settings: identity.settings, store: identity.store, writer: identity.writer,
            time: identity.time, logger: logger, peers: identity.peers, endpoints: endpoints)
        relay = OutboxRelay(
            store: identity.store, time: identity.time, randomness: identity.randomness,
            queues: OutboxTopic.queues, deliver: { try await deliveries.deliver($0) })
    }

    func close() async {
        await sink.close()
        await outbound.close()
    }

    // MARK: state

    /// The identity that the stand-in for a provider proves, with a code.
    static func proved(
        _ code: String = "code-canary", by provider: BuiltInProvider = .apple,
        client: String = client
    ) -> ProvedIdentity {
        var proved = ProvedIdentity(
            method: provider.method, issuer: provider.issuers[0], subject: subject)
        proved.code = GrantCode(code, by: provider, client: client)
        return proved
    }

    private var lookUpKey: [UInt8] { identity.keys.lookUpKey(of: Self.proved(by: provider)) }

    /// Signs in. The first call creates an account. Each call enqueues the code's exchange.
    @discardableResult
    func signIn(
        _ code: String = "code-canary", client: String = GrantFixture.client
    ) async throws -> AccountID {
        let answer = try await identity.signIn(
            Self.proved(code, by: provider, client: client), on: IdentityFixture.device,
            grantsAt: endpoints)
        return try #require(AccountID(text: answer.account?.accountId ?? ""))
    }

    /// The stored grant of the identity.
    func grant() async throws -> StoredGrant? {
        let holder = try await identity.store.read { try $0.grantHolder(lookUpKey: self.lookUpKey) }
        return try holder.flatMap(grants.grant)
    }

    /// Removes the identity and revokes its grant, as an unlink does.
    func unlink(_ account: AccountID) async throws {
        try await identity.store.writeUnchecked { transaction in
            try self.grants.revoke(of: account, transaction)
            try transaction.execute("DELETE FROM identities")
        }
    }

    // MARK: running

    /// Runs the relay until the outbox is empty, and advances the time to the next due message.
    func settle(_ location: SourceLocation = #_sourceLocation) async throws {
        try await run(until: { try await self.identity.waiting() == 0 }, location)
    }

    /// Runs the relay until `isDone` returns true.
    func run(
        until isDone: @escaping @Sendable () async throws -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.relay.run() }
            for turn in 1...1_000_000 {
                if try await isDone() { return group.cancelAll() }
                try await self.skipWait()
                // The relay may have read the time just before it was advanced, and still sleep.
                if turn.isMultiple(of: Self.turnsPerSecond) {
                    self.identity.time.advance(by: .seconds(1))
                }
                await Task.yield()
            }
            group.cancelAll()
            Issue.record("the outbox never settles", sourceLocation: location)
        }
    }

    private func skipWait() async throws {
        let due = try await identity.store.read {
            try $0.queryOne("SELECT min(due_at_ms) FROM outbox") { try $0.optionalTimestamp(0) }
        }
        if let due = due ?? nil, due > identity.time.now() {
            identity.time.advance(by: due - identity.time.now())
        }
    }

    /// The number of audit events of a kind.
    func count(_ kind: AuditKind) async throws -> Int64 {
        try await identity.count("audit", where: "kind = '\(kind.rawValue)'")
    }

    // MARK: Apple's responses

    /// A successful response of the token endpoint.
    static func granted(
        _ token: String = "refresh-canary", subject: String = subject, client: String = client
    ) -> HTTPSink.Answer {
        let claims = JSONWriter.text(["sub": .string(subject), "aud": .string(client)])
        let body = JSONWriter.text([
            "access_token": .string("a"), "token_type": .string("Bearer"),
            "expires_in": .integer(3_600), "refresh_token": .string(token),
            "id_token": .string("e30.\(Base64URL.encode(claims.utf8)).c2ln"),
        ])
        return .answer(200, body: body)
    }

    /// An error response of either endpoint.
    static func error(_ word: String, _ status: Int = 400) -> HTTPSink.Answer {
        .answer(status, body: #"{"error":"\#(word)"}"#)
    }
}

/// Returns the answers in order, and repeats the last one.
final class AnswerScript: Sendable {
    private let answers: [HTTPSink.Answer]
    private let next = Counter()

    init(_ answers: [HTTPSink.Answer]) {
        self.answers = answers
    }

    func answer() -> HTTPSink.Answer { answers[min(next.take(), answers.count - 1)] }
}

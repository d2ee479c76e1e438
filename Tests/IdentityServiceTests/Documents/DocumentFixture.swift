import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

/// An account with a session, and the handler of its documents.
struct DocumentFixture: Sendable {
    static let audience = "https://auth.example.org"
    /// The backend that may write documents.
    static let writers = ["billing"]

    let identity: IdentityFixture
    let handler: DocumentsHandler
    /// "acc_…"
    let account: String
    /// An access token of the account.
    let token: String

    /// - Parameter isGuest: whether the account is a guest; otherwise its address is unverified.
    init(
        _ identity: IdentityFixture? = nil, rules: DocumentRules = .standard,
        settings: DocumentSettings = DocumentSettings(),
        writers: [String] = DocumentFixture.writers, isGuest: Bool = false
    ) async throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        handler = try identity.documents(
            rules: Reloadable(rules), settings, writers: writers)
        if isGuest {
            (account, token) = try await identity.guest()
        } else {
            (account, token) = try await identity.member()
        }
    }

    /// The backend's key.
    static func key(_ byte: UInt8 = 1) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    /// The context of the owner's calls, as the gateway passes them on.
    func context(_ key: String? = nil, token: String? = nil) -> CallContext {
        identity.relayed(token ?? self.token, key)
    }

    /// Writes a document of the owner.
    func write(
        _ json: String, to name: String = "main", in collection: String = "settings",
        base: Int64? = nil, merge: Bool = false, key: String? = nil
    ) async throws -> GatewayV1.WrittenDocument {
        let written = try await write(
            [.make(collection, name, json, base: base, merge: merge)], key: key)
        return try #require(written.first)
    }

    /// Writes several documents of the owner.
    func write(
        _ writes: [GatewayV1.DocumentWrite], key: String? = nil
    ) async throws -> [GatewayV1.WrittenDocument] {
        try await handler.writeDocuments(.init(writes: writes), context(key)).written
    }

    /// Reads a document of the owner.
    func read(
        _ name: String = "main", in collection: String = "settings"
    ) async throws -> GatewayV1.Document {
        let answer = try await handler.readDocument(
            .init(collection: collection, name: name), context())
        return try #require(answer.document)
    }

    /// How many written documents of owners the audit trail has, or will have when the hour is over.
    func documentsWritten() async throws -> Int64 {
        try await identity.store.read { session in
            try [("attempt", "audit"), ("documents", "document_changes")]
                .reduce(0) { sum, part in
                    let more = try session.queryOne(
                        "SELECT CAST(sum(\(part.0)) AS BIGINT) FROM \(part.1) WHERE kind = ?",
                        [.text("document.written")]
                    ) { try $0.optionalInteger(0) }
                    return sum + ((more ?? nil) ?? 0)
                }
        }
    }

    /// Removes a document of the owner.
    func remove(
        _ name: String = "main", in collection: String = "settings", base: Int64? = nil,
        key: String? = nil
    ) async throws -> Bool {
        try await handler.removeDocument(
            .init(
                collection: collection, name: name, base: base.map { .baseVersion($0) }),
            context(key)
        ).removed
    }

    /// Lists documents of the owner.
    func list(
        _ collection: String = "", withJSON: Bool = true, page: String = ""
    ) async throws -> GatewayV1.ListDocumentsResponse {
        try await handler.listDocuments(
            .init(collection: collection, withJson: withJSON, pageToken: page), context())
    }

    /// Follows the owner's documents.
    func watch(
        after position: Int64? = nil, _ collection: String = "", token: String? = nil
    ) -> IncomingItems<GatewayV1.WatchDocumentsItem>.AsyncIterator {
        handler.watchDocuments(
            .init(collection: collection, after: position.map { .afterPosition($0) }),
            context(token: token)
        ).makeAsyncIterator()
    }
}

extension IdentityFixture {
    /// A handler that knows the key of the backend `billing`.
    func documents(
        rules: Reloadable<DocumentRules>, _ settings: DocumentSettings = DocumentSettings(),
        writers: [String] = DocumentFixture.writers
    ) throws -> DocumentsHandler {
        DocumentsHandler(
            settings: settings, newcomers: self.settings.newcomers, consent: ConsentSettings(),
            store: store, writer: writer, time: time,
            calls: AccountCalls(
                keys: keys, sessions: sessions,
                backends: BackendCalls(
                    rules: [.documents(writers: writers)], audiences: [DocumentFixture.audience],
                    applications: Reloadable(
                        Applications(
                            name: "billing", keyID: "k1", key: try DocumentFixture.key(),
                            mayAssertClientAddress: false)),
                    time: time),
                time: time),
            rules: rules, watchers: AccountWatchers(), answers: answers)
    }
}

extension GatewayV1.DocumentWrite {
    static func make(
        _ collection: String, _ name: String, _ json: String, base: Int64? = nil,
        merge: Bool = false
    ) -> Self {
        .init(
            collection: collection, name: name, json: json, merge: merge,
            base: base.map { .baseVersion($0) })
    }
}

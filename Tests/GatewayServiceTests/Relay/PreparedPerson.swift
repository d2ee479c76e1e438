import Contracts
import Messages
import PublicCalls
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService

/// Somebody with an account, for whom everything exists that a request of a relayed method can
/// name. A link that was mailed is a placeholder: it is a proof of its own.
struct PreparedPerson: PlaceholderCaller {
    let number: Int
    let device: CallDevice
    let signedIn: SignedIn
    /// The idempotency key of its calls.
    let key: String
    /// Whose tokens its requests have.
    private let tokens: SignedIn
    private let fixture: ProviderFixture
    private let known = Known()

    private final class Known: Sendable {
        let things = Mutex<[String]>([])
    }

    /// - Parameters:
    ///   - number: another for each person of a fixture.
    ///   - key: the idempotency key of its calls; one of its own by default.
    ///   - liar: whose tokens its requests have: somebody who knows its ids and has no token of it.
    init(
        _ number: Int, _ fixture: ProviderFixture, key: String? = nil,
        by liar: PreparedPerson? = nil
    ) async throws {
        let name = Self.name(number)
        self.number = number
        self.fixture = fixture
        self.key = key ?? name
        device = try CallDevice(name)
        let signedUp = try await fixture.gateway.signUp(
            Self.mailbox(number), device: device.message.deviceId,
            in: fixture.gateway.context(address: Self.address(number)))
        signedIn = signedUp
        tokens = liar?.signedIn ?? signedUp
    }

    private static func mailbox(_ number: Int) -> String { "\(name(number))@example.org" }

    /// Each has another one: sign-ups are limited by address.
    private static func address(_ number: Int) -> String {
        "198.18.\(number / 250).\(number % 250 + 1)"
    }

    private var gateway: GatewayFixture { fixture.gateway }
    /// The context of a call outside a session that prepares something.
    private var outside: CallContext { gateway.context(address: Self.address(number)) }
    /// The same in its session.
    private var inside: CallContext { outside.bearing(signedIn.session.accessToken) }

    // MARK: Requests

    /// Instead of those of `PublicCalls`, which have megabytes: debug builds take seconds for each.
    private static let uploads: [MethodDescription: [any ProtobufMessage]] = [
        ProfileDescription.uploadPhoto: [
            GatewayV1.UploadPhotoRequest(part: .bytes(UInt32(jpeg.count))),
            GatewayV1.UploadPhotoRequest(part: .data(jpeg)),
        ],
        GuestsDescription.uploadGuestBundle: Bound.bundle(Bound.documents(1, bytes: 100)),
    ]
    private static let jpeg = TestPhoto.jpeg()

    /// Prepares what must exist, and makes the messages of a call.
    func messages(of call: PublicCall) async throws -> [[UInt8]] {
        let messages =
            if let upload = Self.uploads[call.method] {
                upload
            } else {
                try await call.messages(self, 0)
            }
        return messages.map { $0.encoded() }
    }

    /// The context of a call, as the gateway makes it of what an honest caller sends, with no
    /// address.
    func context(of call: PublicCall, key: String? = nil) -> CallContext {
        let isOutside = [.stranger, .writer, .support].contains(call.caller)
        return gateway.context(key, address: nil)
            .bearing(isOutside ? nil : signedIn.session.accessToken)
    }

    /// All rows of its account.
    func rows() async throws -> [String: [[SQLValue]]] {
        try await gateway.inner.rows(of: signedIn.account.accountId)
    }

    /// Its ids, and the ids and sealed tokens that its requests can name.
    var things: [String] {
        [signedIn.account.accountId, signedIn.session.sessionId]
            + known.things.withLock { $0 }
    }

    /// Records something that its requests can name.
    private func thing(_ text: String?) throws -> String {
        let found = try #require(text)
        known.things.withLock { $0.append(found) }
        return found
    }

    // MARK: What exists

    func account(_ kind: CallerKind) async throws -> CallSession {
        CallSession(
            accountID: signedIn.account.accountId, sessionID: signedIn.session.sessionId,
            accessToken: tokens.session.accessToken, refreshToken: tokens.session.refreshToken)
    }

    func otherSessions(_ count: Int) async throws -> [String] {
        var sessions: [String] = []
        for index in 0..<count {
            let other = try await gateway.signIn(
                Self.mailbox(number), device: "\(name)-\(index)", in: outside)
            sessions.append(try thing(other.session.sessionId))
        }
        return sessions
    }

    /// An export can be fetched without its link.
    func link(_ page: LinkPage) async throws -> String {
        page == .yourData ? "" : page.rawValue
    }

    func links(_ method: String) async throws {
        guard method == "google" else { return }
        _ = try await fixture.link(
            try await fixture.googleToken(of: name), to: signedIn.session, in: outside)
    }

    /// The documents have its name, and are short.
    func holds(_ documents: [GatewayV1.DocumentWrite], as kind: CallerKind) async throws {
        try await write(documents, inside)
    }

    private func write(
        _ documents: [GatewayV1.DocumentWrite], _ context: CallContext
    ) async throws {
        let writes = documents.map {
            GatewayV1.DocumentWrite(
                collection: $0.collection, name: $0.name, json: #"{"y":1,"of":"\#(name)"}"#)
        }
        let most = DocumentWrites.countMax
        for start in stride(from: 0, to: writes.count, by: most) {
            let batch = Array(writes[start..<min(start + most, writes.count)])
            _ = try await gateway.documents.writeDocuments(.init(writes: batch), context)
        }
    }

    /// All documents are on the first page.
    func secondPage() async throws -> String { "" }

    func photo() async throws -> String {
        let items = try await gateway.upload(TestPhoto.jpeg(seed: UInt64(number)), in: inside)
        return try thing(items.last?.photo?.name)
    }

    func changesEmail() async throws {
        _ = try await gateway.emails.requestEmailChange(
            .init(newEmail: "new-\(Self.mailbox(number))", device: own), inside)
    }

    func export() async throws -> String {
        let ordered = try await gateway.dataExports.requestDataExport(.init(), inside)
        _ = try await gateway.inner.identity.exports.work.prepareDue()
        return try thing(ordered.dataExport?.exportId)
    }

    func confirmation(link: String) async throws -> String {
        guard link.isEmpty else { return "confirmation" }
        return try thing(
            try await gateway.accountDeletion.previewDeletion(.init(), inside).confirmationToken)
    }

    func waitsForDeletion() async throws {
        _ = try await gateway.accountDeletion.requestDeletion(
            .init(confirmationToken: try await confirmation(link: ""), wait: true), inside)
    }

    func collision(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        let guest = outside.bearing(try await fixture.guest(in: outside).session?.accessToken)
        for context in [guest, inside] { try await write(documents, context) }
        let answer = try await gateway.auth.signInWithPassword(
            .init(
                email: Self.mailbox(number), password: .init(text: "Correct7Horse"), device: own),
            guest)
        return try thing(answer.collision?.choiceToken)
    }

    func migration(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        let items = try await gateway.upload([.goals], in: inside)
        return try thing(items.last?.migration?.migrationId)
    }

    /// A liar has what the backend has signed for the liar's own account.
    func signed(
        _ method: String, _ parts: [String], _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        let changes = method.hasPrefix("Write") || method.hasPrefix("Remove")
        var call = try gateway.inner.backend.call(
            on: tokens.account.accountId, method, parts, idempotencyKey: changes ? key : nil,
            at: gateway.time.now(), as: Bound.actor)
        call.accountId = signedIn.account.accountId
        return call
    }
}

extension InnerServices {
    /// All rows of an account in the stores of identity and session, by table.
    fileprivate func rows(of account: String) async throws -> [String: [[SQLValue]]] {
        let key = try #require(AccountID(text: account)).key
        var all: [String: [[SQLValue]]] = [:]
        for (name, store) in [("identity", identityStore), ("session", sessionStore)] {
            let found = try await store.read { session -> [(table: String, rows: [[SQLValue]])] in
                let tables = try session.query(
                    """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND EXISTS (
                        SELECT 1 FROM pragma_table_info(sqlite_master.name) AS columns
                        WHERE columns.name = 'account')
                    """
                ) { try $0.text(0) }
                return try tables.map { table in
                    let rows = try session.query(
                        "SELECT * FROM \(table) WHERE account = ?", [.integer(key)]
                    ) { $0.values }
                    return (table: table, rows: rows)
                }
            }
            for (table, rows) in found { all["\(name).\(table)"] = rows }
        }
        return all
    }
}

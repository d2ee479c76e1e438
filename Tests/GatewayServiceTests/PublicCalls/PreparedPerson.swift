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
@testable import IdentityAssembly
@testable import PersonalData

/// Somebody with an account, for whom everything exists that a request can name, of a method that
/// is relayed or remembers repeats. What is prepared is prepared once, so a request can be made
/// again with a renewed access token. `PreparedPerson+Proofs.swift` has links and codes.
struct PreparedPerson: PlaceholderCaller {
    let number: Int
    let device: CallDevice
    let signedIn: SignedIn
    /// The idempotency key of its calls.
    private(set) var key: String
    /// Whose tokens its requests have; nil for its own.
    private let liar: SignedIn?
    /// Whether it reads what is sent to it. For others a link that was mailed is a placeholder: it
    /// is a proof of its own.
    let readsMessages: Bool
    let fixture: ProviderFixture
    private let known = Known()

    private final class Known: Sendable {
        let things = Mutex<[String]>([])
        /// What was prepared, by name.
        let prepared = Mutex<[String: any Sendable]>([:])
        /// The access token after a refresh or a proof.
        let accessToken = Mutex<String?>(nil)
    }

    /// Somebody who calls the owners of relayed methods.
    /// - Parameters:
    ///   - number: another for each person of a fixture.
    ///   - key: the idempotency key of its calls; one of its own by default.
    ///   - liar: whose tokens its requests have: somebody who knows its ids and has no token of it.
    init(
        _ number: Int, _ fixture: ProviderFixture, key: String? = nil,
        by liar: PreparedPerson? = nil
    ) async throws {
        try await self.init(number, fixture, key, liar?.signedIn, as: nil)
    }

    /// Somebody who makes this call at the gateway, in a session that is bound to its device. For a
    /// fixture as `ProviderFixture.withPeople` makes it.
    init(
        _ number: Int, _ fixture: ProviderFixture, calling call: PublicCall, key: String? = nil
    ) async throws {
        try await self.init(number, fixture, key, nil, as: call.caller)
        // What ends all sessions ends those that were proved in the same millisecond, too.
        fixture.gateway.time.advance(by: .seconds(1))
    }

    private init(
        _ number: Int, _ fixture: ProviderFixture, _ key: String?, _ liar: SignedIn?,
        as kind: CallerKind?
    ) async throws {
        let name = Self.name(number)
        self.number = number
        self.fixture = fixture
        self.key = key ?? name
        self.liar = liar
        readsMessages = kind != nil
        let device = try CallDevice(name, time: fixture.gateway.time)
        self.device = device
        let answer = try await fixture.gateway.auth.signUpWithPassword(
            .init(
                email: Bound.email(name), password: Bound.secret(Bound.password),
                device: kind == nil
                    ? GatewayFixture.device(device.message.deviceId) : device.message,
                displayName: "Ada",
                acceptance: kind.map { Bound.acceptance(isChild: $0 == .child) }),
            fixture.gateway.context(address: Self.address(number)))
        signedIn = SignedIn(
            account: try #require(answer.account), session: try #require(answer.session))
    }

    /// The same person, whose calls have another idempotency key.
    func with(key: String) -> PreparedPerson {
        var person = self
        person.key = key
        return person
    }

    /// Each has another one: sign-ups are limited by address.
    private static func address(_ number: Int) -> String {
        "198.18.\(number / 250).\(number % 250 + 1)"
    }

    var gateway: GatewayFixture { fixture.gateway }
    /// The context of a call outside a session that prepares something.
    var outside: CallContext { gateway.context(address: Self.address(number)) }
    /// The same in its session.
    var inside: CallContext { outside.bearing(accessToken) }

    private var accessToken: String {
        known.accessToken.withLock { $0 } ?? signedIn.session.accessToken
    }

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

    /// The context of a call at its owner, as the gateway makes it of what an honest caller sends,
    /// with no address.
    func context(of call: PublicCall, key: String? = nil) -> CallContext {
        context(of: call, key: key, address: nil)
    }

    /// The context of a call at the gateway.
    func contextAtGateway(of call: PublicCall) -> CallContext {
        context(of: call, key: key, address: Self.address(number))
    }

    private func context(of call: PublicCall, key: String?, address: String?) -> CallContext {
        gateway.context(key, address: address)
            .bearing(Self.isInSession(call) ? accessToken : nil)
    }

    private static func isInSession(_ call: PublicCall) -> Bool {
        ![.stranger, .writer, .support].contains(call.caller)
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
    func thing(_ text: String?) throws -> String {
        let found = try #require(text)
        known.things.withLock { $0.append(found) }
        return found
    }

    // MARK: Later calls

    /// Before a late repeat: refreshes the session that the call is made in, since its access token
    /// has expired, unless the method takes one of any age.
    func refreshes(for call: PublicCall) async throws {
        guard Self.isInSession(call), call.method.session != .anyAge else { return }
        let token = signedIn.session.refreshToken
        let answer = try await gateway.auth.refreshSession(
            .init(refreshToken: token, device: own, deviceProof: try device.proof(token)), outside)
        let session = try #require(answer.session)
        known.accessToken.withLock { $0 = session.accessToken }
    }

    /// Authenticates once more (G-13): with the code of its app if it has one, or the password.
    func reauthenticates() async throws {
        let hasApp = try await !gateway.secondFactors.listSecondFactors(.init(), inside)
            .factors.isEmpty
        let code = hasApp ? try await enrollment().code(at: gateway.time.now()) : ""
        let answer = try await gateway.accountSessions.reauthenticate(
            .init(
                device: own,
                proof: hasApp
                    ? .totpCode(Bound.secret(code)) : .password(Bound.secret(Bound.password))),
            inside)
        stepsUp(answer.accessToken)
    }

    /// Has stepped up in its session.
    func stepsUp(_ accessToken: String) {
        known.accessToken.withLock { $0 = accessToken }
    }

    /// Looks at its app again, which shows another code now.
    func looksAtItsApp() {
        known.prepared.withLock { $0["app code"] = nil }
    }

    // MARK: What exists

    /// Whether something of a name was prepared.
    func isPrepared(_ name: String) -> Bool { known.prepared.withLock { $0[name] != nil } }

    /// What `prepare` prepares, once for each name.
    func once<Value: Sendable>(
        _ name: String, _ prepare: () async throws -> Value
    ) async throws -> Value {
        if let prepared = known.prepared.withLock({ $0[name] }) {
            guard let value = prepared as? Value else {
                preconditionFailure("two things are named \(name)")
            }
            return value
        }
        let value = try await prepare()
        known.prepared.withLock { $0[name] = value }
        return value
    }

    func account(_ kind: CallerKind) async throws -> CallSession {
        CallSession(
            accountID: signedIn.account.accountId, sessionID: signedIn.session.sessionId,
            accessToken: liar?.session.accessToken ?? accessToken,
            refreshToken: (liar ?? signedIn).session.refreshToken)
    }

    func otherSessions(_ count: Int) async throws -> [String] {
        try await once("\(count) sessions") {
            var sessions: [String] = []
            for index in 0..<count {
                let other = try await gateway.signIn(
                    email, password: Bound.password, device: "\(name)-\(index)", in: outside)
                sessions.append(try thing(other.session.sessionId))
            }
            return sessions
        }
    }

    /// The documents have its name, and are short.
    func holds(_ documents: [GatewayV1.DocumentWrite], as kind: CallerKind) async throws {
        try await once("\(documents.count) documents") { try await write(documents, inside) }
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
        try await once("photo") {
            let items = try await gateway.upload(TestPhoto.jpeg(seed: UInt64(number)), in: inside)
            return try thing(items.last?.photo?.name)
        }
    }

    /// Not one of its `things`: to remove what one has not succeeds.
    func pushDevice() async throws -> String {
        try await once("push device") {
            let answer = try await gateway.pushRegistrations.registerPushDevice(
                .init(platform: .fcm, token: "of-\(name)"), inside)
            return try #require(answer.pushDevice).pushDeviceId
        }
    }

    /// The address that it changes to.
    var changedEmail: String { "changed-\(name)@example.org" }

    func changesEmail() async throws {
        try await once("change") {
            _ = try await gateway.emails.requestEmailChange(
                .init(newEmail: changedEmail, device: own), inside)
        }
    }

    func export() async throws -> String {
        try await once("export") {
            let ordered = try await gateway.dataExports.requestDataExport(.init(), inside)
            _ = try await gateway.inner.identity.data.exports.work.prepareDue()
            return try thing(ordered.dataExport?.exportId)
        }
    }

    func confirmation(link: String) async throws -> String {
        guard link.isEmpty else { return "confirmation" }
        return try thing(
            try await gateway.accountDeletion.previewDeletion(.init(), inside).confirmationToken)
    }

    func waitsForDeletion() async throws {
        try await once("deletion") {
            _ = try await gateway.accountDeletion.requestDeletion(
                .init(confirmationToken: try await confirmation(link: ""), wait: true), inside)
        }
    }

    func collision(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        try await once("collision") {
            let guest = outside.bearing(try await fixture.guest(in: outside).session?.accessToken)
            for context in [guest, inside] { try await write(documents, context) }
            let answer = try await gateway.auth.signInWithPassword(
                .init(email: email, password: Bound.secret(Bound.password), device: own), guest)
            return try thing(answer.collision?.choiceToken)
        }
    }

    func migration(_ documents: [GatewayV1.DocumentWrite]) async throws -> String {
        try await once("migration") {
            let items = try await gateway.upload([.goals], in: inside)
            return try thing(items.last?.migration?.migrationId)
        }
    }

    /// A liar has what the backend has signed for the liar's own account.
    func signed(
        _ request: SignedRequest, _ number: Int
    ) async throws -> GatewayV1.BackendCall {
        var call = try gateway.inner.backend.call(
            on: request.hasAccount ? (liar ?? signedIn).account.accountId : "",
            request.method, request.label,
            request.parts, idempotencyKey: request.method.isIdempotent ? nil : key,
            at: gateway.time.now(), as: Bound.actor)
        call.accountId = request.hasAccount ? signedIn.account.accountId : ""
        return call
    }
}

extension InnerServices {
    /// All rows of an account in the stores of identity and session, by table.
    fileprivate func rows(of account: String) async throws -> [String: [[SQLValue]]] {
        let key = try #require(AccountID(text: account)).key
        var all: [String: [[SQLValue]]] = [:]
        for (name, store) in [("identity", identityStore), ("session", sessionStore)] {
            let tables = try await store.tables(with: "account")
            let found = try await store.read { session -> [(table: String, rows: [[SQLValue]])] in
                try tables.map { table in
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

import Contracts
import PublicCalls
import RPC
import ServiceRuntime
import SessionService
import Storage
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService
@testable import Messages
@testable import PersonalData

/// The lies of `LyingGatewayTests` in valid requests: those of `PublicCalls`, so that a new method
/// is among them. Each call is made by new people, and straight at its owner.
@Suite(
    "A client with the gateway's key that lies in a request of each relayed method",
    .timeLimit(.minutes(5)))
struct LyingRequestTests {
    private static let calls = PublicCalls.all.filter { $0.method.owner != nil }

    /// What is refused although nobody lies: the token of a mailed link is a placeholder.
    private static let byLink: [String: ErrorCode] = [
        "AccountDeletion/PreviewDeletion, by link": .invalidLink,
        "AccountDeletion/RequestDeletion, by link": .invalidConfirmation,
        "AccountDeletion/CancelDeletion, by link": .invalidLink,
        "Consents/AnswerParentalConsent": .invalidLink,
        "SecondFactors/KeepSecondFactors": .invalidLink,
    ]

    /// Calls of which no changed field makes another request, and why.
    private static let unchangeable = [
        "AccountDeletion/CancelDeletion, in a session": "it has no field",
        "AccountDeletion/CreateDeletionLink": "it has no field",
        "DataExports/CreateExportLink": "it has no field",
        "AccountSessions/EndOtherSessions": "it has no field",
        "Auth/SignOut, by refresh token": "a repeat may have another token and proof",
        "Emails/CancelEmailChange": "it has the device only, which has no effect",
        "SecondFactors/RegenerateRecoveryCodes": "it has the device only, which has no effect",
        "BackendDocuments/WriteAccountDocuments, largest": "the backend has signed all of it",
        "BackendDocuments/WriteAccountDocuments, most, merges": "the backend has signed all of it",
        "BackendDocuments/RemoveAccountDocument": "the backend has signed all of it",
        "BackendPush/SendPushMessage": "the backend has signed all of it",
        "BackendAccounts/DeleteManagedAccount": "the backend has signed all of it",
        "BackendAccounts/SetAccountClaims, roles": "the backend has signed all of it",
        "BackendAccounts/SetAccountClaims, claims": "the backend has signed all of it",
        "BackendAccounts/IssueLink": "the backend has signed all of it",
    ]

    /// Calls that are answered in the app alone in which they began.
    private static let ofApp: Set = ["Passkeys/BeginPasskeyProof, challenge"]

    /// The code of the answer to an honest call; nil for a success. `account-admins` is empty.
    private static func honest(_ call: PublicCall) -> ErrorCode? {
        AdminDescription.service.methods.contains(call.method)
            ? ErrorCode.permissionDenied : byLink[call.name]
    }

    private static func withFixture(
        _ test: (ProviderFixture) async throws -> Void
    ) async throws {
        try await ProviderFixture.with(
            rules: CallStage.rules, guestData: .ask,
            consent: ConsentSettings(
                versions: ConsentVersions(terms: Bound.terms, privacy: Bound.privacy)), test)
    }

    /// The owner's answer: the code of an error, or nil and the messages.
    private static func answer(
        _ fixture: ProviderFixture, _ call: PublicCall, _ messages: [[UInt8]],
        _ context: CallContext
    ) async throws -> (code: ErrorCode?, messages: [[UInt8]]) {
        let inner = fixture.gateway.inner
        let owners = InProcessChannel(
            inner.identity.methods + inner.sessionService.methods, as: CallContext.gateway)
        do {
            return (
                nil, try await LiveCallers.send(call.method, messages, by: owners, context)
            )
        } catch let error as ServiceError {
            return (error.code, [])
        }
    }

    /// Whether one of the texts is in one of the messages.
    private static func has(_ texts: [String], in messages: [[UInt8]]) -> Bool {
        messages.contains { message in
            texts.contains { message.firstRange(of: Array($0.utf8)) != nil }
        }
    }

    @Test("each relayed method has a request, and each exception is about one of them")
    func complete() {
        let methods = ServiceDescription.ofGateway.flatMap(\.methods).filter { $0.owner != nil }
        #expect(methods.count >= 66)
        #expect(Set(methods).subtracting(Self.calls.map(\.method)).map(\.name).sorted() == [])
        let exceptions = Array(Self.byLink.keys) + Self.unchangeable.keys + Self.ofApp
        #expect(Set(exceptions).subtracting(Self.calls.map(\.name)).sorted() == [])
    }

    /// Attack: the ids and sealed tokens of people pass through the gateway. It sends those of one
    /// person with the tokens of another, and names the account in metadata of its own.
    @Test("by one person's token it neither changes nor reads nor names what is another's")
    func anothersThings() async throws {
        try await Self.withFixture { fixture in
            var gained: [String] = []
            for (number, call) in Self.calls.enumerated() {
                let ada = try await PreparedPerson(2 * number, fixture)
                let eve = try await PreparedPerson(2 * number + 1, fixture, by: ada)
                let request = try await eve.messages(of: call)
                let before = try await eve.rows()
                var context = fixture.gateway.context(eve.key)
                    .bearing(ada.signedIn.session.accessToken)
                context.metadata["account"] = eve.signedIn.account.accountId
                let answer = try await Self.answer(fixture, call, request, context)
                let after = try await eve.rows()
                let changed = after.keys.filter { after[$0] != before[$0] }.sorted()
                if !changed.isEmpty { gained.append("\(call.name) changes \(changed)") }
                if Self.has(eve.things + [eve.name], in: answer.messages) {
                    gained.append("\(call.name) shows what is another's")
                }
                if answer.code == nil, Self.has(eve.things, in: request) {
                    gained.append("\(call.name) accepts what is another's")
                }
            }
            // What it achieves, each with its reason: nothing.
            #expect(gained == [])
        }
    }

    /// Attack: the gateway sends a person's call once more under its key, with other content.
    @Test("G-25: a changed request under the same key is another request, or has no effect")
    func changedFields() async throws {
        try await Self.withFixture { fixture in
            for (number, call) in Self.calls.enumerated()
            where call.method.remembersRepeats && Self.honest(call) == nil {
                let ada = try await PreparedPerson(number, fixture)
                let request = try await ada.messages(of: call)
                let context = ada.context(of: call, key: ada.key)
                let first = try await Self.answer(fixture, call, request, context)
                #expect(first.code == nil, "\(call.name)")
                let done = try await ada.rows()
                var isAnother = false
                for change in try Self.changes(of: request, call.method).prefix(Self.changesMax) {
                    let code = try await Self.answer(fixture, call, change.messages, context).code
                    let isUnchanged = try await ada.rows() == done
                    #expect(isUnchanged, "\(call.name): \(change.field), \(code as Any)")
                    isAnother = isAnother || code == .idempotencyKeyReused
                }
                #expect(isAnother == (Self.unchangeable[call.name] == nil), "\(call.name)")
            }
        }
    }

    /// Changes of one request. Some requests have 50 documents, which are alike.
    private static let changesMax = 8

    /// The messages of a call with one of their fields changed each.
    private static func changes(
        of messages: [[UInt8]], _ method: MethodDescription
    ) throws -> [(field: String, messages: [[UInt8]])] {
        let service = try #require(
            ServiceDescription.ofGateway.first { $0.methods.contains(method) })
        let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
        let known: SchemaMethod = try #require(schema.method(named: method.name))
        return try messages.indices.flatMap { index -> [(field: String, messages: [[UInt8]])] in
            try known.input.type.changes(messages[index][...], in: schema).map { change in
                var changed = messages
                changed[index] = change.bytes
                return (field: change.field, messages: changed)
            }
        }
    }

    /// Attack: the gateway uses the key of one person's call for another's, who would get the first
    /// one's answer. A method that remembers no repeats does not look at the key.
    @Test("G-25: one key in two accounts is two requests, and each acts on its own account")
    func sameKey() async throws {
        try await Self.withFixture { fixture in
            for (number, call) in Self.calls.enumerated() {
                let ada = try await PreparedPerson(2 * number, fixture)
                let eve = try await PreparedPerson(2 * number + 1, fixture, key: ada.key)
                let own = try await ada.messages(of: call)
                let others = try await eve.messages(of: call)
                let before = try await ada.rows()
                let first = try await Self.answer(
                    fixture, call, own, ada.context(of: call, key: ada.key))
                #expect(first.code == Self.honest(call), "\(call.name)")
                let done = try await ada.rows()
                let second = try await Self.answer(
                    fixture, call, others, eve.context(of: call, key: ada.key))
                let isUnchanged = try await ada.rows() == done
                #expect(isUnchanged, "\(call.name)")
                #expect(!Self.has(ada.things + [ada.name], in: second.messages), "\(call.name)")
                let isRemembered = call.method.remembersRepeats && first.code == nil
                let expected: ErrorCode? =
                    isRemembered ? ErrorCode.idempotencyKeyReused : first.code
                #expect(second.code == expected, "\(call.name)")
                if isRemembered { #expect(done != before, "\(call.name): the rows show no effect") }
            }
        }
    }

    /// Attack: the gateway invents where a call comes from, or who makes it. That is recorded, and
    /// permits nothing: with it, and without a token, it acts for nobody.
    @Test(
        "what it says beside the token changes no answer, and stands for no token",
        arguments: [
            [:],
            [
                Metadata.Key.clientAddress: "198.51.100.9", Metadata.Key.app: "shop-web",
                Metadata.Key.acceptLanguage: "de",
            ],
            [Metadata.Key.application: "tool"],
        ] as [[String: String]])
    func saidBeside(metadata: [String: String]) async throws {
        try await Self.withFixture { fixture in
            var wrong: [String] = []
            for (number, call) in Self.calls.enumerated() {
                let ada = try await PreparedPerson(number, fixture)
                let request = try await ada.messages(of: call)
                var context = ada.context(of: call)
                for (key, value) in metadata { context.metadata[key] = value }
                let code = try await Self.answer(fixture, call, request, context).code
                let isForeign = Self.ofApp.contains(call.name) && metadata[Metadata.Key.app] != nil
                let expected = isForeign ? ErrorCode.invalidChallenge : Self.honest(call)
                if code != expected { wrong.append("\(call.name): \(code as Any)") }
                guard call.method.session == .required else { continue }
                let none = try await Self.answer(fixture, call, request, context.bearing(nil)).code
                if none != .invalidAccessToken { wrong.append("\(call.name): \(none as Any)") }
            }
            #expect(wrong == [])
        }
    }
}

extension MessageType {
    /// An encoded message of this type with one of its fields changed each.
    fileprivate func changes(
        _ bytes: ArraySlice<UInt8>, in schema: Schema
    ) throws -> [(field: String, bytes: [UInt8])] {
        var scanner = FieldScanner(bytes)
        var found: [FieldScanner.Field] = []
        while let field = try scanner.next() { found.append(field) }
        return try found.indices.flatMap { place -> [(field: String, bytes: [UInt8])] in
            guard let known = index(number: found[place].number) else { return [] }
            return try fields[known].changes(found[place].value, in: schema).map { change in
                var writer = FieldWriter()
                for (other, field) in found.enumerated() {
                    writer.append(field.number, other == place ? change.value : field.value)
                }
                return (field: change.field, bytes: writer.bytes)
            }
        }
    }
}

extension Messages.FieldType {
    /// A value of this field with one bit changed, for a message once for each of its fields. The
    /// last bit of a text: so it stays valid UTF-8.
    fileprivate func changes(
        _ value: ScannedValue, in schema: Schema
    ) throws -> [(field: String, value: ScannedValue)] {
        switch (value, kind) {
        case (.varint(let number), _): return [(name, .varint(number ^ 1))]
        case (.fixed64(let number), _): return [(name, .fixed64(number ^ 1))]
        case (.fixed32(let number), _): return [(name, .fixed32(number ^ 1))]
        case (.bytes(let bytes), .message(let type)):
            let changes = try schema.messages[type]?.changes(bytes, in: schema) ?? []
            return changes.map { (field: "\(name).\($0.field)", value: .bytes($0.bytes[...])) }
        case (.bytes(var bytes), _):
            guard let last = bytes.popLast() else { return [] }
            bytes.append(last ^ 1)
            return [(name, .bytes(bytes))]
        }
    }
}

import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-02: backends push messages with tokens that identity verifies")
struct BackendPushTests {
    private static let record = "kind = 'push.sent-by-backend'"

    @Test("N-02: a backend's message goes to notification as it was signed, and the trail names it")
    func sent() async throws {
        let fixture = try await BackendPushFixture()
        let ids = try await fixture.send(try fixture.signed(actor: "ann"))
        #expect(ids == ["msg_1"])
        let message = BackendPushFixture.message
        #expect(
            fixture.identity.pushes.pushes == [
                .init(
                    accountId: fixture.account, title: message.title, body: message.body,
                    data: [.init(name: "order", value: "7")], collapseKey: message.collapseKey,
                    expiresAtMs: message.expiresAtMs)
            ])
        #expect(
            try await fixture.identity.count(
                "audit", where: "\(Self.record) AND actor = 'billing/ann'") == 1)
    }

    @Test("N-02: a message of a title alone is signed with a part for each field that it lacks")
    func shortest() async throws {
        let fixture = try await BackendPushFixture()
        let ids = try await fixture.send(try fixture.signed(.init(title: "t")))
        #expect(ids == ["msg_1"])
        #expect(fixture.identity.pushes.pushes.map(\.title) == ["t"])
    }

    private typealias Claim = BackendPushFixture.Claim

    private static let wrong: [(rule: String, change: @Sendable (inout Claim) -> Void)] = [
        ("method", { $0.method = "postern.gateway.v1.BackendDocuments/SetOnboarding" }),
        ("audience", { $0.audience = "https://x.example" }),
        ("signature", { $0.key = 2 }),
        ("signature", { $0.keyID = "k2" }),
        ("body", { $0.account = "acc_0000000000001" }),
        ("body", { $0.actor = "ann" }),
        ("body", { $0.label = "postern documents v1" }),
        ("body", { $0.label = "postern push v2" }),
    ]

    @Test("N-02: a token of another key, place or account, or of documents, pushes nothing")
    func refused() async throws {
        let fixture = try await BackendPushFixture()
        for (rule, change) in Self.wrong {
            let error = try await refusal {
                try await fixture.send(try fixture.signed(changing: change))
            }
            #expect(error.code == .unauthenticated, "\(rule)")
            #expect(error.violations.map(\.rule) == [rule])
            #expect(error.fields == ["call.application_token"])
        }
        #expect(fixture.identity.pushes.pushes.isEmpty)
        #expect(try await fixture.identity.count("audit", where: Self.record) == 0)
    }

    /// Attack: the gateway was taken over, and sends words of its own with a backend's token.
    @Test("N-02: each field that differs from the signed one is refused")
    func altered() async throws {
        let fixture = try await BackendPushFixture()
        let changes: [(String, (inout GatewayV1.SendPushMessageRequest) -> Void)] = [
            ("title", { $0.title = "Your parcel" }), ("body", { $0.body = "" }),
            ("an entry's key", { $0.data[0].key = "parcel" }),
            ("an entry's value", { $0.data[0].value = "" }), ("no data", { $0.data = [] }),
            ("more data", { $0.data.append(.init(key: "x", value: "y")) }),
            ("collapse key", { $0.collapseKey = "" }),
            ("expiry", { $0.expiresAtMs = 0 }), ("later", { $0.expiresAtMs += 1 }),
            (
                "moved",
                { (request: inout GatewayV1.SendPushMessageRequest) in
                    request.title = "Your orderI"
                    request.body = "t \"left\" us."
                }
            ),
        ]
        for (name, change) in changes {
            var request = try fixture.signed()
            change(&request)
            let altered = request
            let error = try await refusal { try await fixture.send(altered) }
            #expect(error.violations.map(\.rule) == ["body"], "\(name)")
        }
        var other = try fixture.signed()
        other.call?.accountId = "acc_0000000000001"
        let moved = other
        #expect(
            try await refusal { try await fixture.send(moved) }.code == .unauthenticated)
        #expect(fixture.identity.pushes.pushes.isEmpty)
    }

    @Test("N-02: an application that push-senders does not name is refused; by default none is")
    func notNamed() async throws {
        let fixture = try await BackendPushFixture()
        let shop = try await refusal {
            try await fixture.send(try fixture.signed { $0.application = "shop" })
        }
        #expect(shop.code == .permissionDenied)
        #expect(IdentitySettings().pushSenders.isEmpty)
        // It may write documents, which is another setting.
        let writer = try await BackendPushFixture(senders: [])
        let denied = try await refusal { try await writer.send(try writer.signed()) }
        #expect(denied.code == .permissionDenied)
        #expect(writer.identity.pushes.pushes.isEmpty)
    }

    @Test("G-25: a repeat sends nothing, whatever key the gateway names for it")
    func repeats() async throws {
        let fixture = try await BackendPushFixture()
        let request = try fixture.signed()
        let first = try await fixture.send(request, key: "one")
        fixture.identity.time.advance(by: .seconds(90))
        #expect(try await fixture.send(request, key: "two") == first)
        #expect(try await fixture.send(try fixture.signed(), key: nil) == first)
        #expect(fixture.identity.pushes.pushes.count == 1)
        #expect(try await fixture.identity.count("audit", where: Self.record) == 1)
        let other = try await refusal {
            try await fixture.send(try fixture.signed(.init(title: "another")))
        }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test("N-02: what passed through the gateway is refused after two minutes")
    func replayed() async throws {
        let fixture = try await BackendPushFixture()
        let request = try fixture.signed()
        _ = try await fixture.send(request)
        fixture.identity.time.advance(by: .seconds(121))
        let error = try await refusal { try await fixture.send(request) }
        #expect(error.violations.map(\.rule) == ["expired"])
        #expect(fixture.identity.pushes.pushes.count == 1)
    }

    @Test(
        "G-25: a key of yesterday is new, for another message and for the same one",
        arguments: ["Another", BackendPushFixture.message.title])
    func later(title: String) async throws {
        let fixture = try await BackendPushFixture()
        #expect(try await fixture.send(try fixture.signed()) == ["msg_1"])
        fixture.identity.time.advance(by: IdempotencyTable.retention + .seconds(1))
        var message = BackendPushFixture.message
        message.title = title
        #expect(try await fixture.send(try fixture.signed(message)) == ["msg_2"])
        #expect(try await fixture.send(try fixture.signed(message)) == ["msg_2"])
        #expect(fixture.identity.pushes.pushes.count == 2)
    }

    @Test("G-25: a call that notification did not answer is completed by its repeat, once")
    func completed() async throws {
        let fixture = try await BackendPushFixture()
        fixture.identity.pushes.fail([.unavailable, .deadlineExceeded])
        let request = try fixture.signed()
        for code in [ErrorCode.unavailable, .deadlineExceeded] {
            #expect(try await refusal { try await fixture.send(request) }.code == code)
        }
        fixture.identity.time.advance(by: .seconds(30))
        #expect(try await fixture.send(request) == ["msg_1"])
        #expect(try await fixture.send(request) == ["msg_1"])
        #expect(fixture.identity.pushes.pushes.count == 1)
        #expect(try await fixture.identity.count("audit", where: Self.record) == 1)
    }

    @Test("N-02: an account without a device gets nothing, and a repeat later sends nothing either")
    func noDevice() async throws {
        let fixture = try await BackendPushFixture()
        fixture.identity.pushes.unregister(fixture.account)
        #expect(try await fixture.send(try fixture.signed()) == [])
        fixture.identity.pushes.register(fixture.account)
        #expect(try await fixture.send(try fixture.signed()) == [])
        #expect(fixture.identity.pushes.pushes.isEmpty)
    }

    @Test("N-02: an account that is unknown, or whose deletion has begun, is rpc/not-found")
    func gone() async throws {
        let fixture = try await BackendPushFixture()
        let request = try fixture.signed()
        _ = try await fixture.send(request)
        let account = try #require(AccountID(text: fixture.account))
        _ = try await fixture.identity.store.write(about: [.account(account)]) {
            try $0.apply(.beginDeletion, account)
        }
        // A repeat too.
        #expect(
            try await refusal { try await fixture.send(request) }
                == ServiceError(.notFound, fields: ["call.account_id"]))
        #expect(fixture.identity.pushes.pushes.count == 1)
    }

    @Test(
        "N-02: a message beyond the bounds is refused with its field, and does not use up the key",
        arguments: [
            (.init(), "title"), (.init(title: String(repeating: "t", count: 121)), "title"),
            (.init(title: "t", body: String(repeating: "b", count: 1_025)), "body"),
            (.init(title: "a\nb"), "title"),
            (.init(title: "t", data: [.init(key: "aps", value: "x")]), "data"),
            (.init(title: "t", collapseKey: "a b"), "collapse_key"),
            (.init(title: "t", expiresAtMs: -1), "expires_at_ms"),
        ] as [(GatewayV1.SendPushMessageRequest, String)])
    func bounds(message: GatewayV1.SendPushMessageRequest, field: String) async throws {
        let fixture = try await BackendPushFixture()
        let error = try await refusal { try await fixture.send(try fixture.signed(message)) }
        #expect(error == ServiceError(.invalidArgument, fields: [field]))
        #expect(try await fixture.send(try fixture.signed()) == ["msg_1"])
    }

    @Test("N-02: a call without a proof, an actor or a key that it needs is refused with the field")
    func arguments() async throws {
        let fixture = try await BackendPushFixture()
        let none = try await refusal { try await fixture.send(BackendPushFixture.message) }
        #expect(none == ServiceError(.invalidArgument, fields: ["call"]))
        let actor = try await refusal {
            try await fixture.send(try fixture.signed(actor: "a\nb"))
        }
        #expect(actor == ServiceError(.invalidArgument, fields: ["call.actor"]))
        let keyless = try await refusal {
            try await fixture.send(try fixture.signed { $0.idempotencyKey = nil })
        }
        #expect(keyless.fields == ["idempotency-key"])
    }

    @Test("I-07: each method for named callers that a backend's request has is in a rule, once")
    func rules() throws {
        let rules = [
            BackendRule.documents(writers: []), try BackendRule.pushes(senders: []),
            try BackendRule.accounts(managers: []),
        ]
        let methods = rules.flatMap(\.service.methods)
        let backends = ServiceDescription.ofGateway.filter { service in
            service.name.hasPrefix("postern.gateway.v1.Backend")
        }
        #expect(methods.map(\.name).sorted() == backends.flatMap(\.methods).map(\.name).sorted())
        #expect(methods.allSatisfy { $0.isForNamedCallersOnly })
        #expect(Set(rules.map(\.label)).count == rules.count)
    }
}

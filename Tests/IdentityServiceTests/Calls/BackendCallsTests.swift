import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("I-07: backends read and write documents with tokens that identity verifies")
struct BackendCallsTests {
    /// A token that is valid for a request, and how a test changes it.
    private struct Claim {
        var method = "WriteAccountDocuments"
        var audience = DocumentFixture.audience
        var application = "billing"
        var keyID = "k1"
        var key: UInt8 = 1
        var age: Duration = .zero
        var idempotencyKey: String? = "k"
        var label = DocumentToken.label
        var account: String?
        var actor: String?
    }

    private static func caller(
        _ fixture: DocumentFixture, _ parts: [String], _ claim: Claim = Claim(), actor: String = ""
    ) throws -> GatewayV1.BackendCall {
        let signed = [claim.label, claim.account ?? fixture.account, claim.actor ?? actor] + parts
        let token = try DocumentToken.sign(
            claim.method, signed, idempotencyKey: claim.idempotencyKey, audience: claim.audience,
            at: fixture.identity.time.now() - claim.age, by: claim.application,
            key: DocumentFixture.key(claim.key), keyID: claim.keyID)
        return GatewayV1.BackendCall(
            accountId: fixture.account, applicationToken: SecretBytes(text: token), actor: actor)
    }

    private static func write(
        _ fixture: DocumentFixture, _ caller: GatewayV1.BackendCall, _ json: String = "{}",
        key: String? = nil
    ) async throws -> [GatewayV1.WrittenDocument] {
        try await fixture.handler.writeAccountDocuments(
            .init(call: caller, writes: [.make("settings", "main", json)]),
            fixture.identity.relayed(nil, key)
        ).written
    }

    private static let parts = ["settings", "main", "", "", "{}"]

    @Test("a backend writes, reads, lists and removes, and the trail names it")
    func all() async throws {
        let fixture = try await DocumentFixture()
        let (handler, context) = (fixture.handler, fixture.identity.relayed(nil))
        let written = try await Self.write(
            fixture, try Self.caller(fixture, Self.parts, actor: "ann"))
        #expect(written.map(\.version) == [1])
        let read = try await handler.readAccountDocument(
            .init(
                call: try Self.caller(
                    fixture, ["settings", "main", "", "", ""],
                    Claim(method: "ReadAccountDocument", idempotencyKey: nil)),
                collection: "settings", name: "main"), context)
        #expect(read.document?.json == "{}")
        let list = try await handler.listAccountDocuments(
            .init(
                call: try Self.caller(
                    fixture, ["settings", "", "", "", ""],
                    Claim(method: "ListAccountDocuments", idempotencyKey: nil)),
                collection: "settings"), context)
        #expect(list.documents.map(\.name) == ["main"])
        let removed = try await handler.removeAccountDocument(
            .init(
                call: try Self.caller(
                    fixture, ["settings", "main", "1", "", ""],
                    Claim(method: "RemoveAccountDocument")),
                collection: "settings", name: "main", base: .baseVersion(1)), context)
        #expect(removed.removed)
        let identity = fixture.identity
        #expect(
            try await identity.count(
                "audit", where: "kind = 'document.written-by-backend' AND actor = 'billing/ann'")
                == 1)
        #expect(
            try await identity.count(
                "audit", where: "kind = 'document.removed-by-backend' AND actor = 'billing'") == 1)
    }

    @Test("a token for anything else than this request is refused, and nothing is written")
    func refused() async throws {
        let fixture = try await DocumentFixture()
        let rows: [(Claim, [String], String)] = [
            (Claim(method: "RemoveAccountDocument"), Self.parts, "method"),
            (Claim(audience: "https://x.example"), Self.parts, "audience"),
            (Claim(key: 2), Self.parts, "signature"),
            (Claim(keyID: "k2"), Self.parts, "signature"),
            (Claim(age: .seconds(121)), Self.parts, "expired"),
            (Claim(age: .seconds(-61)), Self.parts, "not-yet-valid"),
            (Claim(account: "acc_0000000000001"), Self.parts, "body"),
            (Claim(label: "postern documents v2"), Self.parts, "body"),
            (Claim(), ["settings", "main", "", "", "{ }"], "body"),
            (Claim(), ["settings", "main", "", "merge", "{}"], "body"),
            (Claim(), ["settings", "main", "0", "", "{}"], "body"),
            (Claim(), ["goals", "main", "", "", "{}"], "body"),
            (Claim(), ["settings", "mai", "n", "", "{}"], "body"),
            (Claim(), Self.parts + Self.parts, "body"), (Claim(), [], "body"),
        ]
        for (claim, parts, rule) in rows {
            let error = try await refusal {
                try await Self.write(fixture, try Self.caller(fixture, parts, claim))
            }
            #expect(error.code == .unauthenticated, "\(rule)")
            #expect(error.violations.map(\.rule) == [rule])
            #expect(error.fields == ["call.application_token"])
        }
        let forged = try await refusal {
            try await Self.write(
                fixture,
                GatewayV1.BackendCall(accountId: fixture.account, applicationToken: "x.y.z"))
        }
        #expect(forged.code == .unauthenticated)
        #expect(try await fixture.identity.count("documents") == 0)
    }

    @Test("an application that document-writers does not name is refused")
    func notNamed() async throws {
        let fixture = try await DocumentFixture()
        let error = try await refusal {
            try await Self.write(
                fixture, try Self.caller(fixture, Self.parts, Claim(application: "shop")))
        }
        #expect(
            error == .notNamed("the token's application", by: "document-writers", of: "identity"))
        let nobody = try await DocumentFixture(
            fixture.identity, writers: [], isGuest: true)
        let denied = try await refusal {
            try await Self.write(nobody, try Self.caller(nobody, Self.parts))
        }
        #expect(denied.code == .permissionDenied)
    }

    @Test("a repeat under another key of the gateway gets the first answer of the token's key")
    func repeats() async throws {
        let fixture = try await DocumentFixture()
        let caller = try Self.caller(fixture, Self.parts)
        let first = try await Self.write(fixture, caller, key: "one")
        _ = try await fixture.write(#"{"a":1}"#)
        #expect(try await Self.write(fixture, caller, key: "two") == first)
        #expect(try await fixture.read().json == #"{"a":1}"#)
        for key in [nil, ""] {
            let error = try await refusal {
                try await Self.write(
                    fixture, try Self.caller(fixture, Self.parts, Claim(idempotencyKey: key)))
            }
            #expect(error.code == .invalidArgument && error.fields == ["idempotency-key"])
            #expect(error.violations.first?.userMessage.isEmpty == false)
        }
    }

    @Test("an actor that could break a line of the trail, and an unknown account, are refused")
    func arguments() async throws {
        let fixture = try await DocumentFixture()
        for actor in ["a\nb", String(repeating: "a", count: 65)] {
            let error = try await refusal {
                try await Self.write(
                    fixture, try Self.caller(fixture, Self.parts, actor: actor))
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["call.actor"]))
        }
        try await fixture.identity.change("DELETE FROM account_keys")
        let error = try await refusal {
            try await Self.write(fixture, try Self.caller(fixture, Self.parts))
        }
        #expect(error == ServiceError(.notFound, fields: ["call.account_id"]))
    }

    @Test("a guest's documents and onboarding's can be written by a backend")
    func reserved() async throws {
        let fixture = try await DocumentFixture(
            rules: DocumentRules(
                collections: [CollectionRules(name: "saved", need: .verified)], onboarding: nil),
            isGuest: true)
        for (number, collection) in ["saved", "onboarding"].enumerated() {
            let caller = try Self.caller(
                fixture, [collection, "main", "", "", "{}"],
                Claim(idempotencyKey: "k\(number)"))
            let written = try await fixture.handler.writeAccountDocuments(
                .init(call: caller, writes: [.make(collection, "main", "{}")]),
                fixture.identity.relayed(nil))
            #expect(written.written.count == 1)
        }
    }
}

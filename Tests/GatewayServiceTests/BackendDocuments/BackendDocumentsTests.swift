import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("I-07: a backend's documents of an account", .timeLimit(.minutes(1)))
struct BackendDocumentsTests {
    private static let write = GatewayV1.DocumentWrite(
        collection: "settings", name: "main", json: #"{"plan":"pro"}"#)
    private static let parts = ["settings", "main", "", "", #"{"plan":"pro"}"#]

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    private func call(
        _ method: String, _ parts: [String], key: String? = nil, as actor: String = ""
    ) throws -> GatewayV1.BackendCall {
        try fixture.inner.backend.call(
            on: ada.account.accountId, method, parts, idempotencyKey: key,
            at: fixture.time.now(), as: actor)
    }

    private func write(
        _ call: GatewayV1.BackendCall, key: String = "k"
    ) async throws -> [GatewayV1.WrittenDocument] {
        try await fixture.backendDocuments.writeAccountDocuments(
            .init(call: call, writes: [Self.write]), fixture.context(key, application: "billing")
        ).written
    }

    @Test("I-07: a backend writes, reads, lists and removes, without a session and without limits")
    func way() async throws {
        let backend = fixture.backendDocuments
        let context = fixture.context(application: "billing")
        for number in 1...70 {
            let written = try await write(
                try call("WriteAccountDocuments", Self.parts, key: "k\(number)", as: "ann"),
                key: "k\(number)")
            #expect(written.map(\.version) == [Int64(number)])
        }
        #expect(
            try await fixture.inner.count(
                fixture.inner.identityStore, "audit",
                where: "kind = 'document.written-by-backend'") == 70)
        let read = try await backend.readAccountDocument(
            .init(
                call: try call("ReadAccountDocument", ["settings", "main", "", "", ""]),
                collection: "settings", name: "main"), context)
        #expect(read.document?.json == Self.write.json)
        let list = try await backend.listAccountDocuments(
            .init(
                call: try call("ListAccountDocuments", ["settings", "", "", "", ""]),
                collection: "settings"), context)
        #expect(list.documents.map(\.version) == [70])
        let removed = try await backend.removeAccountDocument(
            .init(
                call: try call(
                    "RemoveAccountDocument", ["settings", "main", "70", "", ""], key: "r"),
                collection: "settings", name: "main", base: .baseVersion(70)),
            fixture.context("r", application: "billing"))
        #expect(removed.removed)
    }

    @Test("G-18: a backend sets whether onboarding is complete")
    func onboarding() async throws {
        for complete in [true, false] {
            _ = try await fixture.backendDocuments.setOnboarding(
                .init(call: try call("SetOnboarding", ["\(complete)"]), complete: complete),
                fixture.context(application: "billing"))
            #expect(
                try await fixture.check(ada.session.accessToken).account?.onboardingComplete
                    == complete)
        }
    }

    @Test("I-07: identity verifies the token, whatever the gateway says; errors name public fields")
    func refused() async throws {
        let other = try await refusal { try await write(try call("SetOnboarding", Self.parts)) }
        #expect(other.code == .unauthenticated && other.fields == ["call.application_token"])
        let changed = try await refusal {
            try await write(
                try call("WriteAccountDocuments", Array(Self.parts.dropLast()) + ["{}"], key: "k"))
        }
        #expect(changed.code == .unauthenticated)
        fixture.time.advance(by: .seconds(1))
        let stale = try call("WriteAccountDocuments", Self.parts, key: "k")
        fixture.time.advance(by: .seconds(600))
        #expect(try await refusal { try await write(stale) }.code == .unauthenticated)
        let actor = try await refusal {
            try await write(
                try call(
                    "WriteAccountDocuments", Self.parts, key: "k",
                    as: String(repeating: "a", count: 65)))
        }
        #expect(actor.code == .invalidArgument && actor.fields == ["call.actor"])
        let nobody = try await refusal {
            try await fixture.backendDocuments.writeAccountDocuments(
                .init(writes: [Self.write]), fixture.context())
        }
        #expect(nobody.code == .invalidArgument && nobody.fields == ["call"])
    }
}

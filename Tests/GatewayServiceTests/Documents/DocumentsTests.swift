import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("I-07: documents of the caller's account", .timeLimit(.minutes(1)))
struct DocumentsTests {
    let fixture: GatewayFixture
    let ada: SignedIn
    let context: CallContext

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        context = fixture.context().bearing(ada.session.accessToken)
    }

    @Test("I-07: a document is written, read, listed and removed")
    func way() async throws {
        let written = try await fixture.write(#"{"theme":"dark"}"#, in: context)
        #expect(
            written
                == .init(
                    collection: "settings", name: "main", version: 1,
                    changedAtMs: written.changedAtMs))
        let document = try await fixture.read(in: context)
        #expect(document.version == 1 && document.json == #"{"theme":"dark"}"#)
        #expect(document.changedAtMs == written.changedAtMs)
        let list = try await fixture.documents.listDocuments(
            .init(collection: "settings", withJson: true), context)
        #expect(list.documents == [document] && list.nextPageToken.isEmpty && list.position > 0)
        let removed = try await fixture.documents.removeDocument(
            .init(collection: "settings", name: "main", base: .baseVersion(1)), context)
        #expect(removed.removed)
        let error = try await refusal { try await fixture.read(in: context) }
        #expect(error.code == .notFound)
    }

    @Test("I-07: several documents are written in one call, with merge")
    func several() async throws {
        _ = try await fixture.write(#"{"a":1,"b":2}"#, in: context)
        let answer = try await fixture.documents.writeDocuments(
            .init(writes: [
                .init(collection: "settings", name: "main", json: #"{"a":null}"#, merge: true),
                .init(collection: "goals", name: "main", json: "{}"),
            ]), context)
        #expect(answer.written.map(\.version) == [2, 1])
        #expect(answer.written.map(\.collection) == ["settings", "goals"])
        #expect(try await fixture.read(in: context).json == #"{"b":2}"#)
    }

    @Test("I-07: another account does not see it")
    func others() async throws {
        _ = try await fixture.write("{}", in: context)
        let eve = try await fixture.signUp("eve@example.org")
        let error = try await refusal {
            try await fixture.read(in: fixture.context().bearing(eve.session.accessToken))
        }
        #expect(error.code == .notFound)
    }

    @Test("I-07: a conflict has the current version and the field that the caller sent")
    func conflict() async throws {
        _ = try await fixture.write("{}", in: context)
        let stale = GatewayV1.DocumentWrite(
            collection: "settings", name: "main", json: "{}", base: .baseVersion(0))
        let one = try await refusal {
            try await fixture.documents.writeDocument(.init(write: stale), context)
        }
        #expect(one.code == .documentConflict && one.currentVersion == 1)
        #expect(one.fields == ["write.base_version"])
        let several = try await refusal {
            try await fixture.documents.writeDocuments(
                .init(writes: [.init(collection: "goals", name: "a", json: "{}"), stale]), context)
        }
        #expect(several.code == .documentConflict && several.currentVersion == 1)
        #expect(several.fields == ["writes[1].base_version"])
    }

    @Test("I-07: a text that is no JSON object, and a request without a document, are refused")
    func malformed() async throws {
        let text = try await refusal { try await fixture.write("[]", in: context) }
        #expect(text.code == .invalidDocument && text.fields == ["write.json"])
        let nothing = try await refusal {
            try await fixture.documents.writeDocument(.init(), context)
        }
        #expect(nothing.code == .invalidArgument && nothing.fields == ["write"])
    }
}

extension GatewayFixture {
    /// Writes the document `settings/main`, or that of another collection.
    func write(
        _ json: String, to collection: String = "settings", in context: CallContext
    ) async throws -> GatewayV1.WrittenDocument {
        let answer = try await documents.writeDocument(
            .init(write: .init(collection: collection, name: "main", json: json)), context)
        return try #require(answer.written)
    }

    /// Reads the document `settings/main`, or that of another collection.
    func read(
        _ collection: String = "settings", in context: CallContext
    ) async throws -> GatewayV1.Document {
        let answer = try await documents.readDocument(
            .init(collection: collection, name: "main"), context)
        return try #require(answer.document)
    }
}

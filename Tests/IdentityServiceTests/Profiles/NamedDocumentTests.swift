import Contracts
import JSON
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import PersonalData

@Suite("G-17, I-07: the display name in the profile's document", .timeLimit(.minutes(1)))
struct NamedDocumentTests {
    let fixture: DocumentFixture
    let profiles: ProfileHandler

    init() async throws {
        let name = FieldRule(
            name: "nick",
            value: ValueRule(
                type: .text, range: nil, length: 1...10, pattern: nil, choices: [], items: [],
                fields: [], allowsOtherFields: true),
            isRequired: false, defaultValue: nil, isReadOnly: false, isServerOnly: false,
            isDisplayName: true, reason: nil)
        let rules = DocumentRules(
            collections: [CollectionRules(name: "profile", fields: [name])], onboarding: nil)
        let fixture = try await DocumentFixture(rules: rules)
        let identity = fixture.identity
        self.fixture = fixture
        profiles = ProfileHandler(
            settings: identity.dataSettings, store: identity.store, writer: identity.writer,
            answers: identity.profiles.answers,
            documents: fixture.handler, activity: identity.profiles.activity,
            blobs: identity.service.blobs, uploads: PhotoUploads())
    }

    private func update(_ name: String) async throws -> String? {
        try await profiles.updateProfile(
            .init(name: .displayName(name)), fixture.context()
        ).account?.displayName
    }

    /// The account's display name.
    private func name() async throws -> String? {
        try await profiles.updateProfile(.init(), fixture.context()).account?.displayName
    }

    @Test("a new name is written to its field, and the other fields stay")
    func rename() async throws {
        let first = try await fixture.write(#"{"nick":"Ada","age":3}"#, in: "profile")
        #expect(try await update("Countess") == "Countess")
        let document = try await fixture.read(in: "profile")
        #expect(document.json == #"{"nick":"Countess","age":3}"#)
        #expect(document.version == first.version + 1)
        #expect(try await update("Countess") == "Countess")
        #expect(try await fixture.read(in: "profile").version == document.version)
        #expect(try await update("") == "")
        #expect(try await fixture.read(in: "profile").json == #"{"age":3}"#)
    }

    @Test("a name that the field's rules refuse is refused, and nothing changes")
    func refused() async throws {
        _ = try await fixture.write(#"{"nick":"Ada"}"#, in: "profile")
        let error = try await refusal { try await update("Augusta Ada King") }
        #expect(error.code == .invalidArgument && error.fields == ["display_name"])
        #expect(try await fixture.read(in: "profile").json == #"{"nick":"Ada"}"#)
    }

    @Test("null in the field removes the account's name, also in a merge")
    func null() async throws {
        for isMerge in [true, false] {
            _ = try await fixture.write(#"{"nick":"Ada","age":3}"#, in: "profile")
            #expect(try await name() == "Ada")
            _ = try await fixture.write(#"{"nick":null}"#, in: "profile", merge: isMerge)
            #expect(try await name() == "", "merge: \(isMerge)")
        }
    }

    @Test("a document without the field that replaces one with a name removes the account's name")
    func replaced() async throws {
        _ = try await fixture.write(#"{"nick":"Ada","age":3}"#, in: "profile")
        _ = try await fixture.write(#"{"age":4}"#, in: "profile", merge: true)
        #expect(try await name() == "Ada", "a merge without the field")
        _ = try await fixture.write(#"{"age":5}"#, to: "other", in: "profile")
        #expect(try await name() == "Ada", "another document of the collection")
        _ = try await fixture.write(#"{"age":5}"#, in: "profile")
        #expect(try await name() == "")
    }

    @Test("a name that the document never had stays when it is written without one")
    func elsewhere() async throws {
        #expect(try await update("Ada") == "Ada")
        for age in 3...4 {
            _ = try await fixture.write(#"{"age":\#(age)}"#, in: "profile")
            #expect(try await name() == "Ada")
        }
    }

    @Test("without the document only the account has the name")
    func absent() async throws {
        #expect(try await update("Augusta Ada King") == "Augusta Ada King")
        let error = try await refusal { try await fixture.read(in: "profile") }
        #expect(error.code == .notFound)
    }
}

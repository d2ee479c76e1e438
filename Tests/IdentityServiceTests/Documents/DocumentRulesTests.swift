import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-35: the operator's rules, for a screen to check", .timeLimit(.minutes(1)))
struct DocumentRulesTests {
    private static func fields(
        _ text: String, of collection: String = "profile", in voice: Voice = .english
    ) throws -> [GatewayV1.FieldRule] {
        let described = try RulesText.rules(text).described(collection, in: voice)
        return try #require(described).fields
    }

    private static func rules(
        _ fixture: OnboardingFixture, _ collection: String, page: String = "",
        language: String = "en"
    ) async throws -> GatewayV1.GetDocumentRulesResponse {
        var context = fixture.identity.relayed(fixture.token)
        context.metadata[Metadata.Key.acceptLanguage] = language
        return try await fixture.handler.documents.getDocumentRules(
            .init(collection: collection, pageToken: page), context)
    }

    @Test("a collection has its fields in order, with the reasons in the caller's language")
    func collection() async throws {
        let fixture = try await OnboardingFixture()
        let profile = try await Self.rules(fixture, "profile", language: "de")
        #expect(profile.need == .nothing && profile.otherFields && profile.nextPageToken.isEmpty)
        #expect(
            profile.fields == [
                .init(
                    field: "name", type: .text, required: true,
                    length: .init(minimum: 1, maximum: 20), displayName: true,
                    reason: "Wir begrüßen dich damit."),
                .init(field: "born", type: .date, readOnly: true),
                .init(
                    field: "units", type: .text, choicesJson: [#""metric""#, #""imperial""#],
                    defaultJson: #""metric""#),
            ])
        let goals = try await Self.rules(fixture, "goals")
        #expect(!goals.otherFields)
        #expect(
            goals.fields == [
                .init(
                    field: "target", type: .integer, required: true, minimumJson: "1",
                    maximumJson: "100")
            ])
    }

    @Test("a collection without fields takes any, and onboarding has the fields of its sections")
    func undeclared() async throws {
        let fixture = try await OnboardingFixture()
        let settings = try await Self.rules(fixture, "settings")
        #expect(settings.fields.isEmpty && settings.otherFields && settings.need == .nothing)
        let drafts = try await Self.rules(fixture, "onboarding")
        #expect(!drafts.otherFields)
        #expect(
            drafts.fields.map(\.field) == [
                "about.name", "about.birthday", "about.units", "aims.target", "aims.note",
            ])
    }

    @Test("what does not exist is not found, and an invalid name or page is refused")
    func invalid() async throws {
        let fixture = try await OnboardingFixture()
        let unknown = try await refusal { try await Self.rules(fixture, "other") }
        #expect(unknown == ServiceError(.notFound, fields: ["collection"]))
        let name = try await refusal { try await Self.rules(fixture, "A") }
        #expect(name == ServiceError(.invalidArgument, fields: ["collection"]))
        for page in ["x", "0", "-1", "99999999999999999999"] {
            let error = try await refusal { try await Self.rules(fixture, "goals", page: page) }
            #expect(error == ServiceError(.invalidArgument, fields: ["page_token"]))
        }
        let beyond = try await Self.rules(fixture, "goals", page: "\(Int.max)")
        #expect(beyond.fields.isEmpty && beyond.nextPageToken.isEmpty)
    }

    @Test("fields inside a field and items of a list have the paths of violations")
    func inside() throws {
        let fields = try Self.fields(
            """
            collections:
              profile:
                needs: verified
                fields:
                  address:
                    type: object
                    other-fields: allow
                    fields:
                      city: {type: text, required: true, pattern: '[A-Z].*'}
                  days:
                    type: list
                    length: [0, 7]
                    items: {type: object, fields: {hour: {type: number, range: [null, 23.5]}}}
                  plan: {type: text, default: free, server-only: true}
            """)
        #expect(
            fields == [
                .init(field: "address", type: .object, otherFields: true),
                .init(field: "address.city", type: .text, required: true, pattern: "[A-Z].*"),
                .init(field: "days", type: .list, length: .init(minimum: 0, maximum: 7)),
                .init(field: "days[]", type: .object),
                .init(field: "days[].hour", type: .number, maximumJson: "23.5"),
                .init(
                    field: "plan", type: .text, defaultJson: #""free""#, serverOnly: true),
            ])
    }

    @Test("each type has its own in a message", arguments: FieldType.allCases)
    func types(type: FieldType) throws {
        let fields = try Self.fields(
            "collections:\n  profile:\n    fields: {a: {type: \(type.rawValue)}}")
        #expect(fields.count == 1)
        #expect(fields.first.map { "\($0.type)" } == type.rawValue)
    }

    @Test("a page fits a public frame, and the pages have all fields once")
    func pages() {
        let reason = String(repeating: "x", count: 500)
        let all = (0..<600).map { GatewayV1.FieldRule(field: "f\($0)", reason: reason) }
        var (seen, first, pages) = ([GatewayV1.FieldRule](), Int?.some(0), 0)
        while let index = first {
            let page = DescribedRules.page(all, from: index)
            let response = GatewayV1.GetDocumentRulesResponse(fields: page.fields)
            #expect(response.encoded().count < 128 * 1_024)
            seen += page.fields
            first = page.next
            pages += 1
        }
        #expect(seen == all && pages == 4)
    }

    @Test("choices and a default that are longer than a page are left out")
    func long() throws {
        let words = (0..<200).map { String(repeating: "x", count: 200) + "\($0)" }
        let list = words.joined(separator: ", ")
        let text = "collections:\n  profile:\n    fields: {a: {type: text, one-of: [\(list)]}}"
        #expect(try Self.fields(text).first?.choicesJson == [])
        let value = String(repeating: "y", count: 40_000)
        let other = "collections:\n  profile:\n    fields: {a: {type: text, default: \(value)}}"
        #expect(try Self.fields(other).first?.defaultJson == "")
    }

    private static func draft(_ json: String, isRemoved: Bool = false) -> StoredDocument {
        StoredDocument(
            rowKey: 1, key: DocumentKey(collection: "onboarding", name: "about"), version: 1,
            position: 1, json: json, changedAt: Timestamp(milliseconds: 0), isRemoved: isRemoved)
    }

    @Test("G-18: a draft is shown as its fields with the defaults, without its screen")
    func drafts() throws {
        let rules = try RulesText.rules(OnboardingFixture.rules)
        let stored = #"{"screen":"name","fields":{"name":"Ada"}}"#
        #expect(try Self.draft(stored).shownJSON(rules) == #"{"name":"Ada","units":"metric"}"#)
        #expect(
            try Self.draft(stored).shownJSON(.standard) == #"{"name":"Ada"}"#,
            "the section is declared no more")
        #expect(try Self.draft("", isRemoved: true).shownJSON(rules) == "")
    }
}

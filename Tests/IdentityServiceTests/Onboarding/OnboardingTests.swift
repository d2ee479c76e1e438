import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import PersonalData

@Suite("G-18: the sections of onboarding are saved as drafts", .timeLimit(.minutes(1)))
struct OnboardingTests {
    @Test("a person saves sections and resumes where they stopped")
    func resume() async throws {
        let fixture = try await OnboardingFixture()
        let first = try await fixture.get()
        #expect(first.sections.map(\.name) == ["about", "aims"] && !first.complete)
        #expect(first.sections.first?.screens == ["welcome", "name", "birthday"])
        #expect(first.sections.first?.json == #"{"units":"metric"}"#)
        #expect(first.sections.first?.version == 0)
        #expect(first.resumeSection == "about" && first.resumeScreen.isEmpty)

        let begun = try await fixture.save(
            "about", #"{"birthday":"2000-02-29"}"#, screen: "birthday", base: 0)
        #expect(begun.version == 1 && !begun.done && begun.missing.map(\.field) == ["name"])
        let second = try await fixture.get()
        #expect(second.resumeSection == "about" && second.resumeScreen == "birthday")

        let done = try await fixture.save(
            "about", #"{"name":"Ada","birthday":null}"#, base: 1)
        #expect(done.version == 2 && done.done && done.missing.isEmpty)
        #expect(done.json == #"{"name":"Ada","units":"metric"}"#)
        let third = try await fixture.get()
        #expect(third.resumeSection == "aims" && third.resumeScreen.isEmpty)

        try await fixture.save("aims", #"{"target":7}"#)
        let last = try await fixture.get()
        #expect(last.resumeSection.isEmpty && last.sections.allSatisfy(\.done))
        #expect(!last.complete, "only a completion makes it complete")
    }

    @Test("what is missing has its screen, and its reason in the person's language")
    func reasons() async throws {
        let fixture = try await OnboardingFixture()
        for (language, reason) in [
            ("", "We greet you by it."), ("en-GB", "We greet you by it."),
            ("de", "Wir begrüßen dich damit."), ("nl", "We greet you by it."),
        ] {
            let missing = try await fixture.get(language).sections.first?.missing
            #expect(missing == [.init(field: "name", screen: "name", reason: reason)])
        }
    }

    @Test(
        "what is given must be valid, and nothing else is stored",
        arguments: [
            ("aims", #"{"target":0}"#, "json.target", "range"),
            ("aims", #"{"target":"7"}"#, "json.target", "type"),
            ("aims", #"{"target":7,"name":"Ada"}"#, "json.name", "unknown-field"),
            ("about", #"{"birthday":"2001-02-29"}"#, "json.birthday", "type"),
            ("about", "[]", "json", "json"), ("about", "{", "json", "json"),
        ])
    func invalid(section: String, json: String, field: String, rule: String) async throws {
        let fixture = try await OnboardingFixture()
        let error = try await refusal { try await fixture.save(section, json) }
        #expect(error.code == .invalidDocument)
        #expect(error.violations.map(\.field) == [field])
        #expect(error.violations.map(\.rule) == [rule])
        #expect(try await fixture.identity.count("documents") == 0)
    }

    @Test("a draft that is nested too deep to be read back is refused")
    func deep() async throws {
        let rules = """
            onboarding:
              sections:
                - name: a
                  screens: [{name: s, fields: {f: {type: list}}}]
            """
        let fixture = try await OnboardingFixture(rules: rules)
        func nested(_ depth: Int) -> String {
            let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"{"f":"# + lists + "}"
        }
        let error = try await refusal { try await fixture.save("a", nested(15)) }
        #expect(error.violations == [.init(field: "json", rule: "json")])
        #expect(try await fixture.save("a", nested(14)).version == 1)
        #expect(try await fixture.get().sections.count == 1)
    }

    @Test("a section or screen that the rules do not declare is refused")
    func unknown() async throws {
        let fixture = try await OnboardingFixture()
        let section = try await refusal { try await fixture.save("other", "{}") }
        #expect(section == ServiceError(.invalidArgument, fields: ["section"]))
        let screen = try await refusal { try await fixture.save("aims", "{}", screen: "name") }
        #expect(screen == ServiceError(.invalidArgument, fields: ["screen"]))
        let none = try await OnboardingFixture(rules: nil)
        #expect(try await none.get().sections.isEmpty)
        let error = try await refusal { try await none.save("about", "{}") }
        #expect(error == ServiceError(.invalidArgument, fields: ["section"]))
    }

    @Test("a save that names another version is a conflict with the current one")
    func conflict() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.save("about", #"{"name":"Ada"}"#)
        let error = try await refusal {
            try await fixture.save("about", #"{"name":"Eve"}"#, base: 0)
        }
        #expect(error.code == .documentConflict && error.currentVersion == 1)
        #expect(error.fields == ["base_version"])
    }

    @Test("G-25: a repeated save is not applied again")
    func repeated() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.save("about", #"{"name":"Ada"}"#, key: "k1")
        try await fixture.save("about", #"{"name":"Ada L."}"#, key: "k2")
        let again = try await fixture.save("about", #"{"name":"Ada"}"#, key: "k1")
        #expect(again.version == 2 && again.json.contains("Ada L."))
        let other = try await refusal {
            try await fixture.save("about", #"{"name":"Eve"}"#, key: "k1")
        }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test("starting over removes the drafts, and nothing else")
    func restart() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.saveAll()
        _ = try await fixture.complete()
        try await fixture.restart()
        let state = try await fixture.get()
        #expect(state.sections.map(\.version) == [0, 0] && state.resumeSection == "about")
        #expect(state.complete, "the flag stays")
        #expect(try await fixture.read("profile") != nil)
        try await fixture.restart()
        #expect(try await fixture.identity.audited("onboarding.restarted") == 1)
        #expect(try await fixture.save("about", "{}", base: 0).version == 3)
        let error = try await refusal { try await fixture.complete() }
        #expect(error.fields == ["about.name", "aims.target"])
    }

    @Test("the drafts are documents that their owner reads and cannot write")
    func documents() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.save("aims", #"{"target":7}"#, screen: "target")
        let drafts = try await fixture.handler.documents.listDocuments(
            .init(
                collection: "onboarding",
                withJson: true), fixture.identity.relayed(fixture.token)
        ).documents
        #expect(drafts.map(\.name) == ["aims"])
        #expect(drafts.map(\.json) == [#"{"target":7}"#], "as GetOnboarding has it")
        let read = try await fixture.handler.documents.readDocument(
            .init(collection: "onboarding", name: "aims"),
            fixture.identity.relayed(fixture.token)
        ).document
        #expect(read == drafts.first)
        let error = try await refusal { try await fixture.write("onboarding", "{}") }
        #expect(error.code == .invalidDocument)
    }
}

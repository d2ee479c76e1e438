import JSON
import ServiceRuntime
import Testing

@testable import PersonalData

@Suite("G-18: sections of onboarding by the operator's rules")
struct OnboardingRulesTests {
    private static let text = """
        collections:
          profile:
            fields:
              name: {type: text, required: true, length: [1, 5], reason: {en: To greet you., de: Zur Anrede.}}
              unit: {type: text, default: kg, one-of: [kg, lb]}
              id: {type: text, read-only: true}
              plan: {type: text, server-only: true}
        onboarding:
          sections:
            - name: first
              screens:
                - name: who
                  fields:
                    nick: {to: profile.name, length: [2, 5]}
                    id: {to: profile.id}
                    accepted: {type: boolean, required: true}
                - name: hello
            - name: second
              screens:
                - name: size
                  fields:
                    weightUnit: {to: profile.unit}
                    colour: {to: settings.colour, type: text}
        """

    private let onboarding: OnboardingRules

    init() throws { onboarding = try #require(try RulesText.rules(Self.text).onboarding) }

    private func first() throws -> OnboardingSectionRules {
        try #require(onboarding.section("first"))
    }

    @Test("G-18: sections and screens are in the order of the file, also those without fields")
    func order() throws {
        #expect(onboarding.sections.map(\.name) == ["first", "second"])
        #expect(try first().screens.map(\.name) == ["who", "hello"])
        #expect(onboarding.section("third") == nil)
    }

    @Test("G-18: a field takes over the rules of the field that it is written to, but for its own")
    func inherited() throws {
        let fields = try first().fields
        let nick = try #require(fields.first)
        #expect(nick.target == .init(collection: "profile", field: "name"))
        #expect(nick.rule.name == "nick" && nick.rule.isRequired)
        #expect(nick.rule.value.type == .text && nick.rule.value.length == 2...5)
        #expect(nick.rule.reason?.text(in: .english) == "To greet you.")
        #expect(!fields[1].rule.isReadOnly)
        #expect(fields[2].target == nil)
        #expect(onboarding.sections[1].fields[0].rule.defaultValue == .string("kg"))
    }

    @Test(
        "G-18: fields of a draft must be valid, and required ones may be missing",
        arguments: [
            ("{}", []), (#"{"nick": null}"#, []), (#"{"nick": "Ada"}"#, []),
            (#"{"nick": "A", "accepted": 1}"#, ["nick text-length", "accepted type"]),
            (#"{"name": "Ada"}"#, ["name unknown-field"]),
        ] as [(String, [String])])
    func draft(text: String, expected: [String]) throws {
        let violations = try first().violations(of: try JSONObject(text: text), voice: .english)
        #expect(violations.map { "\($0.field) \($0.rule)" } == expected)
    }

    @Test(
        "G-18: missing fields are named with their screen and the reason in the voice of the call")
    func missing() throws {
        let none = try first().missing(in: JSONObject(), voice: Voice(.german))
        #expect(
            none == [
                .init(field: "nick", screen: "who", reason: "Zur Anrede."),
                .init(field: "accepted", screen: "who", reason: ""),
            ])
        let draft = try JSONObject(text: #"{"nick": "Ada", "accepted": false}"#)
        #expect(try first().missing(in: draft, voice: .english) == [])
    }

    @Test("G-18: completion writes the fields that have a target, with defaults, by collection")
    func documents() throws {
        let documents = onboarding.documents(from: [
            "first": try JSONObject(text: #"{"nick": "Ada", "id": null, "accepted": true}"#),
            "second": try JSONObject(text: #"{"colour": "red"}"#),
        ])
        #expect(documents.map(\.collection) == ["profile", "settings"])
        #expect(
            documents.map(\.fields) == [
                try JSONObject(text: #"{"name": "Ada", "unit": "kg"}"#),
                try JSONObject(text: #"{"colour": "red"}"#),
            ])
        #expect(onboarding.documents(from: [:]).map(\.collection) == ["profile"])
    }

    @Test(
        "G-18: what completion could never write is a mistake",
        arguments: [
            ("to: nowhere.a", "there is no collection \"nowhere\""),
            ("to: onboarding.a", "there is no collection \"onboarding\""),
            ("to: profile", "it must be collection.field"),
            ("to: profile.a.b", "it must be collection.field"),
            ("to: profile.nothing", "profile has no field \"nothing\""),
            ("to: profile.plan", "only the server can write profile.plan"),
            ("to: profile.unit, type: number, default: 1, one-of: [1]", "has the type text"),
            ("to: profile.name, required: false", "profile.name is required"),
            ("required: true", "it needs a type"),
            ("type: text, read-only: true", "\"read-only\" is unknown here"),
        ])
    func targets(field: String, sentence: String) throws {
        let text = Self.text.replacing("{to: profile.unit}", with: "{\(field)}")
            .replacing("{to: profile.name, length: [2, 5]}", with: "{type: text}")
        let mistakes = try RulesText.mistakes(text)
        #expect(mistakes.contains { $0.contains(sentence) }, "\(mistakes)")
        #expect(mistakes.allSatisfy { $0.contains("weightUnit") }, "\(mistakes)")
    }

    @Test(
        "G-18: names that repeat, and parts that are missing, are mistakes",
        arguments: [
            ("name: second", "name: first", "\"first\" is the name of another section"),
            ("name: hello", "name: who", "\"who\" is the name of another screen"),
            (
                "- name: hello", "- name: hello\n          fields: {id: {type: text}}",
                "another field"
            ),
            ("settings.colour", "profile.name", "two fields are written to profile.name"),
            ("name: hello", "nam: hello", "the screen needs a name"),
            ("name: hello", "name: hello.you", "the screen needs a name"),
            ("colour:", "co.lour:", "a field's name is"),
        ])
    func structure(part: String, other: String, sentence: String) throws {
        let mistakes = try RulesText.mistakes(Self.text.replacing(part, with: other))
        #expect(mistakes.contains { $0.contains(sentence) }, "\(mistakes)")
    }

    @Test("G-18: a section has at least one screen, and onboarding one section")
    func none() throws {
        #expect(
            try RulesText.mistakes("onboarding: {sections: []}")
                == ["line 1 onboarding.sections: it must be a list of 1 to 20 sections"])
        #expect(
            try RulesText.mistakes("onboarding: {sections: [{name: a, screens: []}]}")
                == ["line 1 onboarding.sections[0].screens: it must be a list of 1 to 50 screens"])
        #expect(
            try RulesText.mistakes("onboarding: {sections: [{name: a}]}")
                == ["line 1 onboarding.sections[0]: screens are missing"])
    }
}

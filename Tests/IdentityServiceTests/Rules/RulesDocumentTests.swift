import FoundationEssentials
import JSON
import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("I-07: the rules file is read with all its mistakes at once")
struct RulesDocumentTests {
    @Test("I-07: collections replace the built-in ones, and new ones come after them")
    func collections() throws {
        let rules = try RulesText.rules(
            """
            collections:
              orders: {needs: account}
              settings: {needs: verified, fields: {theme: {type: text}}}
            """)
        #expect(
            rules.collections.map(\.name)
                == ["profile", "goals", "settings", "preferences", "onboarding", "orders"])
        #expect(rules.collection("orders")?.need == .account)
        #expect(rules.collection("orders")?.allowsOtherFields == true)
        #expect(rules.collection("settings")?.need == .verified)
        #expect(rules.collection("settings")?.allowsOtherFields == false)
        #expect(rules.collection("profile")?.need == .nothing)
    }

    @Test("I-07: the display name is a text of the profile")
    func displayName() throws {
        let rules = try RulesText.profile(
            "fields: {a: {type: text}, name: {type: text, display-name: true}}")
        #expect(rules.displayNameField == "name")
        #expect(DocumentRules.standard.collection("profile")?.displayNameField == nil)
    }

    @Test("I-07: JSON has the same form, and its mistakes have paths")
    func json() throws {
        let text = #"""
            {"collections": {"profile": {"fields": {
                "age": {"type": "integer", "range": [18, null], "reason": {"en": "Adults."}}
            }}}}
            """#
        let document = try RulesText.document(text, name: "rules.json")
        #expect(try document.rules?.collection("profile")?.broken(#"{"age": 3}"#) == ["age range"])
        #expect(
            try RulesText.mistakes(
                text.replacing("integer", with: "int").replacing("Adults.", with: ""),
                name: "rules.json"
            ).map { $0.prefix { $0 != ":" } } == ["collections.profile.fields.age.type"])
        #expect(
            try RulesText.mistakes("{\n\"collections\": }", name: "rules.json")
                == ["line 2: not a JSON value"])
    }

    @Test("I-07: all mistakes of a file are reported, each with its line and path")
    func all() throws {
        let mistakes = try RulesText.mistakes(
            """
            collections:
              Profile: {}
              onboarding: {}
              profile:
                needs: payment
                field: {}
                fields:
                  age: {type: int}
                  name: {type: text, range: [1, 2], display-name: true}
                  nick: {type: text, display-name: maybe}
              goals:
                needs: nothing
                other-fields: yes
                fields: {goal: {type: text, display-name: true}}
            onboarding: {}
            """)
        #expect(
            mistakes.map { $0.prefix { $0 != ":" } } == [
                "line 2 collections.Profile", "line 3 collections.onboarding",
                "line 5 collections.profile.needs", "line 6 collections.profile.field",
                "line 8 collections.profile.fields.age.type",
                "line 9 collections.profile.fields.name.range",
                "line 10 collections.profile.fields.nick.display-name",
                "line 12 collections.goals.needs", "line 13 collections.goals.other-fields",
                "line 14 collections.goals.fields.goal.display-name", "line 15 onboarding",
            ])
    }

    @Test(
        "I-07: a field's rules must fit its type and each other",
        arguments: [
            ("{}", "it needs a type"), ("text", "it must have members"),
            ("{type: text, range: [1, 2]}", "range is for integer, number"),
            ("{type: integer, length: [1, 2]}", "length is for text, list"),
            ("{type: number, pattern: 'a'}", "pattern is for text"),
            ("{type: boolean, one-of: [true]}", "one-of is for"),
            ("{type: text, items: {type: text}}", "items is for list"),
            ("{type: list, fields: {a: {type: text}}}", "fields is for object"),
            ("{type: integer, range: [2, 1]}", "the first number is larger"),
            ("{type: integer, range: [1]}", "a list of 2 numbers"),
            ("{type: integer, range: [a, 2]}", "a bound is a number"),
            ("{type: integer, range: 5}", "a list of 2 numbers"),
            ("{type: text, length: [-1, 2]}", "a length is a whole number"),
            ("{type: text, length: [0, 1.5]}", "a length is a whole number"),
            ("{type: text, length: [1, 70000]}", "a length is a whole number"),
            ("{type: text, pattern: '(a'}", "the pattern is not valid: a ( has no )"),
            ("{type: text, pattern: '^a$'}", "leave out ^ and $"),
            ("{type: text, pattern: 5}", "a pattern is a text"),
            ("{type: text, one-of: []}", "a list of 1 to 256 values"),
            ("{type: text, one-of: [1]}", "needs quotes"),
            ("{type: integer, one-of: [a]}", "not of the type integer"),
            ("{type: text, required: 1}", "true or false"),
            ("{type: integer, default: a}", "the default breaks the rule type"),
            ("{type: integer, range: [1, 2], default: 3}", "the default breaks the rule range"),
            ("{type: list, items: {type: text}, default: [a, 1]}", "([1])"),
            ("{type: text, required: true, server-only: true}", "it needs a default"),
            ("{type: list, items: {type: text, required: true}}", "\"required\" is unknown here"),
            (
                "{type: object, fields: {a: {type: text, read-only: true}}}",
                "\"read-only\" is unknown"
            ),
            ("{type: integer, display-name: true}", "the display name must be a text"),
            ("{type: text, reason: ''}", "a reason is a text"),
            ("{type: text, reason: {en: a, nl: b}}", "\"nl\" is unknown here"),
            ("{type: text, to: goals.a}", "\"to\" is unknown here"),
        ])
    func fields(rule: String, sentence: String) throws {
        let mistakes = try RulesText.mistakes(
            "collections:\n  profile:\n    fields:\n      value: \(rule)\n")
        #expect(mistakes.count == 1, "\(mistakes)")
        #expect(mistakes.first?.contains(sentence) == true, "\(mistakes)")
        #expect(mistakes.first?.hasPrefix("line 4 collections.profile.fields.value") == true)
    }

    @Test(
        "I-07: a file without rules lifts none by accident",
        arguments: ["", "# nothing\n", "{}", "[]", "collections", "profile: {}"])
    func empty(text: String) throws {
        #expect(try RulesText.document(text).rules == nil)
    }

    @Test("I-07: the limits of a file's size are refused by name")
    func limits() throws {
        let fields = (0..<201).map { "      f\($0): {type: text}\n" }.joined()
        #expect(
            try RulesText.mistakes("collections:\n  profile:\n    fields:\n" + fields).first
                == "line 3 collections.profile.fields: more than 200 fields")
        let collections = (0..<51).map { "  c\($0): {}\n" }.joined()
        #expect(
            try RulesText.mistakes("collections:\n" + collections).first
                == "line 1 collections: more than 50 collections")
        let large = "collections: {a: {}}\n" + String(repeating: "#\n", count: 131_072)
        #expect(try RulesText.mistakes(large) == [": the file holds more than 262144 bytes"])
    }

    @Test("I-07: no file is the standard, and a file that is absent is a mistake")
    func absent() throws {
        let settings: PersonalDataSettings = try SettingsLoader.settings([])
        #expect(settings.rules.file == nil)
        let outcome = SettingsLoader(
            program: "test", summary: "", arguments: ["--rules-file=/nowhere/rules.yaml"],
            environment: [:]
        ).load(RulesSettings.self)
        guard case .exit(let text, _) = outcome else {
            Issue.record("the settings were accepted")
            return
        }
        #expect(text.contains("/nowhere/rules.yaml: the file cannot be read"))
    }
}

@Suite("I-07, G-18: the example of a rules file")
struct RulesExampleTests {
    private static let path = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "../../../docker/rules.example.yaml").path

    @Test("G-18: the example has 22 screens in five sections, and no mistake")
    func example() throws {
        let document = RulesDocument(path: Self.path)
        #expect(document.problems == [])
        let onboarding = try #require(document.rules?.onboarding)
        #expect(onboarding.sections.count == 5)
        #expect(onboarding.sections.map(\.screens.count) == [4, 4, 6, 4, 4])
        #expect(onboarding.sections.flatMap(\.screens).allSatisfy { !$0.fields.isEmpty })
    }

    @Test("G-18: every required field of the example has a reason in five languages")
    func reasons() throws {
        let rules = try #require(RulesDocument(path: Self.path).rules)
        let required = rules.collections.flatMap { $0.fields.filter(\.isRequired) }
        #expect(required.count == 13)
        for field in required {
            let languages = Set((field.reason?.texts ?? [:]).keys.map(\.language))
            #expect(languages == Set(Language.allCases), "\(field.name)")
        }
    }

    @Test("G-18: what the example requires is asked for, and completes the documents")
    func completion() throws {
        let rules = try #require(RulesDocument(path: Self.path).rules)
        let onboarding = try #require(rules.onboarding)
        let drafts = try [
            "get-started": JSONObject(
                text: """
                    {"name": "Ada", "age": 36, "biologicalSex": "female", "currentWeight": 61.5,
                     "height": 168, "activityLevel": "light", "exerciseFrequency": 3}
                    """),
            "your-goals": JSONObject(text: #"{"primaryGoal": "perform"}"#),
            "lifestyle": JSONObject(text: #"{"wakeTime": "07:00", "bedtime": "22:30"}"#),
            "review": JSONObject(
                text: """
                    {"dailyCalorieTarget": 2100, "macroTargets":
                     {"proteinGrams": 110, "carbohydrateGrams": 240, "fatGrams": 70}}
                    """),
        ]
        for section in onboarding.sections {
            let draft = drafts[section.name] ?? JSONObject()
            #expect(section.violations(of: draft, voice: .english) == [])
            #expect(section.missing(in: draft, voice: .english) == [], "\(section.name)")
        }
        let documents = onboarding.documents(from: drafts)
        #expect(documents.map(\.collection) == ["profile", "goals", "preferences"])
        for (name, fields) in documents {
            let collection = try #require(rules.collection(name))
            let document = collection.filled(fields, replacing: nil, by: .owner)
            #expect(
                collection.violations(
                    of: document, replacing: nil, by: .owner, voice: .english) == [])
        }
    }
}

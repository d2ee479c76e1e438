import JSON
import ServiceRuntime
import Testing

@testable import PersonalData

@Suite("I-07: documents are checked by the operator's rules")
struct CollectionRulesTests {
    @Test("I-07: without a file the five collections take any fields, and others do not exist")
    func standard() throws {
        let rules = DocumentRules.standard
        for name in ["profile", "goals", "settings", "preferences", "onboarding"] {
            let collection = try #require(rules.collection(name))
            #expect(try collection.broken(#"{"anything": [1, {"a": null}]}"#).isEmpty)
            #expect(collection.need == .nothing && collection.requiredFields.isEmpty)
        }
        #expect(rules.collection("orders") == nil)
        #expect(rules.onboarding == nil)
    }

    @Test(
        "I-07: each type accepts its values and no others",
        arguments: [
            ("text", [#""""#, #""a""#], ["1", "true", "[]", "{}"]),
            ("integer", ["0", "-5", "5.0", "5e3"], ["5.5", #""5""#, "true"]),
            ("number", ["0", "5.5", "-1e3"], [#""5""#, "[]"]),
            ("boolean", ["true", "false"], ["0", #""true""#]),
            ("list", ["[]", "[1, \"a\"]"], ["{}", #""a""#]),
            ("object", ["{}", #"{"a": 1}"#], ["[]", "1"]),
            (
                "date", [#""2024-02-29""#, #""2000-02-29""#, #""0001-01-01""#, #""9999-12-31""#],
                [
                    #""2023-02-29""#, #""1900-02-29""#, #""2024-13-01""#, #""2024-00-01""#,
                    #""2024-01-00""#, #""2024-1-1""#, #""0000-01-01""#, #""2024-01-01T00:00""#,
                    #""２０２４-01-01""#, "20240101",
                ]
            ),
            (
                "time", [#""00:00""#, #""23:59""#, #""07:30:15""#],
                [
                    #""24:00""#, #""12:60""#, #""12:30:60""#, #""7:30""#, #""12:30:""#, #""12""#,
                    "730",
                ]
            ),
        ] as [(String, [String], [String])])
    func types(type: String, accepted: [String], refused: [String]) throws {
        let rules = try RulesText.profile("fields: {value: {type: \(type)}}")
        for value in accepted {
            #expect(try rules.broken("{\"value\": \(value)}").isEmpty, "\(value)")
        }
        for value in refused {
            #expect(try rules.broken("{\"value\": \(value)}") == ["value type"], "\(value)")
        }
    }

    @Test(
        "I-07: values at the bounds are accepted, and those beyond are refused by their rule",
        arguments: [
            ("{type: integer, range: [18, 120]}", ["18", "120"], ["17", "121"], "range"),
            ("{type: number, range: [null, 0.5]}", ["-1e300", "0.5"], ["0.51"], "range"),
            (
                "{type: text, length: [1, 2]}", [#""a""#, #""äß""#, #""😀😀""#],
                [#""""#, #""abc""#], "text-length"
            ),
            ("{type: list, length: [null, 2]}", ["[]", "[1, 2]"], ["[1, 2, 3]"], "text-length"),
            (
                "{type: text, pattern: '[A-Z]{2}[0-9]+'}", [#""DE12""#],
                [#""de12""#, #""DE""#, #""DE12 ""#], "pattern"
            ),
            ("{type: text, one-of: [a, 'b c']}", [#""a""#, #""b c""#], [#""A""#], "enumeration"),
            ("{type: integer, one-of: [1, 2]}", ["1", "2.0"], ["3"], "enumeration"),
        ] as [(String, [String], [String], String)])
    func bounds(rule: String, accepted: [String], refused: [String], broken: String) throws {
        let rules = try RulesText.profile("fields: {value: \(rule)}")
        for value in accepted {
            #expect(try rules.broken("{\"value\": \(value)}").isEmpty, "\(value)")
        }
        for value in refused {
            #expect(try rules.broken("{\"value\": \(value)}") == ["value \(broken)"], "\(value)")
        }
    }

    @Test("I-07: a text whose length is refused is not matched")
    func lengthFirst() throws {
        let rules = try RulesText.profile(
            "fields: {value: {type: text, length: [0, 2], pattern: '[a-z]*'}}")
        #expect(try rules.broken(#"{"value": "ABC"}"#) == ["value text-length"])
        #expect(try rules.broken(#"{"value": "AB"}"#) == ["value pattern"])
    }

    @Test("I-07: a required field may neither be absent nor null, another one may")
    func required() throws {
        let rules = try RulesText.profile(
            "fields: {name: {type: text, required: true}, age: {type: integer}}")
        #expect(rules.requiredFields == ["name"])
        #expect(try rules.broken("{}") == ["name required"])
        #expect(try rules.broken(#"{"name": null, "age": null}"#) == ["name required"])
        #expect(try rules.broken(#"{"name": "Ada", "age": null}"#).isEmpty)
    }

    @Test("I-07: other fields are refused where fields are declared, unless the file allows them")
    func otherFields() throws {
        let refusing = try RulesText.profile("fields: {name: {type: text}}")
        #expect(
            try refusing.broken(#"{"b": 1, "name": "Ada", "a": 1}"#)
                == ["b unknown-field", "a unknown-field"])
        let allowing = try RulesText.profile("fields: {name: {type: text}}\nother-fields: allow")
        #expect(try allowing.broken(#"{"a": 1}"#).isEmpty)
        let empty = try RulesText.profile("other-fields: refuse")
        #expect(try empty.broken(#"{"a": 1}"#) == ["a unknown-field"])
    }

    @Test("I-07: violations inside lists and objects name their place")
    func inside() throws {
        let rules = try RulesText.profile(
            """
            fields:
              days: {type: list, items: {type: text, one-of: [mon, tue]}}
              address:
                type: object
                fields:
                  city: {type: text, required: true}
                  floors: {type: list, items: {type: integer, range: [0, 9]}}
            """)
        #expect(
            try rules.broken(
                #"{"days": ["mon", "x", 1], "address": {"floors": [1, 10], "zip": "1"}}"#) == [
                    "days[1] enumeration", "days[2] type", "address.city required",
                    "address.floors[1] range", "address.zip unknown-field",
                ])
    }

    @Test("I-07: a document with thousands of mistakes gets a limited number of violations")
    func limited() throws {
        let rules = try RulesText.profile(
            "fields: {days: {type: list, items: {type: text}}}")
        let list = Array(repeating: "1", count: 10_000).joined(separator: ",")
        #expect(try rules.broken("{\"days\": [\(list)]}").count == 20)
        let members = (0..<900).map { "\"f\($0)\": 1" }.joined(separator: ",")
        #expect(try rules.broken("{\(members)}").count == 50)
    }

    @Test("I-07: defaults fill absent fields and null, also inside an object that is there")
    func defaults() throws {
        let rules = try RulesText.profile(
            """
            fields:
              unit: {type: text, default: kg}
              notify: {type: object, fields: {meals: {type: boolean, default: true}}}
              count: {type: integer, default: 3}
            """)
        let filled = rules.filled(
            try JSONObject(text: #"{"unit": null, "notify": {}, "count": 0}"#), replacing: nil,
            by: .owner)
        #expect(
            filled
                == (try JSONObject(text: #"{"unit": "kg", "notify": {"meals": true}, "count": 0}"#))
        )
        let empty = rules.filled(JSONObject(), replacing: nil, by: .owner)
        #expect(empty == (try JSONObject(text: #"{"unit": "kg", "count": 3}"#)))
    }

    @Test("I-07: the operator's reason replaces the sentence of every violation of its field")
    func reasons() throws {
        let rules = try RulesText.profile(
            """
            fields:
              age:
                type: integer
                range: [18, 120]
                reason: {de: Erst ab 18., fr: À partir de 18 ans.}
              height: {type: number, reason: In centimetres.}
              weight: {type: number}
            """)
        func sentences(_ voice: Voice) throws -> [String?] {
            rules.violations(
                of: try JSONObject(text: #"{"age": 3, "height": "x", "weight": "x"}"#),
                replacing: nil, by: .owner, voice: voice
            ).map(\.sentence)
        }
        #expect(try sentences(Voice(.german)) == ["Erst ab 18.", "In centimetres.", nil])
        let formal = Voice(.german, isFormal: true)
        #expect(try sentences(formal) == ["Erst ab 18.", "In centimetres.", nil])
        #expect(try sentences(Voice(.french)).first == "À partir de 18 ans.")
        #expect(try sentences(.english).first == "Erst ab 18.")
    }
}

@Suite("I-07: fields that the owner cannot change")
struct ProtectedFieldTests {
    private let rules: CollectionRules

    init() throws {
        rules = try RulesText.profile(
            """
            other-fields: allow
            fields:
              birthday: {type: date, read-only: true}
              plan: {type: text, default: free, server-only: true}
              score: {type: number, server-only: true}
            """)
    }

    @Test("I-07: the owner sets a read-only field once; then it neither changes nor goes")
    func readOnly() throws {
        let set = #"{"birthday": "2000-01-31"}"#
        #expect(try rules.broken(set).isEmpty)
        #expect(try rules.broken(set, replacing: "{}").isEmpty)
        #expect(try rules.broken(set, replacing: set).isEmpty)
        #expect(
            try rules.broken(#"{"birthday": "2000-02-01"}"#, replacing: set)
                == ["birthday read-only"])
        #expect(try rules.broken("{}", replacing: set) == ["birthday read-only"])
        #expect(try rules.broken(#"{"birthday": null}"#, replacing: set) == ["birthday read-only"])
        #expect(
            try rules.broken(#"{"birthday": "2000-02-01"}"#, replacing: set, by: .backend).isEmpty)
    }

    @Test("I-07: the owner cannot set a server-only field, and the server can")
    func serverOnly() throws {
        #expect(try rules.broken(#"{"plan": "plus"}"#) == ["plan server-only"])
        #expect(try rules.broken(#"{"score": 1}"#) == ["score server-only"])
        #expect(try rules.broken(#"{"plan": "plus", "score": 1}"#, by: .backend).isEmpty)
    }

    @Test("I-07: a whole document by the owner keeps the server's values")
    func kept() throws {
        let former = try JSONObject(text: #"{"plan": "plus", "score": 7, "a": 1}"#)
        let filled = rules.filled(
            try JSONObject(text: #"{"a": 2}"#), replacing: former, by: .owner)
        #expect(filled == (try JSONObject(text: #"{"a": 2, "plan": "plus", "score": 7}"#)))
        let text = #"{"plan": "plus", "score": 7}"#
        #expect(try rules.broken(#"{"a": 2}"#, replacing: text).isEmpty)
        #expect(try rules.broken(#"{"score": 7.0, "plan": "plus"}"#, replacing: text).isEmpty)
        let removed = rules.filled(
            try JSONObject(text: #"{"a": 2}"#), replacing: former, by: .backend)
        #expect(removed == (try JSONObject(text: #"{"a": 2, "plan": "free"}"#)))
    }

    @Test("I-07: a declared field in another spelling, with U+212A for K, is refused")
    func respelled() throws {
        let rules = try RulesText.profile(
            """
            other-fields: allow
            fields:
              KYC: {type: text, server-only: true}
              home: {type: object, other-fields: allow, fields: {KM: {type: integer}}}
            """)
        let former = #"{"KYC": "failed"}"#
        #expect(
            try rules.broken(#"{"\u212AYC": "failed"}"#, replacing: former)
                == ["\u{212A}YC unknown-field"])
        #expect(
            try rules.broken(#"{"home": {"\u212AM": 1}}"#) == ["home.\u{212A}M unknown-field"])
        #expect(try rules.broken(#"{"\u212A": 1, "é": 2}"#).isEmpty)
    }

    @Test("I-07: a value of the owner for a server-only field is refused, not replaced")
    func refused() throws {
        let former = #"{"plan": "plus", "score": 7}"#
        #expect(try rules.broken(#"{"plan": "free"}"#, replacing: former) == ["plan server-only"])
        #expect(try rules.broken(#"{"score": 8}"#, replacing: former) == ["score server-only"])
    }
}

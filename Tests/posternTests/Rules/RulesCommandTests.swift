import JSON
import PersonalData
import TestSupport
import Testing

@testable import postern

@Suite("postern rules")
struct RulesCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let text = """
        collections:
          profile:
            needs: account
            fields:
              name: {type: text, required: true, length: [1, 80], pattern: '[A-Z].*', display-name: true}
              age: {type: integer, range: [18, null], default: 30}
              days: {type: list, items: {type: text, one-of: [mon, tue]}}
              address: {type: object, fields: {city: {type: text, required: true}}}
              plan: {type: text, server-only: true}
        onboarding:
          sections:
            - name: start
              screens:
                - name: who
                  fields:
                    name: {to: profile.name}
                    agreed: {type: boolean}
                - name: end
        """

    @Test("I-07: the summary counts what a file declares")
    func summary() throws {
        let rules = try RulesCommand.rules(try folder.write(Self.text, to: "rules.yaml"))
        #expect(
            rules.summary
                == "5 collections, 5 fields; onboarding of 1 sections, 2 screens, 2 fields")
        let other = try folder.write("collections: {orders: {}}", to: "other.yaml")
        #expect(try RulesCommand.rules(other).summary == "6 collections, 0 fields; no onboarding")
    }

    @Test("I-07: all mistakes of a file are the error, one on each line")
    func mistakes() throws {
        let path = try folder.write("collections: {A: {}}\nonboarding: {}\n", to: "rules.yaml")
        let error = #expect(throws: ToolError.self) { try RulesCommand.rules(path) }
        let lines = (error?.description ?? "").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("\(path) line 1 collections.A: ") == true)
        #expect(lines.last == "\(path) line 2 onboarding: sections are missing")
    }

    @Test("I-07: each field is a row with its rules")
    func rows() throws {
        let rules = try RulesCommand.rules(try folder.write(Self.text, to: "rules.yaml"))
        let rows = rules.collections.flatMap(\.rows).map(\.line)
        #expect(
            rows.prefix(6) == [
                "profile  account  name  text  required, display name, length 1 to 80, pattern [A-Z].*",
                "profile  account  age  integer  range [18,null], default 30",
                #"profile  account  days  list  items: text one of ["mon","tue"]"#,
                "profile  account  address  object  .city: text required",
                "profile  account  plan  text  server-only",
                "goals  nothing  *  other fields are allowed",
            ])
        #expect(
            (rules.onboarding?.sections ?? []).flatMap(\.rows).map(\.line) == [
                "start  who  name  profile.name  text, required, length 1 to 80, pattern [A-Z].*",
                "start  who  agreed  boolean", "start  end",
            ])
    }

    @Test("I-07: the JSON has the same")
    func json() throws {
        let rules = try RulesCommand.rules(try folder.write(Self.text, to: "rules.yaml"))
        let json = try #require(rules.json.object)
        let profile = try #require(json["collections"]?.array?.first?.object)
        #expect(profile["collection"] == .string("profile"))
        #expect(profile["needs"] == .string("account"))
        let name = try #require(profile["fields"]?.array?.first?.object)
        #expect(name["field"] == .string("name") && name["required"] == .boolean(true))
        #expect(name["length"] == .array([.integer(1), .integer(80)]))
        let section = try #require(json["sections"]?.array?.first?.object)
        #expect(section["screens"]?.array?.count == 2)
    }
}

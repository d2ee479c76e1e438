import ServiceRuntime
import Testing

@testable import Addresses

@Suite("I-05: numbers are checked by the numbering plan of their country")
struct NumberingPlanTests {
    /// A row of `NumberingPlanExamples`.
    struct Example: CustomTestStringConvertible, Sendable {
        let region: String
        let code: String
        let trunkPrefix: String?
        let own: String?
        let refused: [String]

        init(_ line: Substring) {
            let words = line.split(separator: " ").map(String.init)
            region = words[0]
            code = words[1]
            trunkPrefix = words[2] == "-" ? nil : words[2]
            own = words[3] == "-" ? nil : words[3]
            refused = Array(words.dropFirst(4))
        }

        var testDescription: String { "\(region) +\(code)" }
    }

    private static let examples: [Example] = NumberingPlanExamples.lines.split(separator: "\n")
        .map { Example($0) }

    private func error(_ number: String) -> ServiceError? {
        #expect(throws: ServiceError.self, "\(number)") { try PhoneNumber.required(number) }
    }

    @Test("I-05: an example number of each region is accepted", arguments: examples)
    func accepted(example: Example) {
        guard let own = example.own else { return }
        #expect(PhoneNumber("+\(example.code)\(own)")?.text == "+\(example.code)\(own)")
    }

    @Test(
        "B8: with the trunk prefix behind the country code, the example is refused",
        arguments: examples)
    func trunkPrefix(example: Example) throws {
        guard let own = example.own, let prefix = example.trunkPrefix else { return }
        let number = "+\(example.code)\(prefix)\(own)"
        #expect(error(number) == .invalidPhoneNumber(.trunkPrefix))
        let right = try #require(PhoneNumber("+\(example.code)\(own)"))
        #expect(right.formerTexts.contains(number))
    }

    @Test(
        "G-06: examples of premium-rate, shared-cost and voicemail numbers are refused",
        arguments: examples)
    func refused(example: Example) {
        for number in example.refused {
            #expect(error("+\(example.code)\(number)") == .invalidPhoneNumber(.numberKind))
        }
    }

    @Test("I-05: the examples are of all regions, most with a trunk prefix and refused numbers")
    func coverage() {
        let examples = Self.examples
        #expect(Set(examples.map(\.region)).count > 240)
        #expect(examples.count { $0.own != nil } > 240)
        #expect(examples.count { $0.trunkPrefix != nil } > 140)
        #expect(examples.count { !$0.refused.isEmpty } > 120)
    }

    @Test("I-05: each calling code of a country has a plan, and each plan's code an area")
    func codes() {
        let prefixes = Set(
            CallingCodeTable.lines.split(separator: "\n")
                .flatMap { $0.split(separator: " ").dropFirst() })
        for code in NumberingPlan.codes {
            #expect(prefixes.contains { $0.hasPrefix(code) }, "\(code)")
        }
        // +379 is assigned to the Vatican, which uses +39.
        for prefix in prefixes where prefix != "379" {
            #expect(
                (1...3).contains { NumberingPlan.codes.contains(String(prefix.prefix($0))) },
                "\(prefix)")
        }
    }

    @Test("I-05: no digits cause a trap, and former texts are refused")
    func hostile() {
        var seed: UInt64 = 1_505
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((seed >> 33) % UInt64(bound))
        }
        let codes = NumberingPlan.codes.sorted()
        for _ in 0..<50_000 {
            let code = next(4) == 0 ? "" : codes[next(codes.count)]
            let digits = code + (0..<next(16)).map { _ in "\(next(10))" }.joined()
            _ = NumberingPlan.rule(brokenBy: digits)
            guard let number = PhoneNumber("+" + digits) else { continue }
            for former in number.formerTexts { #expect(PhoneNumber(former) == nil, "\(former)") }
        }
        for text in ["", "0", "1", "4", "49", "490", "1٣", "é49", "\u{0}"] {
            #expect(PhoneNumber("+" + text) == nil)
            _ = NumberingPlan.rule(brokenBy: text)
        }
    }
}

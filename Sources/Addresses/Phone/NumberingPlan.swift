import ServiceRuntime

/// The numbers behind a calling code (ITU-T E.164): how long they are, the prefix of calls within
/// the country, and the kinds that get no codes.
///
/// Attack: many networks accept a number with the trunk prefix behind the country code, and
/// `+49 0151…` rings the phone of `+49 151…`. As two numbers, one phone would have two accounts,
/// and two of each limit. Attack: somebody with a revenue share on a premium-rate number requests
/// codes to it.
///
/// Source: the metadata of libphonenumber, by `make_numbering_plans.py`; the version is in the
/// table. A plan holds for the whole calling code: its countries differ in few lengths.
struct NumberingPlan: Sendable {
    /// How many digits national numbers have.
    private let digitCounts: SmallNumbers
    /// The prefixes of calls within the country, unless a person's number can begin with them. None
    /// for Italy, whose numbers keep their 0.
    private let trunkPrefixes: [String]
    /// Numbers that get no codes.
    private var refused: [LeadingDigits] = []

    /// The rule that a number breaks, given as digits with the country code. Nil for none, and for
    /// a code without a plan.
    static func rule(brokenBy digits: String) -> PhoneNumberRule? {
        guard let (plan, number) = Self.plan(of: digits) else { return nil }
        if plan.trunkPrefixes.contains(where: { plan.has($0, before: number) }) {
            return .trunkPrefix
        }
        guard plan.digitCounts.contains(number.utf8.count) else { return .digitCount }
        return plan.refused.contains { $0.matches(number.utf8) } ? .numberKind : nil
    }

    /// The digits of a number with each trunk prefix of its plan behind the country code.
    static func withTrunkPrefix(_ digits: String) -> [String] {
        guard let (plan, number) = Self.plan(of: digits) else { return [] }
        let code = digits.dropLast(number.utf8.count)
        return plan.trunkPrefixes.map { code + $0 + number }
    }

    /// The plan of a number, and the number without its country code. No code begins with another.
    private static func plan(of digits: String) -> (plan: NumberingPlan, number: Substring)? {
        for count in 1...codeDigitsMax {
            if let plan = plans[String(digits.prefix(count))] {
                return (plan, digits.dropFirst(count))
            }
        }
        return nil
    }

    /// Whether a number is another one with the trunk prefix before it.
    private func has(_ prefix: String, before number: Substring) -> Bool {
        number.hasPrefix(prefix) && digitCounts.contains(number.utf8.count - prefix.utf8.count)
    }
}

extension NumberingPlan {
    /// ITU-T E.164, 6.2.1.
    private static let codeDigitsMax = 3

    /// The calling codes with a plan.
    static var codes: Set<String> { Set(plans.keys) }

    /// Plans by calling code, read once at the first use.
    private static let plans: [String: NumberingPlan] = {
        var plans: [String: NumberingPlan] = [:]
        for words in rows(NumberingPlanTable.plans) where words.count == 3 {
            plans[String(words[0])] = NumberingPlan(
                digitCounts: SmallNumbers(ranges: words[1]),
                trunkPrefixes: words[2].split(separator: ",").map(String.init).filter { $0 != "-" })
        }
        for words in rows(NumberingPlanTable.refused) where words.count > 2 {
            plans[String(words[0])]?.refused += words.dropFirst(2).map { word in
                LeadingDigits(word, of: SmallNumbers(ranges: words[1]))
            }
        }
        return plans
    }()

    private static func rows(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map { $0.split(separator: " ") }
    }
}

/// A set of numbers below 16.
private struct SmallNumbers: Sendable {
    private var bits: UInt16 = 0

    init() {}

    /// Parses `7,9-10`.
    init(ranges text: Substring) {
        for range in text.split(separator: ",") {
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last else { continue }
            for number in stride(from: first, through: last, by: 1) { insert(number) }
        }
    }

    /// Numbers from 16 on are left out: the shift makes them 0.
    mutating func insert(_ number: Int) { bits |= 1 << number }

    func contains(_ number: Int) -> Bool { number >= 0 && bits >> number & 1 == 1 }
}

/// The first digits of numbers of one kind, and how many digits these numbers have.
private struct LeadingDigits: Sendable {
    private let counts: SmallNumbers
    /// The digits that are possible at each place.
    private var places: [SmallNumbers] = []

    /// Parses `137[79]`; a dot is any digit.
    init(_ pattern: Substring, of counts: SmallNumbers) {
        self.counts = counts
        var isInBrackets = false
        for character in pattern.utf8 {
            switch character {
            case UInt8(ascii: "["):
                isInBrackets = true
                places.append(SmallNumbers())
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: "."): places.append(SmallNumbers(ranges: "0-9"))
            default:
                if !isInBrackets { places.append(SmallNumbers()) }
                places[places.count - 1].insert(Self.digit(character))
            }
        }
    }

    func matches(_ number: Substring.UTF8View) -> Bool {
        counts.contains(number.count) && number.count >= places.count
            && zip(places, number).allSatisfy { $0.contains(Self.digit($1)) }
    }

    private static func digit(_ character: UInt8) -> Int {
        Int(character) - Int(UInt8(ascii: "0"))
    }
}

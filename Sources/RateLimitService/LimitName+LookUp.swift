package import Contracts
import Glibc

extension LimitName {
    /// How much is allowed, unless the operator overrides it.
    package var rule: LimitRule { definition.rule }

    /// What its flow does when the rate limiter does not answer.
    package var absence: LimiterAbsence { definition.absence }

    /// The limit with that number in the store.
    init?(number: UInt16) {
        guard Self.byNumber.indices.contains(Int(number)), let limit = Self.byNumber[Int(number)]
        else { return nil }
        self = limit
    }

    /// The limit with this name; nil if there is none. Faster than `init(rawValue:)`, which
    /// compares with one name after the other.
    static func called(_ name: String) -> LimitName? {
        var name = name
        return name.withUTF8 { called(UnsafeRawBufferPointer($0)) }
    }

    /// The same for a name's bytes. Few names have the same length, so no hash is needed.
    static func called(_ name: UnsafeRawBufferPointer) -> LimitName? {
        guard byLength.indices.contains(name.count), let start = name.baseAddress else {
            return nil
        }
        return byLength[name.count].first { memcmp($0.name, start, name.count) == 0 }?.limit
    }

    /// Each limit with the bytes of its name, by their number.
    private static let byLength: [[(name: [UInt8], limit: LimitName)]] = {
        let names = allCases.map { (name: Array($0.rawValue.utf8), limit: $0) }
        let longest = names.map(\.name.count).max() ?? 0
        return (0...longest).map { length in names.filter { $0.name.count == length } }
    }()

    private static let byNumber: [LimitName?] = {
        let last = allCases.map(\.number).max() ?? 0
        return (0...last).map { number in allCases.first { $0.number == number } }
    }()
}

/// What a flow does when the rate limiter does not answer.
package enum LimiterAbsence: String, Sendable {
    /// It refuses: otherwise guesses, or messages sent at our cost, would not be counted.
    case refuse
    /// It proceeds without being counted.
    case pass
}

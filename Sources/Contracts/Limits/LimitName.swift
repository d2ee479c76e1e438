import Glibc

/// A limit (R-01 … R-03). All that is declared about it is one row (`LimitDefinition`).
///
/// To add one:
/// 1. its number in the store, and its row, in the file of its group;
/// 2. the flow that charges it: `GatewayService/Limits/LimitedAction.swift`, and its row in
///    `LimitedActionTests`.
///
/// The table for people and the list of numbers are written by tests (`LimitTablesTests`,
/// `StoredNumberTests`). Settings in the operator's file, metrics, audit events, the tool's commands
/// and the property tests follow automatically.
package struct LimitName: Hashable, Sendable {
    /// Its number in the store, from 1; never reused, because stored states contain it. It is also
    /// its index in the tables in memory.
    package let number: UInt16

    /// For the files of the groups.
    init(_ number: UInt16) { self.number = number }
}

extension LimitName: CaseIterable {
    /// All limits, group by group.
    package static let allCases = rows.map(\.limit)

    private static let rows = LimitGroup.allCases.flatMap(\.limits)
}

extension LimitName {
    /// All that is declared about it. Each call reads it several times, so it is indexed once.
    package var definition: LimitDefinition { Self.definitions[Int(number)] }

    private static let definitions: [LimitDefinition] = {
        precondition(Set(allCases).count == allCases.count, "a number for each limit")
        var definitions = [LimitDefinition](repeating: rows[0], count: numberEnd)
        for row in rows { definitions[Int(row.limit.number)] = row }
        return definitions
    }()

    /// How many places a table by number needs. Numbers are never reused, so that of a removed
    /// limit stays empty, as 0 does.
    package static let numberEnd = Int(allCases.map(\.number).max() ?? 0) + 1

    /// How much is allowed, unless the operator overrides it.
    package var rule: LimitRule { definition.rule }

    /// Whether only the rate limiter charges it, as a part of others.
    package var isInternal: Bool { definition.charger != .flow }

    /// Whether the operator may change it.
    package var isOperators: Bool { definition.charger != .limiterFixed }

    /// The limit with that number in the store.
    package init?(number: UInt16) {
        guard Self.byNumber.indices.contains(Int(number)), let limit = Self.byNumber[Int(number)]
        else { return nil }
        self = limit
    }

    private static let byNumber: [LimitName?] = {
        var limits = [LimitName?](repeating: nil, count: numberEnd)
        for limit in allCases { limits[Int(limit.number)] = limit }
        return limits
    }()
}

extension LimitName {
    /// The limits on guesses at one account. While one of them refuses, the account is locked for
    /// all but known devices (`AuditKind.accountLocked`).
    package static let locksOfAccounts: Set<LimitName> = [
        .failedSignInByAccount, .failedSignInInARow, .phoneCodeGuess,
    ]
}

extension LimitName: CustomStringConvertible {
    /// Its name on the wire, in the operator's file and in metrics.
    package var rawValue: String { Self.definitions[Int(number)].name }

    /// The same.
    package var description: String { rawValue }

    /// The limit with this name; nil if there is none. Few names have the same length, so no hash
    /// is needed.
    package init?(rawValue: String) {
        var name = rawValue
        let found = name.withUTF8 { name -> LimitName? in
            guard Self.byLength.indices.contains(name.count), let start = name.baseAddress else {
                return nil
            }
            return Self.byLength[name.count]
                .first { memcmp($0.name, start, name.count) == 0 }?.limit
        }
        guard let found else { return nil }
        self = found
    }

    /// Each limit with the bytes of its name, by their number.
    private static let byLength: [[(name: [UInt8], limit: LimitName)]] = {
        let names = allCases.map { (name: Array($0.rawValue.utf8), limit: $0) }
        let longest = names.map(\.name.count).max() ?? 0
        return (0...longest).map { length in names.filter { $0.name.count == length } }
    }()
}

import TestSupport
import Testing

/// Cases that run side by side, each with its own server and callers: most of the time they wait,
/// for a deadline or until a breaker lets calls pass again. In a long run each case runs alone, so
/// that its figures are not disturbed.
struct FaultGroup: Sendable, CustomTestStringConvertible {
    private static let width = SoakRounds.isLong ? 1 : 5

    private let cases: [FaultCase]

    var testDescription: String { cases.map(\.name).joined(separator: "; ") }

    /// Splits the cases into groups.
    static func of(_ cases: [FaultCase]) -> [FaultGroup] {
        stride(from: 0, to: cases.count, by: width).map { first in
            FaultGroup(cases: Array(cases[first..<min(first + width, cases.count)]))
        }
    }

    /// Runs all cases and returns when all are done.
    func each(_ body: @escaping @Sendable (FaultCase) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for fault in cases { tasks.addTask { try await body(fault) } }
            try await tasks.waitForAll()
        }
    }
}

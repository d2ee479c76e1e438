import ServiceRuntime
import Synchronization
import Testing

@testable import Storage

/// Flows with numbers, each of which writes two rows into a table in which a number can be twice:
/// so a flow that was lost, or done in halves, or done again, can be seen.
enum DoneFlows {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE done (
                    id INTEGER PRIMARY KEY, number INTEGER NOT NULL, half INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX done_by_number ON done (number)
                """)
    ]

    /// The flow of a number.
    static func flow(_ number: Int64) -> @Sendable (Transaction) throws -> Void {
        { transaction in
            // A round trip of its own, after which the server knows of the transaction.
            _ = try transaction.query("SELECT id FROM done WHERE number = ?", [.integer(number)]) {
                try $0.integer(0)
            }
            for half in 0...1 {
                try transaction.put(
                    "INSERT INTO done (number, half) VALUES (?, ?)",
                    [.integer(number), .integer(Int64(half))])
            }
        }
    }

    /// What the callers of flows learned.
    final class Outcomes: Sendable {
        struct State {
            var acknowledged: Set<Int64> = []
            var unknown: Set<Int64> = []
            var undone: Set<Int64> = []
        }

        private let state = Mutex(State())

        var all: State { state.withLock { $0 } }

        /// Runs a flow, and remembers what its caller learns.
        /// - Returns: whether it was acknowledged.
        @discardableResult
        func record(_ number: Int64, _ flow: () async throws -> Void) async throws -> Bool {
            do {
                try await flow()
                state.withLock { _ = $0.acknowledged.insert(number) }
                return true
            } catch let error as ServiceError where error.code == .unavailable {
                _ = state.withLock { state in
                    if error.notProcessed {
                        state.undone.insert(number)
                    } else {
                        state.unknown.insert(number)
                    }
                }
                return false
            }
        }

        /// Compares what was learned with the rows.
        func expectKept(_ rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) {
            let (all, halves) = (all, Dictionary(grouping: rows, by: \.number))
            let lost = all.acknowledged.filter { halves[$0] == nil }
            #expect(lost.isEmpty, "lost", sourceLocation: sourceLocation)
            let doubled = halves.filter { $0.value.map(\.half).sorted() != [0, 1] }
            #expect(doubled.isEmpty, "in halves, or twice", sourceLocation: sourceLocation)
            let undone = all.undone.filter { halves[$0] != nil }
            #expect(undone.isEmpty, "done, though refused", sourceLocation: sourceLocation)
            let known = all.acknowledged.union(all.unknown)
            #expect(
                halves.keys.allSatisfy { known.contains($0) }, "done, and nobody asked",
                sourceLocation: sourceLocation)
        }
    }

    /// A row.
    struct Row: Hashable, Sendable {
        let number: Int64
        let half: Int64
    }
}

extension SQLSession {
    func done() throws -> [DoneFlows.Row] {
        try query("SELECT number, half FROM done") {
            DoneFlows.Row(number: try $0.integer(0), half: try $0.integer(1))
        }
    }
}

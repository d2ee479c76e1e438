import ServiceRuntime
import Storage

/// Pairs of calls about one account, several pairs at once, against a server. What a pair leaves is
/// compared with what the two calls leave one after the other.
///
/// `Interleavings` tries every order of two flows' statements in one transaction; this lets the
/// server's own locks decide.
package struct PairStorm {
    /// A call of a handler.
    package typealias Call = @Sendable () async throws -> Void

    /// Two calls about an account of their own.
    package struct Pair: Sendable {
        fileprivate let calls: [Call]
        fileprivate let look: @Sendable () async throws -> String

        /// - Parameter look: reads what is compared, for example numbers of rows.
        package init(
            _ first: @escaping Call, _ second: @escaping Call,
            look: @escaping @Sendable () async throws -> String
        ) {
            calls = [first, second]
            self.look = look
        }
    }

    /// Pairs that run at once. With so many connections as `connections`, each call has one.
    private static let pairsAtOnce = 8
    /// A store for a storm.
    package static let connections = 16
    /// How often a call is made that the server refused for a moment.
    private static let triesMax = 100

    /// What the two serial orders of a kind of pair leave.
    private var serial: [String: Set<String>] = [:]
    /// How many pairs have run at once with others.
    package private(set) var pairs = 0
    /// What pairs left that no serial order leaves, each with the kind of pair.
    package private(set) var wrong: Set<String> = []

    /// No pair has run.
    package init() {}

    /// Runs pairs of a kind at once. The first time, it runs one in each serial order before.
    /// - Parameter arrange: makes an account, and the two calls.
    /// - Throws: what `arrange` and looking throw; an error of a call that no handler throws.
    package mutating func run(_ kind: String, _ arrange: () async throws -> Pair) async throws {
        if serial[kind] == nil {
            serial[kind] = [
                try await Self.left(by: try await arrange(), inOrder: [0, 1]),
                try await Self.left(by: try await arrange(), inOrder: [1, 0]),
            ]
        }
        var arranged: [Pair] = []
        for _ in 0..<Self.pairsAtOnce { arranged.append(try await arrange()) }
        let found = try await withThrowingTaskGroup(of: String.self) { group in
            for pair in arranged { group.addTask { try await Self.left(by: pair) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        pairs += arranged.count
        for left in found.subtracting(serial[kind] ?? []) { wrong.insert("\(kind): \(left)") }
    }

    private static func left(by pair: Pair, inOrder order: [Int]) async throws -> String {
        var outcomes = ["", ""]
        for index in order { outcomes[index] = try await outcome(of: pair.calls[index]) }
        return "\(outcomes) " + (try await pair.look())
    }

    private static func left(by pair: Pair) async throws -> String {
        async let first = outcome(of: pair.calls[0])
        async let second = outcome(of: pair.calls[1])
        let outcomes = [try await first, try await second]
        return "\(outcomes) " + (try await pair.look())
    }

    /// What a call's caller learns. A refusal is a right outcome of one of the two.
    private static func outcome(of call: Call) async throws -> String {
        for _ in 0..<triesMax {
            do {
                try await call()
                return "done"
            } catch let error as ServiceError where error.code == .unavailable {
                // The server could not order it beside the others, and nothing of it was done.
                try await Task.sleep(for: .milliseconds(5))
            } catch let error as ServiceError {
                return error.code.rawValue
            } catch let error as SQLError {
                return error.description
            }
        }
        return "refused \(triesMax) times"
    }
}

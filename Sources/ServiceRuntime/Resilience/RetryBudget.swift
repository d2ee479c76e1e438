/// How many retries a client may still add to what its callers ask for. Without it, each layer that
/// tries three times multiplies the load of a server that is already failing, and it cannot recover.
///
/// Ten tokens at the most. A failure takes one, a success gives a tenth back, and below five nothing
/// is tried again: at a failing server five retries in all, at a healthy one every tenth call.
/// Source: gRPC A6, "Throttling Retry Attempts and Hedged RPCs".
package struct RetryBudget: Hashable, Sendable {
    /// A full budget, in tenths of a token.
    package static let tenthsMax = 100
    /// Below this nothing is tried again, in tenths of a token.
    package static let tenthsNeeded = 50
    private static let tenthsOfFailure = 10
    private static let tenthsOfSuccess = 1

    /// What is left, in tenths of a token.
    package private(set) var tenths = RetryBudget.tenthsMax

    /// A full one.
    package init() {}

    /// Whether something may be tried again.
    package var permitsRetry: Bool { tenths >= Self.tenthsNeeded }

    /// A try failed; also the price of a second try that goes out before the first has ended.
    package mutating func spend() { tenths = max(0, tenths - Self.tenthsOfFailure) }

    /// A try was answered.
    package mutating func earn() { tenths = min(Self.tenthsMax, tenths + Self.tenthsOfSuccess) }
}

/// A token bucket that bounds a client's retries. Without it, each layer that tries three times
/// multiplies the load on a server that already fails, and the server cannot recover.
///
/// The bucket holds ten tokens at most. A failure takes one token, a success returns a tenth, and
/// below five tokens no call is retried: five retries in all at a failing server, every tenth call
/// at a healthy one.
/// Source: gRPC A6, "Throttling Retry Attempts and Hedged RPCs".
package struct RetryBudget: Hashable, Sendable {
    /// A full budget, in tenths of a token.
    package static let tenthsMax = 100
    /// The least number of tokens that permits a retry, in tenths of a token.
    package static let tenthsNeeded = 50
    private static let tenthsOfFailure = 10
    private static let tenthsOfSuccess = 1

    /// The tokens left, in tenths of a token.
    package private(set) var tenths = RetryBudget.tenthsMax

    /// A full budget.
    package init() {}

    /// Whether a retry is permitted.
    package var permitsRetry: Bool { tenths >= Self.tenthsNeeded }

    /// Takes a token: for a failed try, and for a hedged try that starts before the first has
    /// ended.
    package mutating func spend() { tenths = max(0, tenths - Self.tenthsOfFailure) }

    /// Returns a tenth of a token, for a try that was answered.
    package mutating func earn() { tenths = min(Self.tenthsMax, tenths + Self.tenthsOfSuccess) }
}

package import ServiceRuntime

/// The operation on a batch.
package enum LimitOperation: Sendable {
    /// Returns the decision that a charge would get; changes nothing.
    case peek
    /// Charges every request or, if one that is enforced is limited, none.
    case consume
    /// The attempt succeeded: ladders and locks start over; limits on all attempts continue.
    case success
    /// Refunds the charges that `consume` made at that moment.
    case refund(at: Timestamp)
    /// Deletes the subjects' states.
    case reset
}

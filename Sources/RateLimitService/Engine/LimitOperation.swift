package import ServiceRuntime

/// What is done with a batch.
package enum LimitOperation: Sendable {
    /// Tells what a charge would be answered; changes nothing.
    case peek
    /// Charges every request or, if one that is enforced is limited, none.
    case consume
    /// The attempt succeeded: ladders and locks begin anew; what counts all goes on.
    case success
    /// Takes the charges that `consume` made at that moment back.
    case refund(at: Timestamp)
    /// Forgets the subjects.
    case reset
}

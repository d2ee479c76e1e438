/// How a call ended, in gRPC's seventeen codes, which callers in every language know.
/// Source: https://grpc.io/docs/guides/status-codes/
package enum StatusCode: Int32, CaseIterable, Sendable {
    /// Done.
    case ok = 0
    /// The caller gave up.
    case cancelled = 1
    /// Nothing better is known.
    case unknown = 2
    /// The request can never work as it is.
    case invalidArgument = 3
    /// Time ran out; the effect may or may not have happened.
    case deadlineExceeded = 4
    /// What was asked for is not there.
    case notFound = 5
    /// What should be made exists.
    case alreadyExists = 6
    /// The caller is known and may not do this.
    case permissionDenied = 7
    /// A limit of rate, memory or size is reached.
    case resourceExhausted = 8
    /// The system is not in the state that this needs.
    case failedPrecondition = 9
    /// Lost against a concurrent change.
    case aborted = 10
    /// Past the end of what is valid.
    case outOfRange = 11
    /// No such method.
    case unimplemented = 12
    /// Our fault.
    case `internal` = 13
    /// Not reachable or not ready; try again.
    case unavailable = 14
    /// Stored data is broken.
    case dataLoss = 15
    /// The caller has not proved who it is.
    case unauthenticated = 16
}

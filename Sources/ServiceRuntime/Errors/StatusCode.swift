/// How a call ended: gRPC's seventeen status codes, which clients in every language know.
/// Source: https://grpc.io/docs/guides/status-codes/
package enum StatusCode: Int32, CaseIterable, Sendable {
    /// The call succeeded.
    case ok = 0
    /// The caller cancelled the call.
    case cancelled = 1
    /// An error without a more precise code.
    case unknown = 2
    /// The request is invalid, in any state of the system.
    case invalidArgument = 3
    /// The deadline passed. The effect may or may not have happened.
    case deadlineExceeded = 4
    /// The requested object does not exist.
    case notFound = 5
    /// The object to create exists already.
    case alreadyExists = 6
    /// The caller is authenticated but not allowed to do this.
    case permissionDenied = 7
    /// A rate limit, memory limit or size limit is reached.
    case resourceExhausted = 8
    /// The system is not in the state that this call needs.
    case failedPrecondition = 9
    /// The call lost against a concurrent change.
    case aborted = 10
    /// The value is past the end of the valid range.
    case outOfRange = 11
    /// The method does not exist.
    case unimplemented = 12
    /// An error of the server.
    case `internal` = 13
    /// The server is not reachable or not ready; retry.
    case unavailable = 14
    /// Stored data is corrupt.
    case dataLoss = 15
    /// The caller is not authenticated.
    case unauthenticated = 16
}

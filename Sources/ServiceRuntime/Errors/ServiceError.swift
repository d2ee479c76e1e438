/// The one error type that crosses between services and reaches callers: a code of the catalogue
/// and the details of this occurrence. `detail` is for the log and never leaves the program.
package struct ServiceError: Error, Hashable, Sendable {
    /// The code, an entry of the catalogue.
    package let code: ErrorCode
    /// How long to wait before a retry can succeed, where that is known.
    package let retryAfter: Duration?
    /// The request's fields, or the rules, that are at fault (`email`, `password.upper-case`). With
    /// `auth/requires-recent-login`: the fields of `Reauthenticate` that would help (`password`).
    /// With `rpc/unavailable`: the part that fails (`store`, `session`, `session.store`).
    package let fields: [String]
    /// What happened, for the operator's log only.
    package let detail: String
    /// The server has not begun to process this call, so sending it again is safe.
    package let notProcessed: Bool
    /// The peer that this program called has not begun to process its part of the call, so the peer
    /// did nothing. Valid only in the calling program: it is not sent on the wire, since that
    /// program itself has begun.
    package var isUnbegunByPeer = false
    /// The sentence for the user that replaces the catalogue's, where this occurrence needs more
    /// detail: for example how long to wait, in the user's language. X-02 applies to it too.
    package var sentence: String?

    /// An error of the catalogue.
    package init(
        _ code: ErrorCode, retryAfter: Duration? = nil, fields: [String] = [],
        detail: String = "", notProcessed: Bool = false
    ) {
        self.code = code
        self.retryAfter = retryAfter
        self.fields = fields
        self.detail = detail
        self.notProcessed = notProcessed
    }

    /// Whether certainly nothing was done, neither by this program nor by the peer that it called.
    package var didNothing: Bool { notProcessed || isUnbegunByPeer }

    /// The gRPC status that is sent with the code.
    package var status: StatusCode { code.entry.status }
}

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

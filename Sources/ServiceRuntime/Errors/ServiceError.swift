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

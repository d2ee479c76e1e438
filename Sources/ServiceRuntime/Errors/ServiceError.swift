/// The one error that crosses between services and to callers: a catalogue entry and the figures
/// of this occasion. `detail` is for the log and never leaves the program.
package struct ServiceError: Error, Hashable, Sendable {
    /// Which entry of the catalogue.
    package let code: ErrorCode
    /// How long to wait before a retry can work, where that is known.
    package let retryAfter: Duration?
    /// The request's fields, or the rules, that are at fault (`email`, `password.upper-case`); with
    /// `auth/requires-recent-login` the fields of `Reauthenticate` that would help (`password`);
    /// with `rpc/unavailable` the part that fails (`store`, `session`, `session.store`).
    package let fields: [String]
    /// What happened, for the operator's log only.
    package let detail: String
    /// The server has not begun this call, so sending it again is safe.
    package let notProcessed: Bool
    /// The peer that this program called has not begun its part of the call: nothing was done there.
    /// For the program that called only; it never crosses the wire, since that program has begun.
    package var isUnbegunByPeer = false
    /// What a person reads instead of the catalogue's sentence, where this occasion has more to
    /// say: how long to wait, in his language. It keeps to the same rule.
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

    /// Whether it is certain that nothing was done: neither here nor by the peer that was called.
    package var didNothing: Bool { notProcessed || isUnbegunByPeer }

    /// The status that travels beside the code.
    package var status: StatusCode { code.entry.status }
}

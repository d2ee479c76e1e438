package import Messages
package import ServiceRuntime

extension EndReason {
    /// The reason on the wire.
    package var message: GatewayV1.EndReason { GatewayV1.EndReason(rawValue: Int32(rawValue)) }

    /// The reason of a message; nil for none or an unknown one.
    package init?(_ message: GatewayV1.EndReason) {
        self.init(rawValue: Int64(message.rawValue))
    }
}

extension SessionV1.InspectSessionResponse {
    /// Why the access token that was inspected is refused:
    ///
    ///     the access token     the session is required      it is optional
    ///     expired, live        auth/invalid-access-token    auth/invalid-access-token: refresh first
    ///     of an ended session  auth/session-ended           auth/session-ended: drop it, call again
    ///     not issued by us     auth/invalid-access-token    auth/session-ended (`unknown`)
    ///
    /// An expired token must not count as none where the session is optional. Otherwise a guest's
    /// data would stay in an account that can no longer be reached, while the user believes it was
    /// kept.
    package func refusal(unknown: ErrorCode = .invalidAccessToken) -> ServiceError {
        guard known else { return ServiceError(unknown) }
        return live
            ? ServiceError(.invalidAccessToken) : ServiceError.sessionEnded(EndReason(endReason))
    }
}

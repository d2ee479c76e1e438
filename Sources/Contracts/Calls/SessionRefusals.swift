package import Messages
package import ServiceRuntime

extension ServiceError {
    /// `auth/session-ended` with the session's reason, where it has one.
    package static func sessionEnded(_ reason: GatewayV1.EndReason) -> ServiceError {
        let known: SessionEndReason? =
            switch reason {
            case .signedOut: .signedOut
            case .inactive: .inactive
            case .maximumAge: .maximumAge
            case .displaced: .displaced
            case .replayed: .replayed
            case .security: .security
            case .revoked: .revoked
            case .providerRevoked: .providerRevoked
            case .accountDeleted: .accountDeleted
            case .unspecified, .unrecognized: nil
            }
        return sessionEnded(known)
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
        return live ? ServiceError(.invalidAccessToken) : ServiceError.sessionEnded(endReason)
    }
}

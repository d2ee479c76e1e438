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

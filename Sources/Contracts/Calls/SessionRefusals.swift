import Cryptography
package import Messages
import RPC
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
    ///
    /// The message of `auth/invalid-access-token` says to a developer which it is (`AccessTokenFault`).
    /// - Parameter token: the one that was inspected.
    package func refusal(
        of token: String, unknown: ErrorCode = .invalidAccessToken
    ) -> ServiceError {
        guard known else {
            guard unknown == .invalidAccessToken else { return ServiceError(unknown) }
            return AccessTokenFault(unknown: token).error
        }
        return live
            ? AccessTokenFault.expired.error : ServiceError.sessionEnded(EndReason(endReason))
    }
}

/// What is wrong with an access token, in words for the developer of the app that sent it.
///
/// Attack: somebody tries tokens. Which key, issuer or claim it was is not said: only whether the text
/// is a token at all, and whether it was one of this installation's.
package enum AccessTokenFault: String, Sendable {
    /// It was issued here.
    case expired = "It has expired: refresh the session."
    /// Its issuer, audience or key is another, or its signature does not fit.
    case foreign = "It is not of this installation, or its key was revoked."
    /// It is no token, or is a token of another kind.
    case malformed = "It is malformed: send the access token as it was received."

    /// What is wrong with a token that session does not know.
    package init(unknown token: String) {
        // Any reason means that it is no token.
        let isToken = (try? CompactToken(token, bytesMax: TokenVerifier.bytesMax)) != nil
        self = isToken ? .foreign : .malformed
    }

    /// `auth/invalid-access-token`, with this reason in its message.
    package var error: ServiceError {
        var error = ServiceError(.invalidAccessToken)
        error.violations = [
            ServiceError.Violation(field: Metadata.Key.authorization, sentence: rawValue)
        ]
        return error
    }
}

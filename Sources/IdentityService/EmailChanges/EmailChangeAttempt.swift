import CallRecords
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// The use of a link to change an address as it was asked for, read and checked.
struct EmailChangeAttempt: Sendable {
    let tokenHash: [UInt8]
    /// Whose session asks; nil outside a session.
    let owner: SessionOwner?
    /// As entered; empty where none was.
    let password: SecretBytes
    let origin: CallOrigin
    /// For a repeat; nil where the call carries no key.
    let call: RepeatableCall?

    /// Reads a request.
    /// - Throws: `auth/invalid-link` for what is no token.
    init(
        _ request: IdentityV1.ConfirmEmailChangeRequest, from owner: SessionOwner?,
        _ context: CallContext, _ keys: IdentityKeys
    ) throws(ServiceError) {
        guard let token = LinkToken(text: request.token) else { throw ServiceError(.invalidLink) }
        tokenHash = token.hash(.changeEmail, keys.links)
        self.owner = owner
        password = request.password
        origin = CallOrigin(request.origin, hash: keys.audit)
        call = try RepeatableCall("ConfirmEmailChange", [tokenHash], context, hash: keys.calls)
    }

    /// The account of the session that asks; nil outside a session.
    var asking: AccountID? { owner?.account }
}

extension SessionOwners {
    /// Whose live session asks. A token that is no longer good is as none: a link is not lost by
    /// it, a password will do.
    func ownerIfLive(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner? {
        guard !accessToken.isEmpty else { return nil }
        do {
            return try await owner(of: accessToken, context)
        } catch let error as ServiceError where Self.isOver(error.code) {
            return nil
        }
    }

    private static func isOver(_ code: ErrorCode) -> Bool {
        code == .invalidAccessToken || code == .sessionEnded
    }
}

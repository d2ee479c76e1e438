import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.AccountDeletion`: the deletion of the caller's account (G-19). Each rpc is
/// in the file of its name: `previewDeletion`, `requestDeletion`, `cancelDeletion`, `getDeletion`,
/// `requestDeletionLink`.
///
/// Identity decides whose account it is, by the access token or the link's token that it gets, and
/// requires the recent proof. So a taken gateway deletes only accounts whose owners call through
/// it.
struct AccountDeletionHandler: AccountDeletionService {
    let deletions: any AccountDeletionsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Who asks: the owner of a mailed link, or the caller's session. A session that comes with a
    /// link is judged as in every call where it is optional, and then not used.
    /// - Throws: `auth/invalid-access-token` without both; as the table of `CallerSession`.
    func caller(
        _ linkToken: SecretBytes, _ context: CallContext
    ) async throws -> (caller: IdentityV1.DeletionCaller, session: CallerSession?) {
        let session = try await sessions.optionalSession(context)
        guard linkToken.isEmpty else {
            let text = linkToken.withBytes { String(decoding: $0, as: UTF8.self) }
            return (IdentityV1.DeletionCaller(by: .linkToken(text)), nil)
        }
        guard let session else { throw ServiceError(.invalidAccessToken) }
        return (IdentityV1.DeletionCaller(by: .accessToken(session.accessToken)), session)
    }
}

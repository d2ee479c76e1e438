import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountProfilesHandler {
    /// Returns the account of an access token with its photo (G-17).
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)` and `SQLSession.callersRow`.
    func getProfile(
        _ request: IdentityV1.GetProfileRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetProfileResponse {
        let owner = try await sessions.validated(accessToken: request.accessToken, context)
        let now = documents.time.now()
        let (row, photo, pending) = try await store.read { session in
            (
                try session.callersRow(owner.account), try session.photo(of: owner.account),
                try PendingEmail(of: owner.account, at: now, in: session)
            )
        }
        let vault = try reader.vault(row)
        return IdentityV1.GetProfileResponse(
            account: try await answers.account(row, pendingEmail: pending.text(of: row, reader)),
            photo: try photo.map { try $0.message(vault) })
    }
}

import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension ProfileHandler {
    /// Returns the account with its photo (G-17).
    func getProfile(
        _ request: GatewayV1.GetProfileRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetProfileResponse {
        let now = documents.time.now()
        let (row, photo, pending) = try await store.read { session in
            (
                try session.callersRow(call.account), try session.photo(of: call.account),
                try PendingEmail(of: call.account, at: now, in: session)
            )
        }
        let vault = try reader.vault(row)
        return GatewayV1.GetProfileResponse(
            account: try await answers.account(row, pendingEmail: pending.text(of: row, reader)),
            photo: try photo.map { try $0.message(vault, answers.photos) })
    }
}

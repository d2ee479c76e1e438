import Contracts
import Messages
import RPC

/// Discards the notices of the session service to account owners.
struct NoNotices: AccountNoticesAPI {
    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        IdentityV1.TellResponse()
    }
}

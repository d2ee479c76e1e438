import Contracts
import Messages
import RPC

/// Takes what session has to tell owners, and tells nobody.
struct NoNotices: AccountNoticesAPI {
    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        IdentityV1.TellResponse()
    }
}

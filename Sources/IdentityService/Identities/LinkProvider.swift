import Messages
import RPC

extension IdentitiesHandler {
    /// Links a provider's identity to the caller's account (G-14).
    /// - Throws: as `SessionOwners.ownerOfMethods`, `identity(provedBy:for:_:)` and `MethodAdding`.
    func linkProvider(
        _ request: IdentityV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.LinkProviderResponse {
        let owner = try await owners.ownerOfMethods(request.accessToken, context)
        let proved = try await identity(
            provedBy: request.token, for: owner.account, request.origin)
        let call = try MethodCall(
            "LinkProvider", of: owner, keys.lookUpKey(of: proved), from: request.origin,
            context, keys)
        let row = try await adding.add(proved, call)
        return IdentityV1.LinkProviderResponse(account: try await answers.account(row))
    }
}

import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Links a provider's identity to the caller's account (G-14).
    func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        let owner = try await owners.ownerOfMethods(in: context)
        let origin = CallOrigin(context, on: request.device, keys)
        let proved = try await identity(
            provedBy: request.token, for: owner.account, from: origin)
        let call = MethodCall(
            of: owner, from: origin, on: request.device,
            try RepeatableCall(
                IdentitiesDescription.linkProvider, request, by: owner.account.text,
                proving: keys.lookUpKey(of: proved), context, keys))
        let row = try await adding.add(proved, call)
        return GatewayV1.LinkProviderResponse(account: try await answers.account(row))
    }
}

import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInMethodsHandler {
    /// G-14: identify the caller's account → charge the limits → have the password added → forget the
    /// devices that are known under its email, and record this one.
    ///
    /// Each refusal is a row of the audit trail, and each password that the policy allows is looked up
    /// and hashed; so the account is charged for a write, and the address for a new password. The
    /// identity service requires a recent proof, by the session's own token.
    ///
    /// Attack: devices are known under an email from an earlier account that had it, or from a
    /// password that was removed or disowned since. Guesses at the new password from them would have
    /// a limit of their own.
    func linkPassword(
        _ request: GatewayV1.LinkPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkPasswordResponse {
        let onward = try context.onward(for: SignInMethodsDescription.linkPassword)
        let device = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let linked = try await limits.charging(.documentWrite(account: account), context) {
            try await limits.charging(.passwordCheck(caller: LimitedCaller(context)), context) {
                try await credentials.linkPassword(request, onward)
            }.answer
        }.answer
        await limits.remember(
            linked.account?.email ?? "", on: device, forgettingOthers: true, context)
        return linked
    }
}

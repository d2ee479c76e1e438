import Contracts
import Messages
import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-12: identify the caller's account → charge the limit → change the password → refund the
    /// charge and record the device as known.
    ///
    /// The limits are those of a sign-in and shared with it (`countingPasswordGuess`). Attack: a
    /// stolen access token is used to guess the password outside those limits.
    func changePassword(
        _ request: GatewayV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangePasswordResponse {
        let onward = try context.onward(for: PasswordsDescription.changePassword)
        let device = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let (answer, charge) = try await limits.countingPasswordGuess(
            email: try await email(of: account, context), device: device, context
        ) { _ in
            try await credentials.changePassword(request, onward)
        }
        await limits.succeed(charge, context)
        return answer
    }

    /// The email that a sign-in's attempts are counted under.
    private func email(of account: String, _ context: CallContext) async throws -> String {
        let answer = try await accounts.getAccount(
            IdentityV1.GetAccountRequest(accountId: account), context.onward())
        // An account without an email has no password.
        guard let email = answer.account?.email, !email.isEmpty else {
            throw ServiceError(.invalidCredential)
        }
        return email
    }
}

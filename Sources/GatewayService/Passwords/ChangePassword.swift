import Contracts
import Messages
import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-12: identify the caller's account → charge the limits → change the password → refund the
    /// guess and record the device as known.
    ///
    /// The limits are those of a sign-in and shared with it (`countingPasswordGuess`). Attack: a
    /// stolen access token is used to guess the password outside those limits. The new password is
    /// charged to the caller's address: one that is refused is no guess.
    func changePassword(
        _ request: GatewayV1.ChangePasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangePasswordResponse {
        let onward = try context.onward(for: PasswordsDescription.changePassword)
        let device = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let email = try await email(of: account, context)
        let (answer, charge) = try await limits.charging(
            .passwordCheck(caller: LimitedCaller(context)), context
        ) {
            try await limits.countingPasswordGuess(email: email, device: device, context) { _ in
                try await credentials.changePassword(request, onward)
            }
        }.answer
        await limits.succeed(charge, context)
        await limits.startFactorsOver(of: account, context)
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

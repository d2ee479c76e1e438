import Addresses
import Messages
import RPC
import ServiceRuntime

extension SignInSettingsHandler {
    /// Applies the rules for new passwords, without an account (G-26). It computes no hash and
    /// writes nothing. A name above the maximum is rejected, because the work grows with its words.
    /// - Throws: `rpc/invalid-argument` for a display name that a sign-up would refuse.
    func checkPassword(
        _ request: IdentityV1.CheckPasswordRequest, _ context: CallContext
    ) throws(ServiceError) -> IdentityV1.CheckPasswordResponse {
        guard Applicant.isDisplayName(request.displayName) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        let policy = settings.passwordPolicy
        let password = Password(entered: request.password)
        // An email that is still being typed has no words yet.
        let words = PasswordContext(
            address: EmailAddress(request.email), displayName: request.displayName,
            app: settings.appName)
        let broken = password.map { policy.broken(by: $0, words) } ?? [.length]
        let requirements = policy.requirements(
            in: Voice(tag: request.language) ?? .english)
        return IdentityV1.CheckPasswordResponse(
            rules: zip(policy.rules, requirements).map { rule, requirement in
                IdentityV1.PasswordRuleResult(rule: requirement, met: !broken.contains(rule))
            },
            strength: password.map { $0.strength(breaking: broken) } ?? .weak)
    }
}

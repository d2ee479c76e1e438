import Addresses
import Cryptography
import Messages
import RPC
import ServiceRuntime

extension SignInOptionsHandler {
    /// Applies the rules for new passwords, without an account (G-26). It computes no hash and
    /// writes nothing. The email is only text for the rule "context": it is not looked up, so the
    /// response is the same whether or not an account has it. A name above the maximum is
    /// rejected, because the work grows with its words.
    ///
    /// Leaked passwords are looked up in a file. A service is not asked, and the rule is left out:
    /// each pause of typing would send five more digits out, of one text after the other that the
    /// password begins with.
    func checkPassword(
        _ request: GatewayV1.CheckPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckPasswordResponse {
        try context.requireGateway()
        guard Applicant.isDisplayName(request.displayName) else {
            throw ServiceError(.invalidArgument, fields: ["display_name"])
        }
        let policy = settings.passwordPolicy
        let password = Password(entered: request.password)
        // An email that is still being typed has no words yet.
        let words = PasswordContext(
            address: EmailAddress(request.email), displayName: request.displayName,
            app: settings.appName)
        var broken = password.map { policy.broken(by: $0, words) } ?? [.length]
        if try await isListed(password) { broken.append(.breached) }
        let rules = settings.passwordRules.filter { $0 != .breached || breached?.isLocal == true }
        let requirements = policy.requirements(of: rules, in: context.metadata.voice)
        return GatewayV1.CheckPasswordResponse(
            rules: zip(rules, requirements).map { rule, requirement in
                GatewayV1.PasswordRuleResult(rule: requirement, met: !broken.contains(rule))
            },
            strength: password.map { $0.strength(breaking: broken) } ?? .weak)
    }

    /// Whether a file of leaked passwords has the password. Nothing typed yet is no password.
    private func isListed(_ password: Password?) async throws -> Bool {
        guard let password, let breached, breached.isLocal, !password.bytes.isEmpty else {
            return false
        }
        return try await breached.contain(password)
    }
}

extension Password {
    /// From this length on a password needs no kinds of characters (NIST SP 800-63B-4 §3.1.1.2).
    private static let strongCodePoints = 15
    /// Fewer different code points are a repetition: "abababababababab".
    private static let strongDistinct = 8

    /// An estimate for a meter on a screen. No decision depends on it.
    ///
    ///     rules broken   code points, different ones   strength
    ///     some           any                           weak
    ///     none           15 or more, 8 or more         strong
    ///     none           fewer                         fair
    ///
    /// - Parameter broken: the rules that the password breaks.
    func strength(breaking broken: [PasswordRule]) -> GatewayV1.PasswordStrength {
        guard broken.isEmpty else { return .weak }
        return withScalars { scalars in
            // Compared in place: a set of them would leave the password's characters in memory.
            let distinct = scalars.indices.count { index in
                !scalars[..<index].contains(scalars[index])
            }
            return scalars.count >= Self.strongCodePoints && distinct >= Self.strongDistinct
                ? .strong : .fair
        }
    }
}
